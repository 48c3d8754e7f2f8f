// Cells of a stated number of genes out of a panel, for the measurements: genes by a falling frequency, counts as
// counts fall in droplet data (most 1). Types share a third of their genes, so that neighbours exist.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/data/gene_panel.h"
#include "scvet/data/rank_encoding.h"

namespace scvet::sketch {

constexpr std::uint32_t kSyntheticGenes = 25000;

inline GenePanel synthetic_panel() {
  std::vector<PanelGene> genes;
  for (std::uint32_t gene = 0; gene < kSyntheticGenes; ++gene) {
    char id[24];
    std::snprintf(id, sizeof id, "ENSG%011u", 100000 + gene);
    genes.push_back({id, ""});
  }
  return GenePanel(std::move(genes), "human");
}

class SyntheticCells {
 public:
  SyntheticCells(int n_genes, std::uint64_t seed) : n_genes_(n_genes), seed_(seed) {
    // Thresholds of detection per type: gene g is detected with probability ~ w_g, scaled to n_genes a cell.
    for (int type = 0; type < kTypes; ++type) {
      Stream random(mix(seed ^ static_cast<std::uint64_t>(type + 1)));
      std::vector<double> weights(kSyntheticGenes);
      for (std::uint32_t gene = 0; gene < kSyntheticGenes; ++gene) {
        const std::uint64_t shared = mix(seed ^ (std::uint64_t{gene} << 20)) % kSyntheticGenes;
        const std::uint64_t own = random.below(kSyntheticGenes);
        weights[gene] = 1.0 / (1.0 + static_cast<double>(gene % 3 ? shared : own) / 400.0);
      }
      probabilities_.push_back(scaled(weights));
    }
  }

  CellBatch batch(std::int64_t first, std::int64_t count) const {
    std::vector<std::vector<std::uint32_t>> tokens(static_cast<std::size_t>(count));
    std::vector<std::vector<double>> values(static_cast<std::size_t>(count));
    parallel_for(count, [&](std::int64_t cell, int) {
      make(first + cell, tokens[static_cast<std::size_t>(cell)], values[static_cast<std::size_t>(cell)]);
    });
    CellBatch all;
    for (std::size_t cell = 0; cell < tokens.size(); ++cell) {
      all.tokens.insert(all.tokens.end(), tokens[cell].begin(), tokens[cell].end());
      all.values.insert(all.values.end(), values[cell].begin(), values[cell].end());
      all.indptr.push_back(static_cast<std::int64_t>(all.tokens.size()));
      all.totals.push_back(1e4);
    }
    return all;
  }

 private:
  static constexpr int kTypes = 12;

  std::vector<std::uint32_t> scaled(const std::vector<double>& weights) const {
    double low = 0, high = 1e6;
    for (int step = 0; step < 100; ++step) {
      const double middle = (low + high) / 2;
      double expected = 0;
      for (const double weight : weights) expected += 1 - std::exp(-middle * weight);
      (expected < n_genes_ ? low : high) = middle;
    }
    std::vector<std::uint32_t> thresholds;
    for (const double weight : weights)
      thresholds.push_back(static_cast<std::uint32_t>((1 - std::exp(-low * weight)) * 4294967295.0));
    return thresholds;
  }

  void make(std::int64_t cell, std::vector<std::uint32_t>& tokens, std::vector<double>& values) const {
    const auto& thresholds =
        probabilities_[static_cast<std::size_t>(mix(seed_ ^ static_cast<std::uint64_t>(cell)) % kTypes)];
    Stream random(mix(seed_ + static_cast<std::uint64_t>(cell) * kGolden));
    for (std::uint32_t gene = 0; gene < kSyntheticGenes; gene += 2) {
      const std::uint64_t bits = random.next();
      for (std::uint32_t half = 0; half < 2 && gene + half < kSyntheticGenes; ++half) {
        const auto draw = static_cast<std::uint32_t>(bits >> (32 * half));
        const std::uint32_t threshold = thresholds[gene + half];
        if (draw >= threshold) continue;
        tokens.push_back(gene + half);
        // The lower the draw under its threshold, the higher the count: a falling tail.
        const double depth = static_cast<double>(threshold) / (static_cast<double>(draw) + 1);
        values.push_back(std::min(5000.0, std::floor(1 + std::log2(depth) * (threshold > 3000000000u ? 4 : 1))));
      }
    }
  }

  int n_genes_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint32_t>> probabilities_;
};

}  // namespace scvet::sketch
