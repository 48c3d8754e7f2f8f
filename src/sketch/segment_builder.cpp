#include "segment_builder.h"

#include <cstring>

namespace scvet::sketch {

SegmentBuilder::SegmentBuilder(std::uint64_t panel_genes, bool has_counts) {
  shape_.panel_genes = panel_genes;
  shape_.has_counts = has_counts;
  clear();
}

void SegmentBuilder::clear() {
  shape_.cells = shape_.tokens = shape_.escapes = shape_.name_bytes = 0;
  offsets_.assign(1, 0);
  name_offsets_.assign(1, 0);
  escape_offsets_.assign(shape_.has_counts ? 1 : 0, 0);
  detection_.assign(shape_.panel_genes, 0);
  escapes_.clear();
  tokens16_.clear();
  tokens32_.clear();
  counts_.clear();
  sketches_.clear();
  hashes_.clear();
  donors_.clear();
  datasets_.clear();
  names_.clear();
}

bool SegmentBuilder::full() const {
  return shape_.cells >= static_cast<std::uint64_t>(kSegmentCells) ||
         shape_.tokens >= static_cast<std::uint64_t>(kSegmentTokens);
}

void SegmentBuilder::add(std::span<const std::uint32_t> tokens, std::span<const double> counts,
                         const CellDigest& digest, std::string_view name, std::int32_t donor, std::int32_t dataset) {
  ++shape_.cells;
  shape_.tokens += tokens.size();
  if (token_bytes(shape_.panel_genes) == 2)
    for (const std::uint32_t token : tokens) tokens16_.push_back(static_cast<std::uint16_t>(token));
  else
    tokens32_.insert(tokens32_.end(), tokens.begin(), tokens.end());
  for (const std::uint32_t token : tokens) ++detection_[token];
  if (shape_.has_counts) {
    for (const double count : counts) {
      if (count < kEscape) {
        counts_.push_back(static_cast<std::uint8_t>(count));
        continue;
      }
      counts_.push_back(kEscape);
      escapes_.push_back(static_cast<std::uint32_t>(count));
    }
    shape_.escapes = escapes_.size();
    escape_offsets_.push_back(static_cast<std::uint32_t>(escapes_.size()));
  }
  offsets_.push_back(static_cast<std::uint32_t>(shape_.tokens));
  hashes_.insert(hashes_.end(), {digest.set, digest.counts, digest.order});
  sketches_.insert(sketches_.end(), digest.sketch.begin(), digest.sketch.end());
  donors_.push_back(donor);
  datasets_.push_back(dataset);
  names_.append(name);
  shape_.name_bytes = names_.size();
  name_offsets_.push_back(static_cast<std::uint32_t>(names_.size()));
}

std::vector<std::byte> SegmentBuilder::finish(std::uint64_t& checksums) {
  const SegmentLayout layout = layout_of(shape_);
  std::vector<std::byte> bytes(layout.total);
  const auto put = [&](int section, const auto& values) {
    const auto at = static_cast<std::size_t>(section);
    if (!values.empty()) std::memcpy(bytes.data() + layout.offset[at], values.data(), layout.length[at]);
  };
  put(kOffsets, offsets_);
  if (token_bytes(shape_.panel_genes) == 2)
    put(kTokens, tokens16_);
  else
    put(kTokens, tokens32_);
  put(kCounts, counts_);
  put(kEscapeOffsets, escape_offsets_);
  put(kEscapes, escapes_);
  put(kHashes, hashes_);
  put(kSketch, sketches_);
  put(kDonors, donors_);
  put(kDatasets, datasets_);
  put(kNameOffsets, name_offsets_);
  put(kNames, names_);
  put(kDetection, detection_);
  const std::vector<std::uint64_t> sums = block_checksums(bytes, layout);
  put(kChecksums, sums);
  checksums = checksum(std::as_bytes(std::span(sums)));
  clear();
  return bytes;
}

}  // namespace scvet::sketch
