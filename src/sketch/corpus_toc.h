// The table of contents of a store: JSON, read with suspicion.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corpus_layout.h"
#include "scvet/sketch/corpus.h"

namespace scvet::sketch {

struct Blob {
  std::uint64_t offset = 0, length = 0, checksum = 0;
};

struct TocPanel {
  std::string organism, sha256;  // digest of organism, line end, gene text: what makes two panels one
  std::uint64_t genes = 0;
  Blob text;
};

struct TocSource {
  CorpusSource facts;
  std::vector<std::string> donors, datasets;  // levels of the codes in its segments
};

struct TocSegment {
  std::uint64_t source = 0, offset = 0, checksums = 0;  // checksums: XXH3 of its checksum section
  SegmentShape shape;
};

struct Toc {
  CorpusCard card;
  std::int64_t top_k = 0;
  bool has_vocabulary = false;
  std::string vocabulary_name;
  Blob vocabulary;
  std::vector<TocPanel> panels;
  std::vector<TocSource> sources;
  std::vector<TocSegment> segments;
};

std::string write_toc(const Toc& toc);
// Throws DataError: every field present, of the right type, indices in range, segments inside [start, end).
Toc read_toc(std::string_view text, std::uint64_t end, const std::string& path);

}  // namespace scvet::sketch
