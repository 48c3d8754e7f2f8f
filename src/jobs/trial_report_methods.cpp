// A Methods paragraph that a paper can take as it stands, and the machine-readable summary.
#include <fmt/format.h>

#include "scvet/base/text.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Document;

namespace {

std::string baseline_text(const trial::Protocol& protocol) {
  switch (protocol.baseline) {
    case trial::BaselineForm::kRidgeResidual:
      return "a ridge regression of the label on four magnitude summaries of the expression change (mean, scaled length, signed "
             "maximum, standard deviation) plus a ridge regression of its residual on the unit vector of the change";
    case trial::BaselineForm::kRidgeDirect:
      return "a ridge regression of the label on the unit vector of the expression change";
    case trial::BaselineForm::kMlpResidual:
      return "the magnitude ridge plus a network of the same form on the unit vector of the expression change";
  }
  return "";
}

std::string data_text(const TrialView& view) {
  return fmt::format(
      "Frozen representations were evaluated in a locked trial (scvet {}; lock {}; protocol {}). The screen holds {} cells with {} "
      "non-targeting control cells and {} genes; {} perturbations ({}) with at least {} cells, of {} target genes, were used ({} "
      "excluded). The label of a perturbation is log1p of the mean over genes of the normalised two-sample Anderson-Darling statistic "
      "(midranks) of its cells' raw counts against all control cells, negative means set to 0. Target genes were divided into train, "
      "val and test ({}, {} and {} genes; {}, {} and {} rows) with split seed {} ({}); no gene lies in two parts. ",
      view.manifest.software_version, view.lock_id.substr(0, 12), view.manifest.protocol_sha256.substr(0, 12),
      format_count(view.data.n_cells), format_count(view.data.n_nt), format_count(view.data.n_genes),
      format_count(view.data.rows_eligible), view.data.row_key, view.protocol.min_cells,
      format_count(view.data.target_genes), format_count(view.data.rows_excluded),
      format_count(view.manifest.train.target_genes), format_count(view.manifest.val.target_genes),
      format_count(view.manifest.test.target_genes), format_count(view.manifest.train.rows),
      format_count(view.manifest.val.rows), format_count(view.manifest.test.rows),
      view.manifest.split_seed ? std::to_string(*view.manifest.split_seed) : "none",
      view.manifest.split_origin == "derived" ? "derived from data and protocol" : view.manifest.split_origin);
}

std::string predictors_text(const TrialView& view) {
  const trial::Protocol& protocol = view.protocol;
  return fmt::format(
      "The expression change of a perturbation is the mean log1p count per 10,000 of its cells minus that of the control cells. The "
      "baseline is {}, with penalties chosen by {}-fold cross-validation grouped by target gene within train. Representations enter as "
      "the unit vector of the mean embedding of a perturbation's cells minus that of the control cells. A network ({} and {} hidden "
      "units, Adam, {} epochs, {} seeds) corrects the magnitude ridge; its controls are random normal vectors of the same dimension "
      "(Gaussian) and the representation's own vectors given to other perturbations of the same part (Shuffle). ",
      baseline_text(protocol), protocol.cv_folds, protocol.mlp.hidden1, protocol.mlp.hidden2, protocol.mlp.epochs,
      protocol.seeds.size());
}

std::string rule_text(const TrialView& view) {
  const trial::CascadeRule& rule = view.protocol.cascade;
  std::string text = fmt::format(
      "Test predictions were stored before the test labels were read, once per arm. Outcomes follow{} from the differences of test R\xC2\xB2: "
      "invalid if |mean Shuffle - Model| < {}; strong if mean Model - Baseline >= {} with at least {} seeds >= {} and mean Model - Gaussian "
      ">= {} with at least {} seeds >= {}; capacity only if mean Gaussian - Baseline >= {}; partial if mean Model - Baseline > 0 or mean "
      "Model - Gaussian > 0; else none. No p-values were computed. ",
      trial::is_default_rule(view.protocol) ? "" : " changed (custom) rules", bound_text(rule.invalid_abs_sm),
      bound_text(rule.mb_mean), rule.mb_seeds, bound_text(rule.mb_seed), bound_text(rule.mg_mean), rule.mg_seeds,
      bound_text(rule.mg_seed), bound_text(rule.gb_mean));
  if (rule.order != std::vector<std::string>(trial::kCascadeOrder.begin(), trial::kCascadeOrder.end()))
    text += "The steps were walked in the order " + join(rule.order, ", ") + ". ";
  return text;
}

std::string result_text(const ArmView& arm) {
  if (!arm.done())
    return fmt::format("Arm {} ({}) has not been tested ({}). ", arm.name, arm.model(), trial::state_name(arm.state));
  const trial::Deltas& deltas = arm.outcome.deltas;
  std::string text = fmt::format(
      "{} ({}, {}): mean test R\xC2\xB2 {} (baseline {}, magnitude only {}, Gaussian {}, Shuffle {}); Model - Baseline {} ({}/{} seeds), Model - "
      "Gaussian {} ({}/{} seeds), Shuffle - Model {}",
      arm.model(), "arm " + arm.name, arm.history.role, r2_text(mean_of(scores_of(arm, "MODEL"), &trial::Scores::r2)),
      r2_text(mean_of(scores_of(arm, "BASELINE"), &trial::Scores::r2)),
      r2_text(mean_of(scores_of(arm, "MAG_ONLY"), &trial::Scores::r2)),
      r2_text(mean_of(scores_of(arm, "GAUSSIAN"), &trial::Scores::r2)),
      r2_text(mean_of(scores_of(arm, "SHUFFLE"), &trial::Scores::r2)), delta_text(deltas.mean_mb), arm.outcome.mb_seeds,
      deltas.mb.size(), delta_text(deltas.mean_mg), arm.outcome.mg_seeds, deltas.mg.size(), delta_text(deltas.mean_sm));
  const Json& by_row = at(arm.posthoc, {"a1", "comparisons", "BASELINE", "phase_mean"});
  const Json& by_gene = at(arm.posthoc, {"a1g", "comparisons", "BASELINE", "phase_mean"});
  if (by_row.is_array())
    text += fmt::format("; 95 % bootstrap interval of Model - Baseline {} by row and {} by target gene ({} replicates)",
                        interval_text(by_row), interval_text(by_gene), whole(at(arm.posthoc, {"a1", "replicates"})));
  if (!arm.sensitivity() && arm.outcome.category)
    text += std::string("; outcome ") + trial::category_name(*arm.outcome.category);
  return text + ". ";
}

std::string caution_text(const TrialView& view) {
  std::vector<std::string> words;
  if (view.manifest.underpowered) words.emplace_back("was underpowered by its own feasibility rules");
  if (!view.arms.empty() && !view.arms.front().shown.pre_registered) words.emplace_back("was not pre-registered");
  std::string text = words.empty() ? "" : "The trial " + join(words, " and ") + ". ";
  return text +
         "Label and predictors come from the same expression measurement; no independently measured phenotype was tested.";
}

Json arm_json(const TrialView& view, const ArmView& arm) {
  const TrialArmSummary summary = summary_of(view, arm);
  Json json = {{"arm", summary.arm},           {"model", summary.model},       {"role", summary.role},
               {"state", summary.state},       {"headline", summary.headline}, {"sentence", summary.sentence},
               {"category", summary.category}, {"answers", Json::array()},     {"criteria", Json::array()},
               {"flags", Json::array()}};
  for (const TrialAnswer& answer : summary.answers)
    json["answers"].push_back({{"question", answer.question}, {"answer", answer.answer}, {"numbers", answer.numbers}});
  if (!arm.done()) return json;
  for (const trial::Criterion& criterion : arm.outcome.criteria)
    json["criteria"].push_back({{"key", criterion.key},
                                {"label", criterion.label},
                                {"step", criterion.category},
                                {"value", trial::real_text(criterion.value)},
                                {"operator", criterion.op},
                                {"bound", trial::real_text(criterion.bound)},
                                {"passed", criterion.passed}});
  for (const trial::Flag& flag : arm.outcome.flags) json["flags"].push_back(flag.key);
  return json;
}

}  // namespace

std::string methods_text(const TrialView& view) {
  std::string text = data_text(view) + predictors_text(view) + rule_text(view);
  for (const ArmView& arm : view.arms) text += result_text(arm);
  return text + caution_text(view);
}

void add_methods(Document& page, const TrialView& view) {
  page.section("Methods paragraph", "methods");
  page.paragraph("To paste into a paper; it stands in methods.md as well.");
  page.code(methods_text(view), "methods-text");
}

std::string summary_json(const TrialView& view) {
  Json json = {
      {"schema", "scvet-trial-report-1"},  {"lock", view.lock_id},      {"protocol", view.manifest.protocol_sha256},
      {"ledger_head", view.ledger.head()}, {"problems", Json::array()}, {"arms", Json::array()}};
  for (const trial::Problem& problem : view.problems)
    json["problems"].push_back({{"reason", problem.reason}, {"message", problem.message}});
  for (const ArmView& arm : view.arms) json["arms"].push_back(arm_json(view, arm));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace scvet::jobs::trial_page
