// A small Perturb-seq screen with a known truth, for `scvet demo --job trial` and for tests.
//
// Count model. Gene g has a base rate exp(1.2 z_g). Each latent programme changes the log rates of genes of one level of
// expression; a perturbation moves one or two programmes up or down (a fifth of the targets none), and the guides of one
// target share them at different strength. A cell's depth is exp(N(log depth, 0.3)); counts are Poisson. All draws come
// from base/random, keyed by (seed, purpose, index).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/jobs/simulate.h"

namespace scvet::jobs {

struct TrialSimulationOptions {
  std::uint64_t seed = 42;
  int n_targets = 350;
  int guides_per_target = 2;           // rows of a target
  int min_cells = 10, max_cells = 16;  // of a row
  int n_nontargeting = 1200;
  int n_genes = 1000;
  int n_programmes = 8;
  int n_batches = 4;
  double depth = 2500;  // median molecules a cell
};

struct TrialSimulation {
  SimulatedFile screen;               // obs: gene_transcript, target_gene, gem_group
  std::vector<Embedding> embeddings;  // X_informed: the cells' programmes; X_noise: numbers that know nothing
};

TrialSimulation simulate_trial(const TrialSimulationOptions& options);

}  // namespace scvet::jobs
