// Nested subsamples of rows, and references seen through one.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scvet/sketch/cell_sets.h"

namespace scvet::audit {

// The `size` rows of 0..n_rows-1 with the smallest (mix(seed ^ row), row), ascending; all when there are no more. A
// smaller subsample lies inside a larger one.
std::vector<std::int64_t> nested_rows(std::int64_t n_rows, std::int64_t size, std::uint64_t seed);

// Some rows of another source, which must outlive it.
class SubsampleSource : public sketch::SetSource {
 public:
  SubsampleSource(const sketch::SetSource& source, std::vector<std::int64_t> rows)
      : source_(source), rows_(std::move(rows)) {}
  std::int64_t n_cells() const override { return static_cast<std::int64_t>(rows_.size()); }
  std::uint32_t n_tokens() const override { return source_.n_tokens(); }
  bool has_counts(std::int64_t row) const override { return source_.has_counts(of(row)); }
  void read(std::int64_t row, sketch::CellSet& cell) const override { source_.read(of(row), cell); }
  void read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const override {
    source_.read_tokens(of(row), tokens);
  }
  std::span<const std::uint64_t> sketch_keys() const override { return source_.sketch_keys(); }
  sketch::StoredSketches stored_sketches(std::int64_t row) const override;
  void forget(std::int64_t first, std::int64_t count) const override {
    if (count > 0) source_.forget(of(first), of(first + count - 1) - of(first) + 1);
  }

 private:
  std::int64_t of(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)]; }
  const sketch::SetSource& source_;
  std::vector<std::int64_t> rows_;
};

}  // namespace scvet::audit
