#include <cmath>
#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/base/text.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

void print(const jobs::TrialLockResult& result) {
  std::printf("lock id          %s\nprotocol         %s\ncounts digest    %s\n", result.lock_id.c_str(),
              result.protocol_sha256.c_str(), result.counts_digest.c_str());
  static constexpr const char* kParts[] = {"train", "val", "test"};
  for (int part = 0; part < 3; ++part)
    std::printf("%-16s %s rows of %s target genes\n", kParts[part], format_count(result.rows[part]).c_str(),
                format_count(result.targets[part]).c_str());
  std::printf("not eligible     %s rows\ny = 0            %s of train and val rows\n",
              format_count(result.n_excluded).c_str(), format_percent(result.share_zero).c_str());
  if (!std::isnan(result.d15_spearman))
    std::printf("per-batch label  Spearman %.3f with y (train and val; a diagnostic, never used)\n",
                result.d15_spearman);
  for (const std::string& note : result.notes) std::printf("%s\n", note.c_str());
  std::printf("Deposit the lock id where a reader can find its date, then: scvet trial deposit, sanity, final-test\n");
}

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialLockOptions>();
  add_place_flags(app, options->place);
  add_counts_flags(app, options->counts);
  app.add_option("--min-cells", options->min_cells, "fewest cells of a row")->capture_default_str();
  add_embedding_flags(app, options->embedding);
  add_arm_flags(app, options->arm);
  app.add_option("--baseline", options->baseline, "ridge_residual, ridge_direct or mlp_residual")
      ->capture_default_str();
  app.add_option("--protocol", options->protocol, "protocol.json to use; changed constants give the category CUSTOM");
  app.add_option("--split-seed", options->split_seed, "a seed of your own (default: derived from counts and protocol)");
  app.add_option("--preset", options->preset, "published split seed: replogle_rpe1 or replogle_k562_gwps");
  app.add_option("--split", options->split, "table of target gene and part (train, val, test)");
  app.add_flag("--underpowered", options->underpowered,
               "go on although the test is too small to decide; stands in the manifest and the headline");
  app.add_option("--supersedes", options->supersedes, "lock id that this one corrects");
  app.add_option("--reason", options->reason, "why it is superseded");
  app.add_option("--attested-by", options->attested_by,
                 "who says that the representation is frozen and that no test label was seen (default: the user)");
  add_injection_flags(app, options->injection);
  app.footer(
      std::string(
          "Computes labels and features, withholds the labels of the test part, fixes protocol, split, seeds, "
          "thresholds and the\nfirst arm, and writes the lock id. Nothing of it can change afterwards without "
          "being seen.\n"
          "Outputs in --trial: protocol.json, data.json, manifest.json, rows.tsv, split.tsv, labels.trainval.tsv,\n"
          "labels.test.tsv (not to be looked at), ledger.jsonl, ledger.head, arms/NAME/arm.json, derived/.\n"
          "Example:\n"
          "  scvet trial lock --trial trials/rpe1 --counts rpe1.h5ad --obsm X_scgpt --arm scgpt --extraction "
          "scgpt.json\n") +
      kTrialExits);
  return [options] { print(jobs::lock_trial(*options)); };
}

}  // namespace

extern const CommandRecord trial_lock_command = {"trial lock",
                                                 "fix protocol, data, split and the first arm; withhold the test", add};

}  // namespace scvet::cli
