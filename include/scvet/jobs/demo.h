// `scvet demo`: makes a small corpus and benchmark with a known truth, audits one against the other, and compares what
// was found with what was planted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/jobs/trial_report.h"

namespace scvet::jobs {

struct DemoOptions {
  std::string outdir;  // "" = results/demo
  std::uint64_t seed = 42;
};

// Cells of one planted kind and what the audit said of them.
struct DemoRow {
  std::string planted;  // exact, thinned, stranger, rare, unrelated
  std::string meaning;
  std::int64_t n_cells = 0, n_exact = 0, n_same_cell = 0, n_suspect = 0, n_undecidable = 0, n_right_cell = 0;
};

struct DemoResult {
  std::string folder, report, verdict;
  std::vector<DemoRow> rows;
};

DemoResult run_demo(const DemoOptions& options);

// `scvet demo --job trial`: simulates a Perturb-seq screen with two embeddings, one that knows what the perturbations do
// and one that knows nothing, and takes both through a locked trial.
struct TrialDemoResult {
  std::string folder, trial, report;
  std::vector<TrialArmSummary> arms;
};
TrialDemoResult run_trial_demo(const DemoOptions& options);

}  // namespace scvet::jobs
