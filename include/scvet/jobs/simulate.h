// A small corpus and benchmark with a known truth, for `scvet demo` and for tests.
//
// Count model. Gene g has a base rate exp(1.6 z_g) (heavy-tailed, as in real panels). A cell type multiplies a tenth of
// the genes by exp(1.3 z), a donor multiplies every gene by exp(0.25 z), a study by exp(0.15 z). A cell's depth is
// exp(N(log depth, 0.35)). Counts are Poisson with the rate depth * share_g * gamma noise of shape 2 and mean 1 (a
// negative binomial of dispersion 1/2). All draws come from base/random, keyed by (seed, purpose, index).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scvet/data/memory_cells.h"
#include "scvet/data/table.h"

namespace scvet::jobs {

struct SimulationOptions {
  std::uint64_t seed = 42;
  int n_genes = 3000;
  int n_types = 6;  // common types in the corpus
  int donors_per_study = 4;
  int cells_per_study = 2400;  // two studies make the corpus
  double depth = 2600;         // median molecules a cell
  int exact_copies = 60;
  int thinned_copies = 60;                  // each molecule kept with probability 0.6
  int strangers = 240;                      // same types and donors as the corpus, other cells
  int rare_corpus = 5, rare_benchmark = 8;  // a type of 5 corpus cells and 8 other cells
  int unrelated = 120;                      // types that the corpus lacks
};

struct SimulatedFile {
  std::string name;  // "study_a"
  Table obs;         // cell_type, donor_id, batch_id, dataset_id; benchmark: also `planted`
  std::unique_ptr<MemoryCells> counts;
};

struct Simulation {
  std::vector<SimulatedFile> corpus;  // study_a, study_b
  SimulatedFile benchmark;
  // Per benchmark cell: exact, thinned, stranger, rare, unrelated; and the name of the corpus cell it was made from.
  std::vector<std::string> planted, source_cell;
};

Simulation simulate(const SimulationOptions& options);

}  // namespace scvet::jobs
