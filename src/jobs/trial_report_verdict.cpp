// The head of the report: three answers, headline and verdict, construct validity, boundary.
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Document;
using report::Tone;

namespace {

Tone answer_tone(const TrialAnswer& answer, const ArmView& arm) {
  if (answer.answer == "yes") return Tone::kGood;
  if (answer.answer == "no") return Tone::kBad;
  return arm.done() ? Tone::kUnsure : Tone::kNeutral;
}

std::string answer_word(const TrialAnswer& answer) {
  if (answer.answer == "yes") return "Yes";
  if (answer.answer == "no") return "No";
  return "Not decided";
}

std::vector<std::string> remarks(const TrialView& view, const ArmView& arm) {
  std::vector<std::string> lines;
  if (view.manifest.underpowered)
    lines.emplace_back(
        "UNDERPOWERED: the lock was made although the test is too small or the label too often zero for the "
        "rules to decide much.");
  if (!arm.shown.pre_registered)
    lines.emplace_back(
        "NOT PRE-REGISTERED: all stages ran in one go, so no window was left to deposit the lock before the test.");
  if (view.manifest.split_origin != "derived")
    lines.push_back("SPLIT SEED: the split does not follow from the data and the protocol but was chosen (" +
                    view.manifest.split_origin + ").");
  if (view.protocol.baseline != trial::BaselineForm::kRidgeResidual)
    lines.push_back(std::string("BASELINE: the form of the baseline is ") +
                    trial::baseline_name(view.protocol.baseline) + ", not the default ridge_residual.");
  if (!trial::is_default_rule(view.protocol))
    lines.emplace_back("CUSTOM: thresholds, order or seeds of the cascade were changed.");
  for (const trial::Flag& flag : arm.outcome.flags) lines.push_back("Flag " + flag.key + ": " + flag.text);
  const Json& embedding = at(arm.audits, {"embedding"});
  if (at(embedding, {"constant_within_row", "flag"}) == true)
    lines.emplace_back(
        "Flag constant_within_row: the embedding hardly differs among the cells of a row, as if it had been "
        "made from the row and not from the cells.");
  if (at(embedding, {"same_counts_different_embedding", "flag"}) == true)
    lines.emplace_back("Flag same_counts_different_embedding: cells with equal counts have embeddings that differ.");
  if (at(embedding, {"reextract", "flag"}) == true)
    lines.emplace_back("Flag reextract: cells embedded again from counts alone came out otherwise.");
  if (arm.record && arm.record->protocol_preserving_extension)
    lines.emplace_back(
        "This arm was added after the lock: an extension that keeps the protocol, and claims only that.");
  if (arm.shown.prior_openings > 0)
    lines.push_back(counted(arm.shown.prior_openings, "test", "tests") +
                    " on these data had been opened before this one.");
  if (arm.shown.locks_on_this_data > 1)
    lines.push_back(counted(arm.shown.locks_on_this_data, "lock", "locks") + " on these data are known here.");
  if (!arm.shown.state_folder)
    lines.emplace_back("No state folder could be written: a restored older copy of the trial would not be noticed.");
  if (arm.shown.clock_set_back) lines.emplace_back("The ledger holds a line that is older than the one before it.");
  for (const std::string& note : arm.shown.notes) lines.push_back(capital(note) + (note.ends_with(".") ? "" : "."));
  return lines;
}

void add_arm_answers(Document& page, const TrialView& view, const ArmView& arm) {
  page.subsection("Arm " + arm.name + (arm.model() == arm.name ? "" : " (" + arm.model() + ")"),
                  numbered_arm("arm", view, arm));
  page.begin_tiles();
  for (const TrialAnswer& answer : answers(view, arm))
    page.verdict(answer_tone(answer, arm), answer_word(answer) + ": " + answer.question, answer.numbers);
  page.end_columns();
  page.verdict(verdict_tone(arm), headline(view, arm), verdict_sentence(view, arm), remarks(view, arm),
               numbered_arm("verdict", view, arm));
}

}  // namespace

void add_answers(Document& page, const TrialView& view) {
  page.section("Three questions", "answers");
  if (!view.problems.empty()) {
    std::vector<std::string> lines;
    for (const trial::Problem& problem : view.problems) lines.push_back(problem.message);
    page.verdict(Tone::kBad, "This folder does not fit its own record",
                 "Read nothing below as a result until the following is explained.", lines, "problems");
  }
  if (view.arms.empty()) page.paragraph("No arm is registered under this lock.");
  for (const ArmView* arm : arms_of(view, false)) add_arm_answers(page, view, *arm);
  const auto apart = arms_of(view, true);
  if (apart.empty()) return;
  if (apart.size() == view.arms.size()) {
    page.paragraph("Every arm of this lock is a sensitivity arm: none bears a category.");
  }
  std::vector<std::string> names;
  for (const ArmView* arm : apart) names.push_back(arm->name);
  page.paragraph(counted(static_cast<std::int64_t>(apart.size()), "sensitivity arm stands", "sensitivity arms stand") +
                 " apart, further below; a sensitivity arm bears no category.");
}

void add_construct(Document& page, const TrialView& view) {
  page.section("Construct validity", "construct");
  page.paragraph(
      "Label and predictors come from one and the same expression measurement. The label of a perturbation is how far the "
      "count distributions of its cells lie from those of the control cells; magnitude, baseline and representation are "
      "computed from the same cells' counts. The trial shows how compactly a representation holds an expression-derived "
      "proxy. A phenotype that was measured on its own (fitness, protein, imaging) is never tested.");
  page.facts(
      {{"Label",
        "log1p of the mean normalised Anderson-Darling statistic over genes, raw counts, perturbed cells against "
        "all control cells"},
       {"Rows", counted(view.data.rows_eligible, "perturbation", "perturbations") + " of " +
                    counted(view.data.target_genes, "target gene", "target genes") + ", " +
                    counted(view.data.rows_excluded, "row excluded", "rows excluded")},
       {"Cells", counted(view.data.n_cells, "cell", "cells") + ", " +
                     counted(view.data.n_nt, "control cell", "control cells") + ", " +
                     counted(view.data.n_genes, "gene", "genes")},
       {"Independent phenotype", "none"}},
      "construct-facts");
}

void add_boundary(Document& page, const TrialView&) {
  page.section("Boundary of the verdict", "boundary");
  page.list(
      {"The thresholds are decision rules fixed beforehand, not tests of significance. There are no p-values, and the "
       "intervals below do not replace the cascade.",
       "PARTIAL says that an arm beats its random-capacity and row-identity controls. It says nothing about beating the "
       "baseline.",
       "Those two controls speak against two explanations only: that any numbers of this shape would do, and that the "
       "link between row and representation does not matter. Other artefacts of capacity, leakage, preprocessing or "
       "gene frequency stay possible.",
       "\"External\" is relative to the supervised training of this trial, not to the pretraining of the model. Whether the "
       "model saw these cells before is a question of its own (see the overlap section)."});
}

}  // namespace scvet::jobs::trial_page
