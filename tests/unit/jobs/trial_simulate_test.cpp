#include "scvet/jobs/trial_simulate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace scvet::jobs {
namespace {

TrialSimulationOptions small() { return {.n_targets = 12, .n_nontargeting = 40, .n_genes = 80}; }

std::vector<double> values_of(TrialSimulation& simulation) {
  MemoryCells& counts = *simulation.screen.counts;
  CellChunk chunk;
  counts.read(0, counts.info().n_cells, chunk);
  std::vector<double> values(chunk.values.begin(), chunk.values.end());
  values.insert(values.end(), chunk.genes.begin(), chunk.genes.end());
  return values;
}

TEST(TrialSimulation, TheSameSeedGivesTheSameScreenAndAnotherSeedAnother) {
  TrialSimulation once = simulate_trial(small()), again = simulate_trial(small());
  EXPECT_EQ(values_of(once), values_of(again));
  EXPECT_EQ(once.screen.obs.names, again.screen.obs.names);
  for (std::size_t at = 0; at < 2; ++at) EXPECT_EQ(once.embeddings[at].values, again.embeddings[at].values);
  TrialSimulationOptions other = small();
  other.seed = 43;
  TrialSimulation third = simulate_trial(other);
  EXPECT_NE(values_of(once), values_of(third));
}

TEST(TrialSimulation, RowsHaveTheCellsThatTheTrialAsksForAndOneTarget) {
  const TrialSimulationOptions options = small();
  const TrialSimulation simulation = simulate_trial(options);
  const Column& row = *simulation.screen.obs.find("gene_transcript");
  const Column& target = *simulation.screen.obs.find("target_gene");
  std::map<std::string, int> cells;
  std::map<std::string, std::set<std::string>> targets;
  for (std::int64_t cell = 0; cell < simulation.screen.obs.rows(); ++cell) {
    ++cells[row.text(cell)];
    targets[row.text(cell)].insert(target.text(cell));
  }
  EXPECT_EQ(cells.size(), 25u);  // two guides of twelve targets, and the control
  EXPECT_EQ(cells["non-targeting"], options.n_nontargeting);
  for (const auto& [name, n] : cells) {
    EXPECT_EQ(targets[name].size(), 1u) << name;
    if (name != "non-targeting") {
      EXPECT_GE(n, options.min_cells) << name;
      EXPECT_LE(n, options.max_cells) << name;
    }
  }
}

TEST(TrialSimulation, EveryCellHasCountsAndBothEmbeddings) {
  TrialSimulation simulation = simulate_trial(small());
  MemoryCells& counts = *simulation.screen.counts;
  CellChunk chunk;
  counts.read(0, counts.info().n_cells, chunk);
  for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    EXPECT_GT(chunk.indptr[at + 1], chunk.indptr[at]) << cell;
  }
  for (const double value : chunk.values) EXPECT_EQ(value, static_cast<double>(static_cast<std::int64_t>(value)));
  ASSERT_EQ(simulation.embeddings.size(), 2u);
  EXPECT_EQ(simulation.embeddings[0].name, "X_informed");
  EXPECT_EQ(simulation.embeddings[1].name, "X_noise");
  for (const Embedding& embedding : simulation.embeddings) {
    EXPECT_EQ(embedding.n_cells, counts.info().n_cells);
    EXPECT_EQ(embedding.values.size(), static_cast<std::size_t>(embedding.n_cells * embedding.n_dims));
  }
}

}  // namespace
}  // namespace scvet::jobs
