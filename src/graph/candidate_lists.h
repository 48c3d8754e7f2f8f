// Of each query the references that may still be among its nearest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "found.h"
#include "neighbour_kernel.h"
#include "packed_rows.h"

namespace scvet::graph {

// The score of reference j for query i is z_i . z_j - |z_j|^2 / 2: the larger, the nearer. A candidate's score is known
// to lie within [lower, lower + 2 error]. The k-th largest lower end seen so far is a floor: whoever's upper end is below
// it is not among the k nearest.
template <class T>
class CandidateLists {
 public:
  struct Scratch {
    std::vector<float> lowers;
    std::vector<std::uint32_t> cells;
    std::vector<double> distances;
    std::vector<Found> found;
  };

  // For queries first .. first + rows, k >= 1 neighbours each. Queries and references go by their places in the packed
  // rows; what is found, by the rows of the matrices.
  CandidateLists(const NeighbourKernel& kernel, MatrixView<const T> queries, MatrixView<const T> references,
                 const PackedRows& packed_queries, const PackedRows& packed_references, double scale, std::int64_t k,
                 std::int64_t first, std::int64_t rows)
      : kernel_(kernel),
        queries_(queries),
        references_(references),
        packed_queries_(packed_queries),
        packed_references_(packed_references),
        scale_(scale),
        product_bound_(product_bound(queries.cols)),
        double_bound_(double_bound(queries.cols)),
        k_(k),
        capacity_(capacity(k)),
        first_(first),
        entries_(static_cast<std::size_t>(rows * capacity_)),
        counts_(static_cast<std::size_t>(rows), 0),
        floors_(static_cast<std::size_t>(rows), -std::numeric_limits<double>::infinity()),
        thresholds_(rows) {
    for (std::int64_t row = 0; row < rows; ++row)
      thresholds_[row] =
          first + row < queries.rows ? std::numeric_limits<float>::lowest() : std::numeric_limits<float>::infinity();
  }

  static std::int64_t capacity(std::int64_t k) { return 2 * k + 64; }
  static std::int64_t bytes(std::int64_t k, std::int64_t rows) {
    return rows * capacity(k) * static_cast<std::int64_t>(sizeof(Entry));
  }

  // Of the query and those after it, for the kernel.
  const float* thresholds(std::int64_t query) const { return thresholds_.data() + (query - first_); }

  // No reference of which the squared distance to all of these queries (in the frame's units) is larger can be needed.
  double reach(std::int64_t query, std::int64_t rows) const {
    double square = 0;
    for (std::int64_t row = query; row < query + rows; ++row)
      square = std::max(square, 2 * (packed_queries_.half[static_cast<std::size_t>(row)] -
                                     floors_[static_cast<std::size_t>(row - first_)]));
    return square * (1 + 1e-9);
  }

  void consider(std::int64_t query, std::int64_t reference, double product, Scratch& scratch) {
    const double score = product - packed_references_.half[static_cast<std::size_t>(reference)];
    const double error = error_of(query, reference);
    const auto at = static_cast<std::size_t>(query - first_);
    if (score + error < floors_[at]) return;
    Entry* const entries = entries_.data() + static_cast<std::int64_t>(at) * capacity_;
    entries[counts_[at]++] = {static_cast<float>(score - error), static_cast<std::uint32_t>(reference)};
    if (counts_[at] == capacity_) prune(query, scratch);
  }

  // The nearest `k` in order.
  const std::vector<Found>& finish(std::int64_t query, Scratch& scratch) {
    const std::int64_t surplus = counts_[static_cast<std::size_t>(query - first_)] - k_;
    if (surplus * references_.cols > kWorthSorting) raise_floor(query, scratch);
    measure(query, scratch);
    return scratch.found;
  }

 private:
  struct Entry {
    float lower;
    std::uint32_t reference;
  };

  double error_of(std::int64_t query, double reference_norm, double reference_half) const {
    const auto at = static_cast<std::size_t>(query);
    return product_bound_ * packed_queries_.norm[at] * reference_norm + kTiny +
           2 * double_bound_ * (packed_queries_.half[at] + reference_half);
  }
  double error_of(std::int64_t query, std::int64_t reference) const {
    const auto at = static_cast<std::size_t>(reference);
    return error_of(query, packed_references_.norm[at], packed_references_.half[at]);
  }

  void raise_floor(std::int64_t query, Scratch& scratch) {
    const auto at = static_cast<std::size_t>(query - first_);
    if (counts_[at] <= k_) return;
    Entry* const entries = entries_.data() + static_cast<std::int64_t>(at) * capacity_;
    scratch.lowers.resize(static_cast<std::size_t>(counts_[at]));
    for (std::int64_t entry = 0; entry < counts_[at]; ++entry)
      scratch.lowers[static_cast<std::size_t>(entry)] = entries[entry].lower;
    const auto kth = scratch.lowers.begin() + (k_ - 1);
    std::nth_element(scratch.lowers.begin(), kth, scratch.lowers.end(), std::greater<float>());
    const double floor = static_cast<double>(*kth) - kFloat * std::abs(static_cast<double>(*kth));
    set_floor(at, std::max(floors_[at], floor));
    // Most entries are judged by the largest error of all; those between need their own.
    const double most = 2 * error_of(query, packed_references_.largest_norm, packed_references_.largest_half);
    std::int64_t kept = 0;
    for (std::int64_t entry = 0; entry < counts_[at]; ++entry) {
      const Entry one = entries[entry];
      const double lower = static_cast<double>(one.lower) + kFloat * std::abs(static_cast<double>(one.lower));
      bool stays = lower + most >= floors_[at];
      if (stays && lower < floors_[at]) stays = lower + 2 * error_of(query, one.reference) >= floors_[at];
      entries[kept] = one;
      kept += stays;
    }
    counts_[at] = kept;
  }

  // Where errors are large beside the distances, the bounds cannot tell candidates apart, but their distances can.
  void prune(std::int64_t query, Scratch& scratch) {
    raise_floor(query, scratch);
    const auto at = static_cast<std::size_t>(query - first_);
    if (counts_[at] <= k_ + 32) return;
    measure(query, scratch);
    const double own = packed_queries_.half[static_cast<std::size_t>(query)];
    const double distance = scratch.found.back().distance * scale_;
    set_floor(at, std::max(floors_[at],
                           own - distance * distance / 2 * (1 + 4 * double_bound_) - 4 * double_bound_ * own - kTiny));
    Entry* const entries = entries_.data() + static_cast<std::int64_t>(at) * capacity_;
    std::sort(scratch.found.begin(), scratch.found.end(),
              [](const Found& a, const Found& b) { return a.cell < b.cell; });
    const auto dropped = [&](const Entry& entry) {
      return !std::binary_search(scratch.found.begin(), scratch.found.end(),
                                 Found{0, packed_references_.order[entry.reference]},
                                 [](const Found& a, const Found& b) { return a.cell < b.cell; });
    };
    counts_[at] = std::remove_if(entries, entries + counts_[at], dropped) - entries;
  }

  // scratch.found: the k nearest of the candidates, in order.
  void measure(std::int64_t query, Scratch& scratch) const {
    const auto at = static_cast<std::size_t>(query - first_);
    const Entry* const entries = entries_.data() + static_cast<std::int64_t>(at) * capacity_;
    const auto count = static_cast<std::size_t>(counts_[at]);
    scratch.cells.resize(count);
    scratch.distances.resize(count);
    scratch.found.resize(count);
    for (std::size_t entry = 0; entry < count; ++entry)
      scratch.cells[entry] = packed_references_.order[entries[entry].reference];
    kernel_.exact(queries_.row(packed_queries_.order[static_cast<std::size_t>(query)]), references_,
                  scratch.cells.data(), counts_[at], scratch.distances.data());
    for (std::size_t entry = 0; entry < count; ++entry)
      scratch.found[entry] = {scratch.distances[entry], scratch.cells[entry]};
    const auto nearest = scratch.found.begin() + std::min(k_, counts_[at]);
    if (nearest != scratch.found.end()) std::nth_element(scratch.found.begin(), nearest, scratch.found.end());
    std::sort(scratch.found.begin(), nearest);
    scratch.found.erase(nearest, scratch.found.end());
  }

  void set_floor(std::size_t at, double floor) {
    floors_[at] = floor;
    const double own = packed_queries_.half[static_cast<std::size_t>(first_) + at];
    const double below = floor - 4 * kFloat * (std::abs(floor) + own) - 2 * kTiny;
    thresholds_[static_cast<std::int64_t>(at)] = static_cast<float>(below);
  }

  static constexpr std::int64_t kWorthSorting = 8192;  // numbers that are read sooner than a floor is found
  static constexpr double kFloat = 0x1p-23;            // twice the rounding of a float32

  const NeighbourKernel& kernel_;
  MatrixView<const T> queries_, references_;
  const PackedRows &packed_queries_, &packed_references_;
  double scale_, product_bound_, double_bound_;
  std::int64_t k_, capacity_, first_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> counts_;
  std::vector<double> floors_;
  AlignedBuffer<float> thresholds_;
};

}  // namespace scvet::graph
