// `scvet trial final-test`: the one look at the test.
#include <fmt/format.h>

#include <cmath>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/jobs/trial_report.h"
#include "scvet/trial/cascade.h"
#include "scvet/trial/self_test.h"
#include "trial_common.h"
#include "trial_training.h"

namespace scvet::jobs {
namespace {

LockError refusal(const std::string& message, const std::string& reason, const std::string& file) {
  return LockError(message + " (reason=" + reason + ")", {.file = file, .reason = reason});
}

// Trains again, demands sanity's bits, and stores the predictions. The test stays closed.
void predict(trial::TrialFolder& folder, const std::string& arm, const trial::TrialData& data, const ArmMatrix& z) {
  const trial::SanityRecord sanity = folder.sanity(arm);
  log_info(fmt::format("training arm {} for the test", arm));
  const TrainedArm trained = train_once(folder, data, z);
  const std::string fixed = fixed_bytes(data, trained.fixed);
  if (!same_bits(trained.record.val, sanity.val) || fixed != folder.fixed()) {
    const double delta = parity_delta(trained.record.val, sanity.val);
    folder.record_parity_failed(arm, delta, sha256(fixed));
    throw refusal(fmt::format("{}: training for the test gave other val metrics or fixed predictions than sanity "
                              "(largest difference {:.3g}); the test was not opened; run sanity again on this machine",
                              folder.folder(), delta),
                  "parity_failed", folder.arm_path(arm, "sanity.json"));
  }
  folder.record_predicted(arm, predictions_table(data, trained.predictions, folder.protocol().seeds), fixed);
}

// From the stored predictions, so that a resumed test gives the same bits.
void score_stored(trial::TrialFolder& folder, const std::string& arm, trial::TrialData& data, bool resumed) {
  const trial::ArmPredictions stored = stored_predictions(folder, arm, data);
  const trial::FixedPredictions fixed = parse_fixed_predictions(folder, data);
  try {
    reveal_labels(folder, arm, data);
  } catch (const LockError& error) {
    folder.record_aborted(arm, error.facts().reason);
    throw;
  }
  const std::vector<trial::PredictorScores> scores = trial::score_part(data, fixed, stored, trial::Part::kTest);
  const trial::Outcome outcome = trial::decide(scores, folder.protocol());
  if (outcome.aborted) {
    folder.record_aborted(arm, outcome.abort_reason);
    throw refusal(fmt::format("{}: no category can be given to arm {}: {}; the test is spent (TEST_ABORTED)",
                              folder.folder(), arm, outcome.abort_reason),
                  "aborted_is_final", folder.arm_path(arm, "predictions.tsv"));
  }
  folder.record_done(arm, part_scores(scores, folder.protocol()),
                     outcome_record(outcome, join(headline_prefixes(folder, arm), ", "), folder.history(arm).role),
                     resumed);
}

std::vector<std::string> result_lines(const trial::TrialFolder& folder, const std::string& arm) {
  const trial::OutcomeRecord outcome = folder.outcome(arm);
  const auto n = outcome.mb.size();
  return {fmt::format("Model - Baseline     mean {:+.4f}, {} of {} seeds at the bound", outcome.mean_mb,
                      outcome.mb_seeds, n),
          fmt::format("Model - Gaussian     mean {:+.4f}, {} of {} seeds at the bound", outcome.mean_mg,
                      outcome.mg_seeds, n),
          fmt::format("Gaussian - Baseline  mean {:+.4f}", outcome.mean_gb),
          fmt::format("Shuffle - Model      mean {:+.4f}", outcome.mean_sm)};
}

}  // namespace

TrialStageResult test_trial(const TrialFinalTestOptions& options) {
  trial::require_golden();
  trial::TrialFolder folder =
      trial::TrialFolder::open_for_writing(options.place.folder, folder_options(options.place, options.injection));
  const std::string arm = choose_arm(folder, options.arm);
  folder.require_state(arm, options.resume ? trial::Step::kResume : trial::Step::kFinalTest);
  folder.require_numerics(trial::numerics_id());
  const auto loaded = load_trial(folder);
  TrialStageResult result;
  if (!options.resume) {
    TrialScreenFile screen = reopen_screen(folder, "");
    const TrialEmbeddingPass embedding =
        reread_embedding(folder, arm, options.embedding, screen, load_record_hashes(folder));
    result.lines = flag_lines(embedding.flags);
    predict(folder, arm, loaded->data, load_z(folder, arm));
    folder.open_test(arm);
  }
  score_stored(folder, arm, loaded->data, options.resume);
  for (std::string& line : result_lines(folder, arm)) result.lines.push_back(std::move(line));
  result.state = trial::state_name(folder.state(arm));
  const TrialReportResult report = write_trial_report(folder.folder(), {.state_dir = options.place.state_dir});
  result.report = report.html;
  result.headline = headline_of(report, arm);
  return result;
}

}  // namespace scvet::jobs
