// `scvet trial sanity`: everything is trained twice without the test, and both runs must agree in every bit.
#include <fmt/format.h>

#include <cstring>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/jobs/trial_report.h"
#include "scvet/trial/self_test.h"
#include "trial_common.h"
#include "trial_reextract.h"
#include "trial_training.h"

namespace scvet::jobs {
namespace {

std::vector<std::string> summary_lines(const trial::SanityRecord& record) {
  std::vector<std::string> lines;
  for (const char* name : trial::kCascadePredictors) {
    double sum = 0;
    const auto& seeds = record.val.at(name);
    for (const auto& [seed, scores] : seeds) sum += scores.r2;
    lines.push_back(fmt::format("val R2 {:<9} {:.4f}", name, sum / static_cast<double>(seeds.size())));
  }
  return lines;
}

}  // namespace

TrialStageResult check_trial(const TrialSanityOptions& options) {
  trial::require_golden();
  if ((options.reextract > 0) != !options.encoder.empty())
    throw UsageError("--reextract N and --encoder COMMAND go together", {.field = "reextract"});
  trial::TrialFolder folder =
      trial::TrialFolder::open_for_writing(options.place.folder, folder_options(options.place, options.injection));
  const std::string arm = choose_arm(folder, options.arm);
  folder.require_state(arm, trial::Step::kSanity);
  folder.require_numerics(trial::numerics_id());
  TrialScreenFile screen = reopen_screen(folder, "");
  const TrialEmbeddingPass embedding =
      reread_embedding(folder, arm, options.embedding, screen, load_record_hashes(folder));
  const auto loaded = load_trial(folder);
  const ArmMatrix z = load_z(folder, arm);

  log_info(fmt::format("training arm {} twice", arm));
  const TrainedArm first = train_once(folder, loaded->data, z), second = train_once(folder, loaded->data, z);
  TrialStageResult result;
  if (!(first == second)) {
    folder.record_sanity_failed(arm, sha256(trial::sanity_json(first.record)),
                                sha256(trial::sanity_json(second.record)));
    throw InternalError(
        "two trainings with the same seeds differ on this machine, although the self-test passed: its "
        "memory or processor is at fault; nothing was tested, and sanity may be run again elsewhere");
  }
  if (options.reextract > 0) result.lines.push_back(reextract_cells(folder, arm, screen, options));
  folder.record_sanity(arm, first.record, fixed_bytes(loaded->data, first.fixed));
  for (std::string& line : summary_lines(first.record)) result.lines.push_back(std::move(line));
  for (std::string& line : flag_lines(embedding.flags)) result.lines.push_back(std::move(line));
  result.headline = read_headline(folder.folder(), options.place.state_dir, arm);
  result.state = trial::state_name(folder.state(arm));
  return result;
}

}  // namespace scvet::jobs
