// Simulated cells for the audit's tests: each type has heavy-tailed gene shares, a cell is a draw of molecules.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/base/random.h"
#include "scvet/sketch/cell_sets.h"
#include "unit/audit/naive_engine.h"

namespace scvet::audit::testing {

class Population {
 public:
  Population(std::uint64_t seed, int n_types, std::uint32_t n_genes = 1500, double type_strength = .8)
      : seed_(seed), n_genes_(n_genes) {
    Stream base(stream_key(seed, 1));
    std::vector<double> common;
    for (std::uint32_t gene = 0; gene < n_genes; ++gene) common.push_back(1.5 * normal(base));
    for (int type = 0; type < n_types; ++type) {
      Stream own(stream_key(seed, 100 + static_cast<std::uint64_t>(type)));
      std::vector<double> sums;
      double sum = 0;
      for (std::uint32_t gene = 0; gene < n_genes; ++gene)
        sums.push_back(sum += std::exp(common[gene] + type_strength * normal(own)));
      cumulative_.push_back(std::move(sums));
    }
  }
  std::uint32_t n_genes() const { return n_genes_; }

  // Cell `index` of a type; molecules about `depth`, spread by a factor.
  sketch::CellSet cell(int type, std::uint64_t index, double depth = 1500) const {
    Stream stream(stream_key(seed_ ^ 0x51AB, index * 64 + static_cast<std::uint64_t>(type) + 1));
    const std::vector<double>& sums = cumulative_[static_cast<std::size_t>(type)];
    const auto molecules = static_cast<int>(depth * std::exp(.3 * normal(stream)));
    std::vector<std::uint32_t> counts(n_genes_, 0);
    const double* first = sums.data();
    for (int molecule = 0; molecule < molecules; ++molecule)
      ++counts[static_cast<std::size_t>(std::lower_bound(first, first + n_genes_, stream.unit() * sums.back()) -
                                        first)];
    return ranked(counts);
  }
  // Each molecule kept with probability `kept`.
  sketch::CellSet thinned(const sketch::CellSet& cell, double kept, std::uint64_t key) const {
    Stream stream(stream_key(seed_ ^ 0x7417, key + 1));
    std::vector<std::uint32_t> counts(n_genes_, 0);
    for (std::size_t at = 0; at < cell.tokens.size(); ++at)
      for (std::uint32_t molecule = 0; molecule < cell.counts[at]; ++molecule)
        counts[cell.tokens[at]] += stream.unit() < kept;
    return ranked(counts);
  }

 private:
  static double normal(Stream& stream) {
    const double radius = std::sqrt(-2 * std::log(1 - stream.unit()));
    return radius * std::cos(2 * std::numbers::pi * stream.unit());
  }
  static sketch::CellSet ranked(const std::vector<std::uint32_t>& counts) {
    sketch::CellSet cell;
    for (std::size_t gene = 0; gene < counts.size(); ++gene)
      if (counts[gene] > 0) cell.tokens.push_back(static_cast<std::uint16_t>(gene));
    std::stable_sort(cell.tokens.begin(), cell.tokens.end(),
                     [&](std::uint16_t a, std::uint16_t b) { return counts[a] > counts[b]; });
    for (const std::uint16_t token : cell.tokens) cell.counts.push_back(counts[token]);
    return cell;
  }
  std::uint64_t seed_;
  std::uint32_t n_genes_;
  std::vector<std::vector<double>> cumulative_;
};

inline AuditOptions test_options() {
  AuditOptions options;
  options.engine = &naive_engine;
  return options;
}

inline sketch::CellSet without_counts(sketch::CellSet cell) {
  cell.counts.clear();
  return cell;
}

}  // namespace scvet::audit::testing
