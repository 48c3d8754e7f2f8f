// A small screen in memory: random counts of rows, controls and cells of no row, with gaps that the code must not trip on.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/trial/design.h"

namespace scvet::trial::testing {

class MemorySource final : public CellSource {
 public:
  MemorySource(std::vector<std::vector<double>> counts, std::vector<std::string> genes, std::int64_t chunk = 7)
      : counts_(std::move(counts)), chunk_(chunk) {
    var_.names = std::move(genes);
    info_ = {"X", "csr_matrix", "float32", static_cast<std::int64_t>(counts_.size()), var_.rows(), -1};
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return chunk_; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    ++reads_;
    start_chunk(info_, first, count, chunk);
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      const std::vector<double>& row = counts_[static_cast<std::size_t>(cell)];
      for (std::size_t gene = 0; gene < row.size(); ++gene) {
        if (row[gene] == 0 && gene % 5 != 0) continue;  // some explicit zeros
        chunk.genes.push_back(static_cast<std::uint32_t>(gene));
        chunk.values.push_back(row[gene]);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }
  int reads() const { return reads_; }

 private:
  std::vector<std::vector<double>> counts_;
  std::int64_t chunk_;
  MatrixInfo info_;
  Table var_;
  int reads_ = 0;
};

struct SmallScreen {
  Table obs;
  std::vector<std::string> genes;
  std::vector<std::vector<double>> counts;

  MemorySource source() const { return {counts, genes}; }
  Design design() const { return read_design(obs, {}, "small.h5ad"); }
  // The same screen with cells and genes in another order.
  SmallScreen shuffled(unsigned seed) const {
    std::mt19937 random(seed);
    std::vector<std::int64_t> cells(counts.size());
    std::vector<std::size_t> order(genes.size());
    for (std::size_t at = 0; at < cells.size(); ++at) cells[at] = static_cast<std::int64_t>(at);
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    std::shuffle(cells.begin(), cells.end(), random);
    std::shuffle(order.begin(), order.end(), random);
    SmallScreen other;
    other.obs = select_rows(obs, cells);
    for (const std::size_t gene : order) other.genes.push_back(genes[gene]);
    for (const std::int64_t cell : cells) {
      std::vector<double>& row = other.counts.emplace_back();
      for (const std::size_t gene : order) row.push_back(counts[static_cast<std::size_t>(cell)][gene]);
    }
    return other;
  }
};

// 20 rows of 4 to 23 cells, 60 controls, 5 cells without a target, scattered; 40 genes: gene 3 is never seen, gene 4 only
// in controls, gene 5 goes far above 255, gene 6 is the same in every cell. Cell 11 has no counts at all.
inline SmallScreen small_screen() {
  std::mt19937 random(5);
  SmallScreen screen;
  std::vector<std::string> rows, targets, batches;
  const auto add = [&](const std::string& row, const std::string& target) {
    rows.push_back(row);
    targets.push_back(target);
    batches.push_back("g" + std::to_string(random() % 3));
  };
  for (int row = 0; row < 20; ++row)
    for (int cell = 0; cell < 4 + row; ++cell) add("r" + std::to_string(row), "t" + std::to_string(row / 2));
  for (int cell = 0; cell < 60; ++cell) add("nt", "non-targeting");
  for (int cell = 0; cell < 5; ++cell) add("lost", "");
  for (std::size_t cell = 0; cell < rows.size(); ++cell)
    screen.obs.names.push_back("c" + std::to_string(random() % 1000) + "_" + std::to_string(cell));
  for (int gene = 0; gene < 40; ++gene) screen.genes.push_back("g" + std::to_string((gene * 17) % 40));
  for (std::size_t cell = 0; cell < rows.size(); ++cell) {
    std::vector<double>& row = screen.counts.emplace_back(40, 0.0);
    for (std::size_t gene = 0; gene < row.size(); ++gene) {
      const double rate = gene % 7 == 0 && targets[cell] == "t3" ? 4 : 0.2 + 0.1 * static_cast<double>(gene % 9);
      row[gene] = std::poisson_distribution<int>(rate)(random);
      if (gene == 5) row[gene] = static_cast<double>(random() % 4000);
    }
    row[3] = 0;
    if (targets[cell] != "non-targeting") row[4] = 0;
    row[6] = 2;
  }
  screen.obs.columns = {string_column("gene_transcript", rows), string_column("target_gene", targets),
                        string_column("gem_group", batches)};
  std::vector<std::int64_t> order(rows.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = static_cast<std::int64_t>(at);
  std::shuffle(order.begin(), order.end(), random);
  SmallScreen mixed{select_rows(screen.obs, order), screen.genes, {}};
  for (const std::int64_t cell : order) mixed.counts.push_back(screen.counts[static_cast<std::size_t>(cell)]);
  std::fill(mixed.counts[11].begin(), mixed.counts[11].end(), 0.0);
  return mixed;
}

}  // namespace scvet::trial::testing
