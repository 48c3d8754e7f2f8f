// Limitations, each with this trial's own facts.
#include <cmath>

#include <fmt/format.h>

#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Document;

namespace {

double width(const Json& pair) {
  return pair.is_array() && pair.size() == 2 ? real(pair[1]) - real(pair[0]) : std::numeric_limits<double>::quiet_NaN();
}

std::string overlap_limit(const TrialView& view) {
  for (const ArmView& arm : view.arms)
    if (at(arm.audits, {"overlap"}).is_object())
      return "Pretraining overlap was audited for " + arm.name +
             " (see the overlap section); nothing was trained again without the exposed cells, so the strata show a dependence and "
             "do not remove it.";
  return "Pretraining overlap was not audited: whether the model's pretraining held these very cells is unknown, and a gain may "
         "come from it.";
}

std::string label_limit(const TrialView& view) {
  for (const ArmView& arm : view.arms) {
    const Json& rho = at(arm.audits, {"cell_count", "rho"});
    if (!rho.is_object()) continue;
    std::string text = fmt::format(
        "The label depends on cell number: Spearman of the number of cells with y is {:.3f}, with y from equal numbers {:.3f}, with y "
        "free of n {:.3f}.",
        real(at(rho, {"n_y"})), real(at(rho, {"n_y_equal"})), real(at(rho, {"n_y_free"})));
    const Json& null_rows = at(arm.audits, {"null_rows"});
    if (null_rows.is_object())
      text += fmt::format(
          " Control cells drawn with the batches of real rows have a mean label of {:.3f}, batches ignored {:.3f}: the "
          "difference is batch.",
          real(at(null_rows, {"matched", "mean"})), real(at(null_rows, {"ungrouped", "mean"})));
    return text;
  }
  return "The label depends on the number of cells of a row and on batch; how much was not measured in this trial (scvet trial posthoc "
         "does).";
}

std::string rows_limit(const TrialView& view) {
  for (const ArmView& arm : view.arms) {
    const double by_row = width(at(arm.posthoc, {"a1", "comparisons", "BASELINE", "phase_mean"}));
    const double by_gene = width(at(arm.posthoc, {"a1g", "comparisons", "BASELINE", "phase_mean"}));
    if (std::isfinite(by_row) && std::isfinite(by_gene))
      return fmt::format(
          "Rows of one target gene are not independent: the test has {} of {}; the interval of Model - Baseline of {} is "
          "{:.4f} wide by row and {:.4f} by target gene.",
          counted(view.manifest.test.rows, "row", "rows"), counted(view.manifest.test.target_genes, "gene", "genes"),
          arm.name, by_row, by_gene);
  }
  return fmt::format(
      "Rows of one target gene are not independent: the test has {} of {}, and no intervals by target gene were computed.",
      counted(view.manifest.test.rows, "row", "rows"), counted(view.manifest.test.target_genes, "gene", "genes"));
}

std::string preprocessing_limit(const TrialView& view) {
  std::string text =
      "An arm is an encoder together with its preprocessing: tokens, normalisation, cut-offs and genes differ between "
      "arms, so a difference between arms is not one between models.";
  for (const ArmView& arm : view.arms) {
    if (!arm.record) continue;
    const auto& extraction = arm.record->extraction;
    if (extraction.genes_matched && extraction.genes_total)
      text += fmt::format(" {}: {} of {} genes matched.", arm.name, *extraction.genes_matched, *extraction.genes_total);
  }
  return text;
}

}  // namespace

std::vector<std::string> limit_texts(const TrialView& view) {
  std::vector<std::string> limits{overlap_limit(view)};
  limits.push_back(fmt::format(
      "One study family: {} with {} and {}. Another laboratory, cell line or screen is not seen.", "one screen",
      counted(view.data.n_cells, "cell", "cells"), counted(view.data.target_genes, "target gene", "target genes")));
  limits.push_back(label_limit(view));
  const auto n_seeds = static_cast<double>(view.protocol.seeds.size());
  limits.push_back(fmt::format("{} seeds make the gate coarse: one seed is {:.0f} percentage points of it.",
                               view.protocol.seeds.size(), 100 / n_seeds));
  limits.push_back(rows_limit(view));
  limits.emplace_back(
      "Frozen representation, one chosen checkpoint: nothing is said about fine-tuning, about other checkpoints, or about "
      "how the checkpoint was chosen.");
  limits.push_back(preprocessing_limit(view));
  limits.emplace_back(
      "Not visible from inside: a folder deleted or restored together with its mirror, another machine or user, labels "
      "computed from the counts outside this program, a representation tuned on the test elsewhere, a changed program. "
      "The remedies are a deposit and an organiser who keeps the test cells (two-party mode).");
  if (view.manifest.underpowered)
    limits.emplace_back(
        "The lock is marked underpowered: its test is too small, or its label too often zero, for the rules to be read "
        "as they were meant.");
  return limits;
}

void add_limits(Document& page, const TrialView& view) {
  page.section("Limitations", "limits");
  page.list(limit_texts(view));
}

}  // namespace scvet::jobs::trial_page
