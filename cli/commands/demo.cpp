#include <cstdio>

#include "command.h"
#include "scvet/jobs/demo.h"

namespace scvet::cli {
namespace {

std::function<void()> add_demo(CLI::App& app, const CommonFlags& common) {
  app.footer(
      R"(Simulates a corpus of two studies and a benchmark with planted copies, strangers, a rare type and unrelated
cells, audits one against the other, and prints what was found beside what was planted. Under a minute.

Example:
  scvet demo --outdir /tmp/demo

Writes to results/demo (or --outdir): study_a.h5ad, study_b.h5ad, benchmark.h5ad (obs column 'planted' holds the truth),
demo.corpus, and the audit under audit/ with report.html.)");
  return [&common] {
    const jobs::DemoResult result = jobs::run_demo({.outdir = common.outdir, .seed = common.seed});
    std::printf("%-10s %6s %7s %10s %8s %12s %11s  %s\n", "planted", "cells", "exact", "same_cell", "suspect",
                "undecidable", "right cell", "what they are");
    for (const jobs::DemoRow& row : result.rows)
      std::printf("%-10s %6lld %7lld %10lld %8lld %12lld %11lld  %s\n", row.planted.c_str(),
                  static_cast<long long>(row.n_cells), static_cast<long long>(row.n_exact),
                  static_cast<long long>(row.n_same_cell), static_cast<long long>(row.n_suspect),
                  static_cast<long long>(row.n_undecidable), static_cast<long long>(row.n_right_cell),
                  row.meaning.c_str());
    std::printf("verdict: %s\nreport: %s\n", result.verdict.c_str(), result.report.c_str());
  };
}

}  // namespace

extern const CommandRecord demo_command = {
    "demo", "make a small corpus and benchmark with a known truth, audit them, compare", add_demo};

}  // namespace scvet::cli
