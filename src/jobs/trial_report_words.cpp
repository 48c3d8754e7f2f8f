// What the numbers of an arm mean, in words: three answers, a headline, one sentence with its boundary.
#include <fmt/format.h>

#include <cmath>

#include "scvet/base/text.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Tone;
using trial::ArmState;
using trial::Category;

namespace {

constexpr const char* kSignal = "Does the representation carry non-random signal?";
constexpr const char* kExceeds = "Does it exceed the strong baseline?";
constexpr const char* kStable = "Is the gain stable across seeds?";
constexpr const char *kYes = "yes", *kNo = "no", *kOpen = "not decided";

bool has_flag(const ArmView& arm, std::string_view key) {
  for (const trial::Flag& flag : arm.outcome.flags)
    if (flag.key == key) return true;
  return false;
}

std::string of_seeds(std::int64_t n, const ArmView& arm) {
  return fmt::format("{} of {} seeds", n, arm.outcome.deltas.mb.size());
}

TrialAnswer signal_answer(const ArmView& arm, const trial::CascadeRule& rule) {
  const trial::Deltas& deltas = arm.outcome.deltas;
  const bool shuffle_worse = deltas.mean_sm <= -rule.invalid_abs_sm;
  TrialAnswer answer{kSignal, kOpen, ""};
  if (shuffle_worse && deltas.mean_mg >= rule.mg_mean) answer.answer = kYes;
  if (!shuffle_worse || deltas.mean_mg <= 0) answer.answer = kNo;
  answer.numbers = fmt::format(
      "Model - Gaussian {} (bound {}); Shuffle - Model {} (a real link to the perturbation needs -{} or less).",
      delta_text(deltas.mean_mg), bound_text(rule.mg_mean), delta_text(deltas.mean_sm),
      bound_text(rule.invalid_abs_sm));
  return answer;
}

TrialAnswer exceeds_answer(const ArmView& arm, const trial::CascadeRule& rule) {
  const double mean_mb = arm.outcome.deltas.mean_mb;
  TrialAnswer answer{kExceeds, kOpen, ""};
  if (mean_mb >= rule.mb_mean) answer.answer = kYes;
  if (mean_mb <= 0) answer.answer = kNo;
  answer.numbers = fmt::format("Model - Baseline {} (bound {}).", delta_text(mean_mb), bound_text(rule.mb_mean));
  if (answer.answer == kYes && has_flag(arm, "baseline_below_anchor")) {
    answer.answer = kOpen;
    answer.numbers += " The baseline itself falls below magnitude alone, so it is no strong one here.";
  } else if (answer.answer == kOpen) {
    answer.numbers += " Above zero, and below the bound.";
  }
  return answer;
}

TrialAnswer stable_answer(const ArmView& arm, const trial::CascadeRule& rule) {
  const bool baseline = arm.outcome.mb_seeds >= rule.mb_seeds, gaussian = arm.outcome.mg_seeds >= rule.mg_seeds;
  return {kStable,
          baseline && gaussian   ? kYes
          : baseline || gaussian ? kOpen
                                 : kNo,
          fmt::format("Model - Baseline reaches {} in {} ({} needed), Model - Gaussian reaches {} in {} ({} needed).",
                      bound_text(rule.mb_seed), of_seeds(arm.outcome.mb_seeds, arm), rule.mb_seeds,
                      bound_text(rule.mg_seed), of_seeds(arm.outcome.mg_seeds, arm), rule.mg_seeds)};
}

std::string state_words(ArmState state) {
  switch (state) {
    case ArmState::kRegistered:
      return "registered, nothing trained yet";
    case ArmState::kSanityFailed:
      return "the two sanity runs differed";
    case ArmState::kSanityPassed:
      return "sanity passed, test not opened";
    case ArmState::kParityFailed:
      return "the retraining differed from sanity, test not opened";
    case ArmState::kPredicted:
      return "test rows predicted, test not opened";
    case ArmState::kTestOpened:
      return "test opened, not scored";
    case ArmState::kTestAborted:
      return "test opened and aborted";
    case ArmState::kTestDone:
      return "test done";
    case ArmState::kUnknown:
      break;
  }
  return "state unknown";
}

std::string against_baseline(const ArmView& arm, const trial::CascadeRule& rule) {
  const double mean_mb = arm.outcome.deltas.mean_mb;
  const std::string seeds = of_seeds(arm.outcome.mb_seeds, arm);
  if (mean_mb <= 0)
    return fmt::format("it does not beat the strong expression baseline (mean R\xC2\xB2 {})", delta_text(mean_mb));
  if (mean_mb < rule.mb_mean)
    return fmt::format("its gain over the strong expression baseline is below the bound (mean R\xC2\xB2 {} against {})",
                       delta_text(mean_mb), bound_text(rule.mb_mean));
  if (arm.outcome.mb_seeds < rule.mb_seeds)
    return fmt::format(
        "its gain over the strong expression baseline (mean R\xC2\xB2 {}) is not stable ({} reach {}, {} needed)",
        delta_text(mean_mb), seeds, bound_text(rule.mb_seed), rule.mb_seeds);
  return fmt::format(
      "its gain over the strong expression baseline (mean R\xC2\xB2 {}, {} reach {}) is not joined by a stable "
      "gain over random numbers ({} reach {}, {} needed)",
      delta_text(mean_mb), seeds, bound_text(rule.mb_seed), of_seeds(arm.outcome.mg_seeds, arm),
      bound_text(rule.mg_seed), rule.mg_seeds);
}

// What each step of the cascade says, without a full stop.
std::string step_sentence(const TrialView& view, const ArmView& arm, Category category) {
  const trial::CascadeRule& rule = view.protocol.cascade;
  const trial::Deltas& deltas = arm.outcome.deltas;
  const std::string model = arm.model();
  switch (category) {
    case Category::kStrong:
      return fmt::format(
          "{} predicts the expression-derived effect of unseen target genes better than the strong "
          "expression baseline (mean R\xC2\xB2 {}, {} reach {}) and better than random numbers of its own shape ({}, {})",
          model, delta_text(deltas.mean_mb), of_seeds(arm.outcome.mb_seeds, arm), bound_text(rule.mb_seed),
          delta_text(deltas.mean_mg), of_seeds(arm.outcome.mg_seeds, arm));
    case Category::kPartial:
      if (deltas.mean_mg <= 0)
        return fmt::format(
            "{} lies above the expression baseline (mean R\xC2\xB2 {}) but not above random numbers of its own shape "
            "({}), so the gain cannot be credited to the representation",
            model, delta_text(deltas.mean_mb), delta_text(deltas.mean_mg));
      if (deltas.mean_sm >= rule.invalid_abs_sm)
        return fmt::format(
            "{} lies above random numbers of its shape (mean R\xC2\xB2 {}), but its own rows given to the wrong "
            "perturbations predict better than the right ones ({}), so no signal is shown, and {}",
            model, delta_text(deltas.mean_mg), delta_text(deltas.mean_sm), against_baseline(arm, rule));
      if (deltas.mean_mg < rule.mg_mean)
        return fmt::format(
            "{} lies above random numbers of its shape by less than the bound (mean R\xC2\xB2 {} against {}), so "
            "whether it carries signal is not decided, and {}",
            model, delta_text(deltas.mean_mg), bound_text(rule.mg_mean), against_baseline(arm, rule));
      return fmt::format(
          "{} carries signal that random numbers of its shape (mean R\xC2\xB2 {}) and its own rows given to the wrong "
          "perturbations ({}) do not carry, but {}",
          model, delta_text(deltas.mean_mg), delta_text(-deltas.mean_sm), against_baseline(arm, rule));
    case Category::kCapacity:
      return fmt::format(
          "random numbers of {}'s shape already beat the expression baseline (mean R\xC2\xB2 {}, bound {}), so "
          "nothing that the network gains here can be told from what it gains from anything",
          model, delta_text(deltas.mean_gb), bound_text(rule.gb_mean));
    case Category::kNo:
      return fmt::format(
          "{} predicts neither better than the expression baseline (mean R\xC2\xB2 {}) nor better than random "
          "numbers of its own shape ({})",
          model, delta_text(deltas.mean_mb), delta_text(deltas.mean_mg));
    case Category::kInvalid:
      return fmt::format(
          "giving {}'s rows to the wrong perturbations changes the mean R\xC2\xB2 by only {} (bound {}), so the trial "
          "cannot tell the representation from its own shuffled rows and no other comparison is read",
          model, r2_text(std::fabs(deltas.mean_sm)), bound_text(rule.invalid_abs_sm));
    case Category::kCustom:
      break;
  }
  return "";
}

}  // namespace

std::vector<TrialAnswer> answers(const TrialView& view, const ArmView& arm) {
  if (!arm.done() || arm.outcome.aborted) {
    const std::string why = arm.state == ArmState::kTestAborted || arm.done()
                                ? "The test was aborted: no numbers are read."
                                : "No test yet: " + state_words(arm.state) + ".";
    return {{kSignal, kOpen, why}, {kExceeds, kOpen, why}, {kStable, kOpen, why}};
  }
  const trial::CascadeRule& rule = view.protocol.cascade;
  return {signal_answer(arm, rule), exceeds_answer(arm, rule), stable_answer(arm, rule)};
}

std::string headline(const TrialView& view, const ArmView& arm) {
  std::vector<std::string> words = arm.prefixes;
  if (!arm.outcome.flags.empty()) {
    std::vector<std::string> keys;
    for (const trial::Flag& flag : arm.outcome.flags) keys.push_back(flag.key);
    words.push_back("FLAGS " + join(keys, " "));
  }
  std::string line = join(words, ", ");
  if (!line.empty()) line += ": ";
  if (!arm.done())
    line += trial::state_name(arm.state);
  else if (arm.sensitivity())
    line += "no category";
  else
    line += arm.stored ? arm.stored->category : "";
  line += fmt::format("; arm {} of {}, prior openings {}, locks on this data {}, deposit {}", arm.shown.arm_index,
                      view.arms.size(), arm.shown.prior_openings, arm.shown.locks_on_this_data, arm.shown.deposit);
  if (!arm.shown.state_folder) line += "; NO STATE FOLDER: a restored older folder would not be seen";
  return line;
}

std::string verdict_sentence(const TrialView& view, const ArmView& arm) {
  if (arm.state == ArmState::kTestAborted || (arm.done() && arm.outcome.aborted)) {
    const std::string why = arm.abort_reason.empty() ? arm.outcome.abort_reason : arm.abort_reason;
    return "The test of " + arm.model() + " was opened and no category can be given" +
           (why.empty() ? "" : " (" + why + ")") + "; this is final, and it is not a negative result.";
  }
  if (!arm.done())
    return "Nothing is known yet about " + arm.model() + " on the test part: " + state_words(arm.state) + ".";
  const std::string boundary = fmt::format(
      "; this holds for one screen ({} of {}), one label made from the same expression and {} seeds, is no test of "
      "significance, and leaves open whether an independently measured phenotype or data outside pretraining would show it.",
      counted(view.manifest.test.rows, "test row", "test rows"),
      counted(view.manifest.test.target_genes, "target gene", "target genes"), view.protocol.seeds.size());
  std::string sentence = arm.outcome.walked ? step_sentence(view, arm, *arm.outcome.walked) : "";
  const bool custom = arm.outcome.category == Category::kCustom;
  const std::string walked = arm.outcome.walked ? trial::category_name(*arm.outcome.walked) : "";
  if (arm.sensitivity())
    sentence = "a sensitivity arm, declared before its test, bears no category: " + sentence;
  else if (custom)
    sentence =
        "the rules of this trial are not the published ones, so it bears none of their categories (its own rules would "
        "say " +
        walked + "): " + sentence;
  // A model's name keeps its own spelling.
  return (sentence.starts_with(arm.model()) ? sentence : capital(sentence)) + boundary;
}

Tone verdict_tone(const ArmView& arm) {
  if (arm.state == ArmState::kTestAborted || (arm.done() && arm.outcome.aborted)) return Tone::kBad;
  if (!arm.done() || arm.sensitivity() || !arm.outcome.category) return Tone::kNeutral;
  switch (*arm.outcome.category) {
    case Category::kStrong:
      return has_flag(arm, "baseline_below_anchor") ? Tone::kUnsure : Tone::kGood;
    case Category::kInvalid:
    case Category::kNo:
      return Tone::kBad;
    default:
      return Tone::kUnsure;
  }
}

TrialArmSummary summary_of(const TrialView& view, const ArmView& arm) {
  TrialArmSummary summary;
  summary.arm = arm.name;
  summary.model = arm.model();
  summary.role = arm.history.role;
  summary.state = trial::state_name(arm.state);
  if (arm.done() && !arm.sensitivity() && arm.outcome.category)
    summary.category = trial::category_name(*arm.outcome.category);
  summary.headline = headline(view, arm);
  summary.sentence = verdict_sentence(view, arm);
  summary.answers = answers(view, arm);
  return summary;
}

}  // namespace scvet::jobs::trial_page
