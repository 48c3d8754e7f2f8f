// Cells of one source gathered until they fill a segment, and the segment's bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus_layout.h"
#include "scvet/data/rank_encoding.h"
#include "scvet/sketch/minhash.h"

namespace scvet::sketch {

struct CellDigest {
  std::uint64_t set, order, counts;
  LowBytes sketch;
};

class SegmentBuilder {
 public:
  SegmentBuilder(std::uint64_t panel_genes, bool has_counts);
  void add(std::span<const std::uint32_t> tokens, std::span<const double> counts, const CellDigest& digest,
           std::string_view name, std::int32_t donor, std::int32_t dataset);
  bool full() const;
  const SegmentShape& shape() const { return shape_; }
  // The segment's bytes with its checksum section; `checksums` is the checksum of that section. Starts afresh.
  std::vector<std::byte> finish(std::uint64_t& checksums);

 private:
  void clear();

  SegmentShape shape_;
  std::vector<std::uint32_t> offsets_, escape_offsets_, escapes_, name_offsets_, detection_;
  std::vector<std::uint16_t> tokens16_;
  std::vector<std::uint32_t> tokens32_;
  std::vector<std::uint8_t> counts_, sketches_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::int32_t> donors_, datasets_;
  std::string names_;
};

}  // namespace scvet::sketch
