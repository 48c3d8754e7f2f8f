// Which reference rows hold the same set: found by hash, confirmed on the genes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact_tile.h"
#include "scvet/sketch/cell_sets.h"

namespace scvet::sketch {

// A set that several rows hold.
struct RepeatedSet {
  std::int64_t first = 0, second = 0;  // its two lowest rows
  std::uint32_t rows = 0;
};

class SetGroups {
 public:
  // Takes one entry per row (row -1: empty set). 16 bytes a row.
  explicit SetGroups(std::vector<HashedRow> rows);

  // Reads every row whose hash another row has; false when two different sets share a hash.
  bool confirm(const SetSource& source) const;

  std::int64_t n_distinct() const { return n_distinct_; }
  std::uint32_t multiplicity(std::uint64_t hash) const;
  // Calls body(set, rows) for every set of at least two rows; `rows` ascending.
  template <typename Body>
  void for_repeated(const Body& body) const {
    for (std::size_t at = 0, next = 0; at < rows_.size(); at = next) {
      for (next = at + 1; next < rows_.size() && rows_[next].hash == rows_[at].hash;) ++next;
      if (next - at > 1)
        body(RepeatedSet{rows_[at].row, rows_[at + 1].row, static_cast<std::uint32_t>(next - at)},
             std::span(rows_).subspan(at, next - at));
    }
  }

 private:
  std::size_t find(std::uint64_t hash) const;  // first entry with it, or the end of the table
  std::vector<HashedRow> rows_;                // by hash, then row
  std::vector<std::size_t> starts_;            // first entry of each leading 2^kBits of the hash
  std::int64_t n_distinct_ = 0;
};

}  // namespace scvet::sketch
