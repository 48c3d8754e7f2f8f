#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "corpus_file.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"

namespace scvet::sketch {

std::shared_ptr<const Corpus> Corpus::open(const std::string& path) { return std::make_shared<CorpusFile>(path); }

namespace {

[[noreturn]] void damaged(const std::string& path, const std::string& section, const std::string& why) {
  throw DataError(fmt::format("{}: {}: {}; restore the file from a copy, or build it again", path, section, why),
                  {.file = path, .field = section, .reason = "corpus_damaged"});
}

bool toc_is_sound(std::span<const std::byte> bytes, const Header& header) {
  if (header.end > bytes.size() || header.toc_offset > header.end || header.toc_length > header.end - header.toc_offset)
    return false;
  Sha256 digest;
  digest.update(bytes.subspan(header.toc_offset, header.toc_length));
  return digest.finish() == hex_bytes(header.toc_sha256);
}

}  // namespace

// The newest of the two headers that is whole and whose table of contents is whole.
void CorpusFile::read_headers() {
  const auto bytes = file_.bytes();
  bool foreign = true;
  std::string toc_fault;
  for (const std::uint64_t at : kSlotOffset) {
    if (bytes.size() < at + kHeaderBytes) continue;
    Header header;
    std::uint32_t major = 0;
    switch (read_header(bytes.subspan(at, kHeaderBytes), header, major)) {
      case SlotState::kEmpty:
        break;
      case SlotState::kForeign:
        slot_damaged_ = true;
        break;
      case SlotState::kDamaged:
        foreign = false, slot_damaged_ = true;
        break;
      case SlotState::kNewerVersion:
        throw DataError(fmt::format("{}: a corpus of format version {}, this scvet reads version {}; use a newer scvet",
                                    path(), major, kMajor),
                        {.file = path(), .field = "header", .reason = "corpus_version"});
      case SlotState::kValid:
        foreign = false;
        if (header.end > bytes.size())
          toc_fault = fmt::format("the file has {} bytes, {} are expected: it is truncated", bytes.size(), header.end);
        else if (!toc_is_sound(bytes, header))
          toc_fault = "its SHA-256 differs from the one in the header";
        else if (header.generation > header_.generation)
          header_ = header;
    }
  }
  if (header_.generation > 0) {
    slot_damaged_ = slot_damaged_ || !toc_fault.empty();
    if (slot_damaged_)
      log_warning(
          fmt::format("{}: one of the two headers is damaged; reading generation {}: what was appended last may be "
                      "missing ('scvet corpus verify' says more)",
                      path(), header_.generation));
    return;
  }
  if (!toc_fault.empty()) damaged(path(), "table of contents", toc_fault);
  if (foreign)
    throw DataError(
        fmt::format("{}: not a corpus of scvet (no such header); build one with 'scvet corpus build'", path()),
        {.file = path(), .field = "header", .reason = "not_a_corpus"});
  damaged(path(), "header", "its checksum is wrong");
}

std::span<const std::byte> CorpusFile::blob(const Blob& where, const char* what) const {
  const auto bytes = file_.bytes().subspan(where.offset, where.length);
  if (checksum(bytes) != where.checksum) damaged(path(), what, "its checksum is wrong");
  return bytes;
}

CorpusFile::CorpusFile(const std::string& path) : file_(path) {
  read_headers();
  const auto bytes = file_.bytes();
  const auto as_text = [](std::span<const std::byte> part) {
    return std::string_view(reinterpret_cast<const char*>(part.data()), part.size());
  };
  toc_ = read_toc(as_text(bytes.subspan(header_.toc_offset, header_.toc_length)), header_.end, path);
  rule_.top_k = toc_.top_k;
  if (toc_.has_vocabulary) {
    const Vocabulary read = Vocabulary::parse(as_text(blob(toc_.vocabulary, "vocabulary")), path + " (vocabulary)");
    rule_.vocabulary =
        std::make_shared<Vocabulary>(read.genes(), toc_.vocabulary_name, read.special_tokens(), read.collapse());
  }
  for (std::size_t panel = 0; panel < toc_.panels.size(); ++panel) {
    const TocPanel& entry = toc_.panels[panel];
    const std::string where = fmt::format("panel {}", panel);
    panels_.push_back(
        GenePanel::from_text(as_text(blob(entry.text, where.c_str())), entry.organism, path + ": " + where));
    if (panels_.back().size() != entry.genes)
      damaged(path, where, fmt::format("{} genes, {} expected", panels_.back().size(), entry.genes));
  }
  for (const TocSource& source : toc_.sources) sources_.push_back(source.facts);
  for (const TocSegment& segment : toc_.segments) {
    SegmentView view{&segment, n_cells_, layout_of(segment.shape), {}};
    view.bytes = bytes.subspan(segment.offset, view.layout.total);
    segments_.push_back(view);
    n_cells_ += view.cells();
  }
}

std::string CorpusFile::segment_name(const SegmentView& segment, int section) const {
  return fmt::format("segment {} {}", segment.toc - toc_.segments.data(), section_name(section));
}

void CorpusFile::fail(const SegmentView& segment, int section, std::int64_t row, const std::string& why) const {
  const std::string name = segment_name(segment, section);
  throw DataError(fmt::format("{}: {}: cell {}: {}; restore the file from a copy, or build it again", path(), name,
                              segment.first_row + row, why),
                  {.file = path(), .field = name, .row = segment.first_row + row, .reason = "corpus_damaged"});
}

const SegmentView& CorpusFile::segment_of(std::int64_t store_row) const {
  if (store_row < 0 || store_row >= n_cells_)
    throw InternalError(fmt::format("cell {} of a corpus of {}", store_row, n_cells_));
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), store_row,
                                      [](std::int64_t row, const SegmentView& view) { return row < view.first_row; });
  return *(after - 1);
}

const GenePanel& CorpusFile::panel_of(const SegmentView& segment) const {
  return panels_[static_cast<std::size_t>(panel_index(segment))];
}

RowRange CorpusFile::range(const SegmentView& segment, int offsets_section, std::int64_t row,
                           std::uint64_t n_items) const {
  const auto offsets = segment.section<std::uint32_t>(offsets_section);
  const RowRange found{offsets[static_cast<std::size_t>(row)], offsets[static_cast<std::size_t>(row) + 1]};
  if (found.first > found.last || found.last > n_items)
    fail(segment, offsets_section, row, fmt::format("items {} to {} of {}", found.first, found.last, n_items));
  return found;
}

void CorpusFile::read_counts(const SegmentView& segment, std::int64_t row, RowRange tokens,
                             std::uint32_t* counts) const {
  const auto small = segment.section<std::uint8_t>(kCounts);
  const auto escapes = segment.section<std::uint32_t>(kEscapes);
  RowRange escape = range(segment, kEscapeOffsets, row, escapes.size());
  for (std::size_t at = tokens.first; at < tokens.last; ++at) {
    if (small[at] != kEscape) {
      *counts++ = small[at];
      continue;
    }
    if (escape.first == escape.last) fail(segment, kEscapes, row, "a large count is missing");
    *counts++ = escapes[escape.first++];
  }
}

void CorpusFile::read_row(const SegmentView& segment, std::int64_t row, std::vector<std::uint32_t>& tokens,
                          std::vector<std::uint32_t>& counts) const {
  const SegmentShape& shape = segment.toc->shape;
  const RowRange found = range(segment, kOffsets, row, shape.tokens);
  if (found.last - found.first > shape.panel_genes) fail(segment, kOffsets, row, "more genes than the panel has");
  tokens.resize(found.last - found.first);
  if (token_bytes(shape.panel_genes) == 2) {
    const auto stored = segment.section<std::uint16_t>(kTokens).subspan(found.first, tokens.size());
    std::copy(stored.begin(), stored.end(), tokens.begin());
  } else {
    const auto stored = segment.section<std::uint32_t>(kTokens).subspan(found.first, tokens.size());
    std::copy(stored.begin(), stored.end(), tokens.begin());
  }
  for (const std::uint32_t token : tokens)
    if (token >= shape.panel_genes)
      fail(segment, kTokens, row, fmt::format("token {} of a panel of {} genes", token, shape.panel_genes));
  counts.resize(shape.has_counts ? tokens.size() : 0);
  if (shape.has_counts) read_counts(segment, row, found, counts.data());
}

void CorpusFile::restrict_row(const SegmentView& segment, std::int64_t row,
                              const std::vector<std::int32_t>& to_universe, std::vector<std::uint16_t>& tokens) const {
  const SegmentShape& shape = segment.toc->shape;
  const RowRange found = range(segment, kOffsets, row, shape.tokens);
  const std::size_t n = found.last - found.first;
  if (n > shape.panel_genes) fail(segment, kOffsets, row, "more genes than the panel has");
  tokens.resize(n);
  std::size_t kept = 0;
  const auto keep = [&](const auto* stored) {
    for (std::size_t at = 0; at < n; ++at) {
      if (stored[at] >= to_universe.size())
        fail(segment, kTokens, row, fmt::format("token {} of a panel of {} genes", stored[at], shape.panel_genes));
      const std::int32_t token = to_universe[stored[at]];
      tokens[kept] = static_cast<std::uint16_t>(token);
      kept += token >= 0;
    }
  };
  if (token_bytes(shape.panel_genes) == 2)
    keep(segment.section<std::uint16_t>(kTokens).data() + found.first);
  else
    keep(segment.section<std::uint32_t>(kTokens).data() + found.first);
  tokens.resize(kept);
}

void CorpusFile::read_cell(std::int64_t store_row, std::vector<std::uint32_t>& tokens,
                           std::vector<std::uint32_t>& counts) const {
  const SegmentView& segment = segment_of(store_row);
  read_row(segment, store_row - segment.first_row, tokens, counts);
}

std::uint32_t CorpusFile::cell_size(std::int64_t store_row) const {
  const SegmentView& segment = segment_of(store_row);
  const RowRange found = range(segment, kOffsets, store_row - segment.first_row, segment.toc->shape.tokens);
  return static_cast<std::uint32_t>(found.last - found.first);
}

CellHashes CorpusFile::hashes(std::int64_t store_row) const {
  const SegmentView& segment = segment_of(store_row);
  const auto row = static_cast<std::size_t>(store_row - segment.first_row);
  const auto stored = segment.section<std::uint64_t>(kHashes).subspan(3 * row, 3);
  return {stored[0], stored[1], stored[2]};
}

LowBytes CorpusFile::sketch(std::int64_t store_row) const {
  const SegmentView& segment = segment_of(store_row);
  const auto row = static_cast<std::size_t>(store_row - segment.first_row);
  LowBytes bytes;
  std::memcpy(bytes.data(), segment.section<std::uint8_t>(kSketch).data() + kSlots * row, kSlots);
  return bytes;
}

CellOrigin CorpusFile::origin(std::int64_t store_row) const {
  const SegmentView& segment = segment_of(store_row);
  const std::int64_t row = store_row - segment.first_row;
  const TocSource& source = toc_.sources[segment.toc->source];
  const auto level = [&](int section, const std::vector<std::string>& levels) -> std::string {
    const std::int32_t code = segment.section<std::int32_t>(section)[static_cast<std::size_t>(row)];
    if (code < 0) return {};
    if (static_cast<std::size_t>(code) >= levels.size()) fail(segment, section, row, "a code without a name");
    return levels[static_cast<std::size_t>(code)];
  };
  const auto names = segment.section<char>(kNames);
  const RowRange name = range(segment, kNameOffsets, row, names.size());
  CellOrigin origin{source.facts.file, std::string(names.data() + name.first, name.last - name.first),
                    level(kDonors, source.donors), level(kDatasets, source.datasets),
                    static_cast<std::int64_t>(segment.toc->source)};
  if (origin.dataset.empty()) origin.dataset = source.facts.dataset;
  return origin;
}

std::int64_t CorpusFile::panel_cells(int panel) const {
  std::int64_t cells = 0;
  for (const CorpusSource& source : sources_) cells += source.panel == panel ? source.n_cells : 0;
  return cells;
}

std::vector<std::int64_t> CorpusFile::detection(int panel) const {
  std::vector<std::int64_t> cells(panels_.at(static_cast<std::size_t>(panel)).size(), 0);
  for (const SegmentView& segment : segments_) {
    if (panel_index(segment) != panel) continue;
    const auto stored = segment.section<std::uint32_t>(kDetection);
    for (std::size_t token = 0; token < cells.size(); ++token) cells[token] += stored[token];
  }
  return cells;
}

void CorpusFile::forget(const SegmentView& segment, std::int64_t first, std::int64_t count) const {
  const auto sketches = static_cast<std::uint64_t>(kSlots);
  file_.forget(segment.toc->offset + segment.layout.offset[kSketch] + sketches * static_cast<std::uint64_t>(first),
               sketches * static_cast<std::uint64_t>(count));
  const auto offsets = segment.section<std::uint32_t>(kOffsets);
  const std::uint64_t from = offsets[static_cast<std::size_t>(first)],
                      to = offsets[static_cast<std::size_t>(first + count)];
  if (from > to || to > segment.toc->shape.tokens) return;
  const auto width = static_cast<std::uint64_t>(token_bytes(segment.toc->shape.panel_genes));
  file_.forget(segment.toc->offset + segment.layout.offset[kTokens] + width * from, width * (to - from));
  if (segment.toc->shape.has_counts)
    file_.forget(segment.toc->offset + segment.layout.offset[kCounts] + from, to - from);
}

}  // namespace scvet::sketch
