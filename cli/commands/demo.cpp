#include <cstdio>
#include <memory>
#include <string>

#include "command.h"
#include "scvet/jobs/demo.h"

namespace scvet::cli {
namespace {

void run_audit(const CommonFlags& common) {
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
}

void run_trial(const CommonFlags& common) {
  const jobs::TrialDemoResult result = jobs::run_trial_demo({.outdir = common.outdir, .seed = common.seed});
  for (const jobs::TrialArmSummary& arm : result.arms) {
    std::printf("arm %s: %s\n", arm.arm.c_str(), arm.model.c_str());
    for (const jobs::TrialAnswer& answer : arm.answers)
      std::printf("  %-11s  %s %s\n", answer.answer.c_str(), answer.question.c_str(), answer.numbers.c_str());
    std::printf("  headline: %s\n  verdict: %s\n", arm.headline.c_str(), arm.sentence.c_str());
  }
  std::printf("report: %s\n", result.report.c_str());
}

std::function<void()> add_demo(CLI::App& app, const CommonFlags& common) {
  const auto job = std::make_shared<std::string>("audit");
  app.add_option("--job", *job, "what to show")->check(CLI::IsMember({"audit", "trial"}))->capture_default_str();
  app.footer(
      R"(audit: simulates a corpus of two studies and a benchmark with planted copies, strangers, a rare type and unrelated
cells, audits one against the other, and prints what was found beside what was planted.
trial: simulates a Perturb-seq screen with two embeddings, one that knows what the perturbations do and one that knows
nothing, takes both through a locked trial, and prints the three answers and the verdict of each.
Each is done in under a minute.

Examples:
  scvet demo --outdir /tmp/demo
  scvet demo --job trial --outdir /tmp/demo-trial

The audit writes to results/demo (or --outdir): study_a.h5ad, study_b.h5ad, benchmark.h5ad (obs column 'planted' holds
the truth), demo.corpus, and the audit under audit/ with report.html. The trial writes to results/demo-trial:
screen.h5ad, overlap.csv, and the locked trial under trial/ with report.html; a trial of an earlier demo there is replaced.)");
  return [&common, job] { *job == "trial" ? run_trial(common) : run_audit(common); };
}

}  // namespace

extern const CommandRecord demo_command = {
    "demo", "make small data with a known truth, audit them or put them to a locked trial, compare", add_demo};

}  // namespace scvet::cli
