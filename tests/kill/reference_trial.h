// The worked example's numbers, fed step by step through TrialFolder: the whole life of a trial without any training.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "scvet/base/files.h"
#include "scvet/trial/trial_folder.h"

namespace scvet::trial {

inline std::string reference_text(const std::string& reference, const std::string& name) {
  return read_file(reference + "/trial/lock/locked/" + name);
}

// One minute a ledger line from 2026-01-01T00:00:00Z on; `minute` outlives the clock.
inline std::function<std::string()> minute_clock(int& minute) {
  return [&minute] {
    char text[40];
    std::snprintf(text, sizeof text, "2026-01-01T%02d:%02d:00Z", minute / 60 % 24, minute % 60);
    ++minute;
    return std::string(text);
  };
}

inline FolderOptions reference_options(const std::string& state_dir, int& minute) {
  FolderOptions options;
  options.state_dir = state_dir;
  options.clock = minute_clock(minute);
  options.software_version = "0";
  options.attested_by = "demo";
  return options;
}

inline LockContents reference_contents(const std::string& reference) {
  const auto text = [&](const std::string& name) { return reference_text(reference, name); };
  const ManifestRecord manifest = parse_manifest(text("manifest.json"), "manifest.json");
  const Mirror mirror = parse_mirror(read_file(reference + "/trial/lock/mirror.json"), "mirror.json");
  LockContents contents;
  contents.data = parse_data(text("data.json"), "data.json");
  contents.rows = parse_rows(text("rows.tsv"), "rows.tsv");
  contents.split = parse_split(text("split.tsv"), "split.tsv");
  contents.labels_trainval = parse_labels(text("labels.trainval.tsv"), "labels.trainval.tsv");
  contents.labels_test = parse_labels(text("labels.test.tsv"), "labels.test.tsv");
  contents.x_delta_sha256 = manifest.x_delta_sha256;
  contents.x_unit_delta_sha256 = manifest.x_unit_delta_sha256;
  contents.mag_sha256 = manifest.mag_sha256;
  contents.split_seed = manifest.split_seed;
  contents.numerics = manifest.numerics;
  contents.underpowered = true;
  contents.cell_sketch = mirror.cell_sketch;
  return contents;
}

// The results of training and scoring, as the example holds them.
struct ReferenceResults {
  ArmRecord arm;
  std::string fixed;
  SanityRecord sanity;
  PredictionsTable predictions;
  PartScores metrics;
  OutcomeRecord outcome;
};

inline ReferenceResults reference_results(const std::string& reference) {
  const auto text = [&](const std::string& name) { return reference_text(reference, name); };
  return {parse_arm(text("arms/demo/arm.json"), "arm.json"),
          text("fixed.tsv"),
          parse_sanity(text("arms/demo/sanity.json"), "sanity.json"),
          parse_predictions(text("arms/demo/predictions.tsv"), "predictions.tsv"),
          parse_metrics(text("arms/demo/metrics.json"), "metrics.json"),
          parse_outcome(text("arms/demo/outcome.json"), "outcome.json")};
}

// Takes one arm as far as `until`, from wherever it is.
inline void go_on(TrialFolder& trial, const ReferenceResults& results, const std::string& arm, ArmState until) {
  bool resumed = is_opened(trial.state(arm));
  while (trial.state(arm) < until ||
         (trial.state(arm) == until && trial.state(arm) != ArmState::kUnknown && trial.history(arm).torn)) {
    const ArmState state = trial.state(arm);
    const ArmHistory known = state == ArmState::kUnknown ? ArmHistory{} : trial.history(arm);
    if (state == ArmState::kUnknown || known.arm_sha256.empty()) {
      ArmRecord record = results.arm;
      record.arm = arm;
      trial.register_arm(record, trial.arms().empty() || (known.torn && trial.arms().size() == 1));
    } else if (known.sanity_sha256.empty()) {
      trial.record_sanity(arm, results.sanity, results.fixed);
    } else if (known.predictions_sha256.empty()) {
      trial.record_predicted(arm, results.predictions, results.fixed);
    } else if (state <= ArmState::kPredicted) {
      trial.require_state(arm, Step::kOpenTest);
      trial.open_test(arm);
    } else {
      trial.labels_test(arm);
      trial.record_done(arm, results.metrics, results.outcome, resumed);
    }
  }
}

}  // namespace scvet::trial
