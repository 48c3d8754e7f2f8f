// The spacing test of same_cell on one pool, and the ordinary level that its lift is measured against (docs/audit.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scvet/audit/outcome.h"

namespace scvet::audit {

// J descending by the exact fraction; ties: reference first, then row.
bool before(const PoolEntry& a, const PoolEntry& b);

// The best `top` of two ordered lists.
std::vector<PoolEntry> merge_pool(std::span<const sketch::Neighbour> references,
                                  std::span<const sketch::Neighbour> others, std::size_t top);

// Distinct entries in a cell's pool, those that share no gene with it included. n_other_distinct counts the distinct
// sets of the whole benchmark, the cell's own among them.
std::int64_t pool_entries(std::int64_t n_reference_distinct, std::int64_t n_other_distinct,
                          std::span<const sketch::Neighbour> others);

// J of the entry at `index` (from 0): 0 beyond the end, where entries share no gene.
double jaccard_at(std::span<const PoolEntry> pool, std::size_t index);

struct GapResult {
  std::array<double, kMaxCopies> p_d;  // NaN beyond max_copies
  int d = 0;                           // smallest minimiser; 0: not tested
  double p = kNaN;
  double level = kNaN;       // J(d)
  double background = kNaN;  // J(d + 1)
  bool reference = false;    // a reference entry among the first d
};
// Not tested (NaN) where the pool has fewer than k + 1 entries.
GapResult gap_test(std::span<const PoolEntry> pool, std::int64_t n_entries, int k, int max_copies);

// Regression of the background on the cell's size over every tested cell (NaN background: not tested).
LiftFit fit_lift(std::span<const std::uint32_t> size, std::span<const double> background);
// How far J stands above the ordinary level of cells of this size, in robust standard deviations; NaN where there is no
// fit or no spread.
double lift_of(const LiftFit& fit, std::uint32_t size, double jaccard);

}  // namespace scvet::audit
