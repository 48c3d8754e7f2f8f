#include "scvet/sketch/corpus_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "corpus_file.h"
#include "corpus_toc.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "segment_builder.h"

namespace scvet::sketch {
namespace {

// A file that is only ever written at its end, header slots aside.
class OutputFile {
 public:
  OutputFile(const std::string& path, const std::string& shown, int flags) : shown_(shown) {
    fd_ = open(path.c_str(), flags | O_CLOEXEC, 0644);
    if (fd_ < 0) fail();
  }
  ~OutputFile() {
    if (fd_ >= 0) close(fd_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(wrote));
      offset += static_cast<std::uint64_t>(wrote);
    }
  }
  void sync() {
    if (fsync(fd_) != 0) fail();
  }
  void truncate(std::uint64_t size) {
    if (ftruncate(fd_, static_cast<off_t>(size)) != 0) fail();
  }
  void lock() {
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0)
      throw ResourceError(shown_ + ": another process is appending to this corpus; wait for it to end",
                          {.file = shown_});
  }

 private:
  [[noreturn]] void fail() const {
    throw ResourceError(fmt::format("cannot write {}: {}", shown_, std::strerror(errno)), {.file = shown_});
  }
  std::string shown_;
  int fd_ = -1;
};

// Codes of the level names of one source, in order of appearance.
class Levels {
 public:
  std::int32_t code(const std::string& name) {
    if (name.empty()) return -1;
    const auto [place, fresh] = codes_.emplace(name, static_cast<std::int32_t>(names_.size()));
    if (fresh) names_.push_back(name);
    return place->second;
  }
  std::vector<std::string> take() {
    codes_.clear();
    return std::move(names_);
  }

 private:
  std::unordered_map<std::string, std::int32_t> codes_;
  std::vector<std::string> names_;
};

// Digests of the cells of one panel.
struct PanelHasher {
  explicit PanelHasher(const GenePanel& panel) : keys(gene_keys(panel)), minhash(keys, kStoreSeed) {}
  std::vector<std::uint64_t> keys;
  MinHasher minhash;
};

// `values`: whether they say more than the order.
std::vector<CellDigest> digest_cells(const RankedCells& cells, const PanelHasher& hasher, bool are_counts,
                                     bool values) {
  constexpr std::int64_t kTaskCells = 128;
  std::vector<CellDigest> digests(static_cast<std::size_t>(cells.n_cells()));
  std::vector<MinHasher::Scratch> scratch(static_cast<std::size_t>(workers()));
  parallel_for((cells.n_cells() + kTaskCells - 1) / kTaskCells, [&](std::int64_t task, int worker) {
    Sketch sketch;
    for (std::int64_t cell = task * kTaskCells; cell < std::min(cells.n_cells(), (task + 1) * kTaskCells); ++cell) {
      const auto tokens = cells.cell_tokens(cell);
      const CellHashes hashes =
          hash_ranked(hasher.keys, tokens, values ? cells.cell_values(cell) : std::span<const double>{}, are_counts);
      hasher.minhash.sketch(tokens, scratch[static_cast<std::size_t>(worker)], sketch);
      digests[static_cast<std::size_t>(cell)] = {hashes.set, hashes.order, hashes.counts, low_bytes(sketch)};
    }
  });
  return digests;
}

class StoreWriter : public CorpusWriter {
 public:
  StoreWriter(const std::string& path, const FingerprintRule& rule, const CorpusCard& card)
      : path_(path),
        rule_(rule),
        atomic_(std::make_unique<AtomicPath>(path)),
        file_(std::make_unique<OutputFile>(atomic_->temporary(), path, O_WRONLY | O_CREAT | O_TRUNC)) {
    file_->truncate(kContentStart);
    end_ = kContentStart;
    toc_.card = card;
    if (!rule.vocabulary) return;
    toc_.top_k = rule.top_k;
    toc_.has_vocabulary = true;
    toc_.vocabulary_name = rule.vocabulary->name();
    toc_.vocabulary = write_blob(rule.vocabulary->to_text());
  }

  StoreWriter(const std::string& path, const FingerprintRule& rule)
      : path_(path), rule_(rule), file_(std::make_unique<OutputFile>(path, path, O_WRONLY)) {
    file_->lock();
    const CorpusFile old(path);
    if (old.slot_damaged())
      throw DataError(
          path +
              ": header: one of the two headers is damaged, so appending could lose cells; build the corpus "
              "again",
          {.file = path, .field = "header", .reason = "corpus_damaged"});
    check_rule(old.rule(), path);
    toc_ = old.toc();
    generation_ = old.header().generation;
    end_ = committed_end_ = old.header().end;
    file_->truncate(end_);  // what a killed run left behind
  }

  ~StoreWriter() override {
    if (atomic_ || finished_) return;
    try {
      file_->truncate(committed_end_);
    } catch (const Error&) {
      // Bytes past the committed end are never read; the next append drops them.
    }
  }

  void set_card(const CorpusCard& card) override { toc_.card = card; }

  bool has_source(const std::string& sha256) const override {
    return std::any_of(toc_.sources.begin(), toc_.sources.end(),
                       [&](const TocSource& source) { return source.facts.sha256 == sha256; });
  }

  void begin_source(const CorpusSource& source, const GenePanel& panel) override {
    TocSource entry;
    entry.facts = source;
    entry.facts.panel = add_panel(panel);
    entry.facts.n_cells = entry.facts.n_empty = 0;
    toc_.sources.push_back(std::move(entry));
    if (!hasher_ || hasher_panel_ != toc_.sources.back().facts.panel) {
      hasher_ = std::make_unique<PanelHasher>(panel);
      hasher_panel_ = toc_.sources.back().facts.panel;
    }
    builder_ = std::make_unique<SegmentBuilder>(panel.size(), source.has_counts);
  }

  void add(const RankedCells& cells, const CellNames& names) override {
    TocSource& source = toc_.sources.back();
    if (names.cells.size() != static_cast<std::size_t>(cells.n_cells()))
      throw InternalError("a batch of cells with names for some of them only");
    if (source.facts.has_counts) check_counts(cells);
    const std::vector<CellDigest> digests =
        digest_cells(cells, *hasher_, source.facts.has_counts, !source.facts.ranked);
    for (std::int64_t cell = 0; cell < cells.n_cells(); ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      const auto tokens = cells.cell_tokens(cell);
      source.facts.n_empty += tokens.empty();
      builder_->add(tokens, cells.cell_values(cell), digests[at], names.cells[at],
                    names.donors.empty() ? -1 : donors_.code(names.donors[at]),
                    names.datasets.empty() ? -1 : datasets_.code(names.datasets[at]));
      if (builder_->full()) flush();
    }
    source.facts.n_cells += cells.n_cells();
  }

  void end_source(std::vector<std::string> notes, const RankLosses& losses) override {
    if (builder_->shape().cells > 0) flush();
    builder_.reset();
    TocSource& source = toc_.sources.back();
    source.facts.notes = std::move(notes);
    source.facts.n_entries = losses.n_entries;
    source.facts.n_outside = losses.n_outside;
    source.facts.n_cut_cells = losses.n_cut_cells;
    source.donors = donors_.take();
    source.datasets = datasets_.take();
  }

  void add_store(const Corpus& other) override;
  void checkpoint() override {
    if (!atomic_) write_contents();
  }
  void finish() override {
    write_contents();
    if (atomic_) atomic_->commit();
    finished_ = true;
  }

 private:
  void check_rule(const FingerprintRule& other, const std::string& other_path) const {
    const auto digest = [](const FingerprintRule& rule) { return rule.vocabulary ? rule.vocabulary->digest() : ""; };
    if (digest(rule_) == digest(other) && (!rule_.vocabulary || rule_.top_k == other.top_k)) return;
    const auto words = [](const FingerprintRule& rule) {
      return rule.vocabulary ? fmt::format("topk {} with vocabulary {}", rule.top_k, rule.vocabulary->name())
                             : "positive";
    };
    throw DataError(
        fmt::format("{}: its cells are fingerprinted as '{}', what should be added as '{}'; one corpus has one "
                    "way",
                    other_path, words(other), words(rule_)),
        {.file = other_path, .field = "fingerprint", .reason = "fingerprint_differs"});
  }
  void check_counts(const RankedCells& cells) const {
    constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
    for (const double value : cells.values)
      if (!(value >= 1 && value <= kMost)) throw InternalError(fmt::format("a count of {} in a corpus", value));
  }
  std::uint64_t append_bytes(std::span<const std::byte> bytes) {
    const std::uint64_t at = aligned(end_);
    file_->write(at, bytes);
    end_ = at + bytes.size();
    return at;
  }
  Blob write_blob(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {append_bytes(bytes), text.size(), checksum(bytes)};
  }
  int add_panel(const GenePanel& panel) {
    const std::string text = panel.to_text(), digest = sha256(panel.organism() + "\n" + text);
    for (std::size_t at = 0; at < toc_.panels.size(); ++at)
      if (toc_.panels[at].sha256 == digest) return static_cast<int>(at);
    toc_.panels.push_back({panel.organism(), digest, panel.size(), write_blob(text)});
    return static_cast<int>(toc_.panels.size()) - 1;
  }
  void flush() {
    throw_if_stopped();
    TocSegment segment;
    segment.source = toc_.sources.size() - 1;
    segment.shape = builder_->shape();
    segment.offset = append_bytes(builder_->finish(segment.checksums));
    toc_.segments.push_back(segment);
  }
  // Content first, then the header that points to it: a kill between the two leaves the old header in force.
  void write_contents() {
    const std::string text = write_toc(toc_);
    Header header;
    header.toc_offset = append_bytes(std::as_bytes(std::span(text)));
    header.toc_length = text.size();
    header.generation = ++generation_;
    header.end = end_;
    header.toc_sha256 = digest_bytes(sha256(text));
    file_->sync();
    file_->write(kSlotOffset[(generation_ - 1) % 2], write_header(header));
    file_->sync();
    committed_end_ = end_;
  }

  std::string path_;
  FingerprintRule rule_;
  std::unique_ptr<AtomicPath> atomic_;  // null when appending
  std::unique_ptr<OutputFile> file_;
  Toc toc_;
  std::uint64_t generation_ = 0, end_ = 0, committed_end_ = 0;
  bool finished_ = false;
  std::unique_ptr<SegmentBuilder> builder_;
  std::unique_ptr<PanelHasher> hasher_;
  int hasher_panel_ = -1;
  Levels donors_, datasets_;
};

void StoreWriter::add_store(const Corpus& other) {
  const auto& store = dynamic_cast<const CorpusFile&>(other);
  check_rule(store.rule(), store.path());
  std::vector<int> panels;
  for (const GenePanel& panel : store.panels()) panels.push_back(add_panel(panel));
  const std::size_t first_source = toc_.sources.size();
  for (const TocSource& source : store.toc().sources) {
    toc_.sources.push_back(source);
    toc_.sources.back().facts.panel = panels[static_cast<std::size_t>(source.facts.panel)];
  }
  ProgressScope progress("merging " + store.path(), store.n_cells());
  for (const SegmentView& segment : store.segments()) {
    throw_if_stopped();
    const std::vector<std::uint64_t> sums = block_checksums(segment.bytes, segment.layout);
    const auto stored = segment.section<std::uint64_t>(kChecksums);
    if (!std::equal(sums.begin(), sums.end(), stored.begin(), stored.end()) ||
        checksum(std::as_bytes(stored)) != segment.toc->checksums)
      throw DataError(fmt::format("{}: a checksum of {} is wrong; run 'scvet corpus verify' on it", store.path(),
                                  store.segment_name(segment, kChecksums)),
                      {.file = store.path(), .reason = "corpus_damaged"});
    TocSegment copy = *segment.toc;
    copy.source += first_source;
    copy.offset = append_bytes(segment.bytes);
    toc_.segments.push_back(copy);
    store.file().forget(segment.toc->offset, segment.layout.total);
    progress.advance(segment.cells());
  }
}

}  // namespace

std::unique_ptr<CorpusWriter> CorpusWriter::create(const std::string& path, const FingerprintRule& rule,
                                                   const CorpusCard& card) {
  return std::make_unique<StoreWriter>(path, rule, card);
}

std::unique_ptr<CorpusWriter> CorpusWriter::append(const std::string& path, const FingerprintRule& rule) {
  return std::make_unique<StoreWriter>(path, rule);
}

}  // namespace scvet::sketch
