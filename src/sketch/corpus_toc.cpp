#include "corpus_toc.h"

#include <fmt/format.h>

#include "json_text.h"

#include "scvet/base/error.h"

namespace scvet::sketch {
namespace {

using nlohmann::json;

json blob_json(const Blob& blob) {
  return {{"offset", blob.offset}, {"length", blob.length}, {"xxh3", hex64(blob.checksum)}};
}

json source_json(const TocSource& source) {
  const CorpusSource& facts = source.facts;
  json value = {{"file", facts.file},
                {"sha256", facts.sha256},
                {"format", facts.format},
                {"matrix", facts.matrix},
                {"dataset", facts.dataset},
                {"panel", facts.panel},
                {"has_counts", facts.has_counts},
                {"cells", facts.n_cells},
                {"empty", facts.n_empty},
                {"entries", facts.n_entries},
                {"outside", facts.n_outside},
                {"cut_cells", facts.n_cut_cells},
                {"notes", facts.notes},
                {"donors", source.donors},
                {"datasets", source.datasets}};
  if (facts.ranked) value["ranked"] = true;  // left out elsewhere, as in stores of 0.1
  return value;
}

// Typed access that names what is wrong.
class Reader {
 public:
  Reader(const std::string& path, std::uint64_t end) : path_(path), end_(end) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw DataError(fmt::format("{}: table of contents: {}; the store is damaged, or not made by scvet", path_, why),
                    {.file = path_, .field = "table of contents", .reason = "corpus_damaged"});
  }
  const json& field(const json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail(fmt::format("no '{}'", key));
    return object[key];
  }
  const json& list(const json& object, const char* key) const {
    const json& value = field(object, key);
    if (!value.is_array()) fail(fmt::format("'{}' is no list", key));
    return value;
  }
  std::uint64_t number(const json& object, const char* key, std::uint64_t most) const {
    const json& value = field(object, key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      fail(fmt::format("'{}' is no number up to {}", key, most));
    return value.get<std::uint64_t>();
  }
  std::int64_t count(const json& object, const char* key) const {
    return static_cast<std::int64_t>(number(object, key, std::uint64_t{1} << 62));
  }
  bool flag(const json& object, const char* key) const {
    const json& value = field(object, key);
    if (!value.is_boolean()) fail(fmt::format("'{}' is neither true nor false", key));
    return value.get<bool>();
  }
  std::string text(const json& object, const char* key) const {
    const json& value = field(object, key);
    if (!value.is_string()) fail(fmt::format("'{}' is no text", key));
    return value.get<std::string>();
  }
  std::vector<std::string> texts(const json& object, const char* key) const {
    std::vector<std::string> all;
    for (const json& value : list(object, key)) {
      if (!value.is_string()) fail(fmt::format("'{}' holds something other than text", key));
      all.push_back(value.get<std::string>());
    }
    return all;
  }
  std::uint64_t checksum_of(const json& object, const char* key) const {
    const auto value = parse_hex64(text(object, key));
    if (!value) fail(fmt::format("'{}' is no checksum", key));
    return *value;
  }
  void check_range(std::uint64_t offset, std::uint64_t length, const char* what) const {
    if (offset % kAlign != 0 || offset < kContentStart || offset > end_ || length > end_ - offset)
      fail(fmt::format("a {} at {} of {} bytes does not lie in the store of {} bytes", what, offset, length, end_));
  }
  Blob blob(const json& object, const char* key) const {
    const json& value = field(object, key);
    const std::uint64_t most = ~std::uint64_t{0};
    const Blob found{number(value, "offset", most), number(value, "length", most), checksum_of(value, "xxh3")};
    check_range(found.offset, found.length, key);
    return found;
  }

 private:
  const std::string& path_;
  std::uint64_t end_;
};

TocSource read_source(const Reader& reader, const json& value, std::size_t n_panels) {
  TocSource source;
  CorpusSource& facts = source.facts;
  facts.file = reader.text(value, "file");
  facts.sha256 = reader.text(value, "sha256");
  facts.format = reader.text(value, "format");
  facts.matrix = reader.text(value, "matrix");
  facts.dataset = reader.text(value, "dataset");
  if (n_panels == 0) reader.fail("a source without a panel");
  facts.panel = static_cast<int>(reader.number(value, "panel", n_panels - 1));
  facts.has_counts = reader.flag(value, "has_counts");
  facts.ranked = value.contains("ranked") && reader.flag(value, "ranked");
  if (facts.ranked && facts.has_counts) reader.fail("a source of ranks with counts");
  facts.n_cells = reader.count(value, "cells");
  facts.n_empty = reader.count(value, "empty");
  facts.n_entries = reader.count(value, "entries");
  facts.n_outside = reader.count(value, "outside");
  facts.n_cut_cells = reader.count(value, "cut_cells");
  facts.notes = reader.texts(value, "notes");
  source.donors = reader.texts(value, "donors");
  source.datasets = reader.texts(value, "datasets");
  return source;
}

TocSegment read_segment(const Reader& reader, const json& value, const Toc& toc) {
  TocSegment segment;
  if (toc.sources.empty()) reader.fail("a segment without a source");
  segment.source = reader.number(value, "source", toc.sources.size() - 1);
  segment.offset = reader.number(value, "offset", ~std::uint64_t{0});
  segment.checksums = reader.checksum_of(value, "checksums");
  const CorpusSource& source = toc.sources[segment.source].facts;
  SegmentShape& shape = segment.shape;
  shape.cells = reader.number(value, "cells", kMaxSegmentCells);
  shape.tokens = reader.number(value, "tokens", kMaxSegmentItems);
  shape.escapes = reader.number(value, "escapes", kMaxSegmentItems);
  shape.name_bytes = reader.number(value, "name_bytes", kMaxSegmentItems);
  shape.panel_genes = toc.panels[static_cast<std::size_t>(source.panel)].genes;
  shape.has_counts = source.has_counts;
  reader.check_range(segment.offset, layout_of(shape).total, "segment");
  return segment;
}

// Cells are numbered through the segments, so a source's segments stand together and hold its cells.
void number_rows(const Reader& reader, Toc& toc) {
  std::vector<std::uint64_t> held(toc.sources.size(), 0);
  std::uint64_t last = 0;
  for (const TocSegment& segment : toc.segments) {
    if (segment.source < last) reader.fail("segments are out of order");
    last = segment.source;
    held[segment.source] += segment.shape.cells;
  }
  std::int64_t row = 0;
  for (std::size_t source = 0; source < toc.sources.size(); ++source) {
    CorpusSource& facts = toc.sources[source].facts;
    if (held[source] != static_cast<std::uint64_t>(facts.n_cells))
      reader.fail(fmt::format("source {} says {} cells, its segments hold {}", source, facts.n_cells, held[source]));
    facts.first_row = row;
    row += facts.n_cells;
  }
}

}  // namespace

std::string write_toc(const Toc& toc) {
  json panels = json::array(), sources = json::array(), segments = json::array();
  for (const TocPanel& panel : toc.panels)
    panels.push_back({{"organism", panel.organism},
                      {"sha256", panel.sha256},
                      {"genes", panel.genes},
                      {"text", blob_json(panel.text)}});
  for (const TocSource& source : toc.sources) sources.push_back(source_json(source));
  for (const TocSegment& segment : toc.segments)
    segments.push_back({{"source", segment.source},
                        {"offset", segment.offset},
                        {"cells", segment.shape.cells},
                        {"tokens", segment.shape.tokens},
                        {"escapes", segment.shape.escapes},
                        {"name_bytes", segment.shape.name_bytes},
                        {"checksums", hex64(segment.checksums)}});
  json fingerprint = {{"kind", toc.has_vocabulary ? "topk" : "positive"}, {"top_k", toc.top_k}};
  if (toc.has_vocabulary) {
    fingerprint["name"] = toc.vocabulary_name;
    fingerprint["vocabulary"] = blob_json(toc.vocabulary);
  }
  const json all = {{"format", "scvet corpus"},   {"card", json::parse(toc.card.to_json())},
                    {"fingerprint", fingerprint}, {"sketch", {{"slots", kSlots}, {"seed", kStoreSeed}}},
                    {"panels", panels},           {"sources", sources},
                    {"segments", segments}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

Toc read_toc(std::string_view text, std::uint64_t end, const std::string& path) {
  const Reader reader(path, end);
  const json all = parse_json(text);
  if (!all.is_object() || all.value("format", json()) != "scvet corpus") reader.fail("not the JSON of a corpus");
  Toc toc;
  toc.card = CorpusCard::parse(reader.field(all, "card").dump(-1, ' ', false, json::error_handler_t::replace), path);
  const json& sketch = reader.field(all, "sketch");
  if (reader.number(sketch, "slots", kSlots) != kSlots || reader.number(sketch, "seed", ~0ull) != kStoreSeed)
    reader.fail("sketches of another kind");
  const json& fingerprint = reader.field(all, "fingerprint");
  const std::string kind = reader.text(fingerprint, "kind");
  if (kind != "topk" && kind != "positive") reader.fail("unknown fingerprint '" + kind + "'");
  toc.top_k = reader.count(fingerprint, "top_k");
  toc.has_vocabulary = kind == "topk";
  if (toc.has_vocabulary) {
    toc.vocabulary_name = reader.text(fingerprint, "name");
    toc.vocabulary = reader.blob(fingerprint, "vocabulary");
  }
  for (const json& value : reader.list(all, "panels"))
    toc.panels.push_back({reader.text(value, "organism"), reader.text(value, "sha256"),
                          reader.number(value, "genes", 1u << 26), reader.blob(value, "text")});
  for (const json& value : reader.list(all, "sources"))
    toc.sources.push_back(read_source(reader, value, toc.panels.size()));
  for (const json& value : reader.list(all, "segments")) toc.segments.push_back(read_segment(reader, value, toc));
  number_rows(reader, toc);
  return toc;
}

}  // namespace scvet::sketch
