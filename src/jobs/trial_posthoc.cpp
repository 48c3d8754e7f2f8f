// `scvet trial posthoc`: intervals, sensitivity audits and reported-only predictors, once the test is done.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/jobs/trial_report.h"
#include "scvet/trial/audits.h"
#include "scvet/trial/label_audits.h"
#include "scvet/trial/posthoc.h"
#include "scvet/trial/self_test.h"
#include "trial_common.h"
#include "trial_overlap.h"
#include "trial_training.h"

namespace scvet::jobs {
namespace {

// What all arms of a trial share.
struct SharedAudit {
  std::optional<TrialScreenFile> screen;
  std::vector<std::int64_t> eligible;
  std::optional<trial::LabelAudits> labels;
  std::vector<trial::CellOverlap> overlap;  // one a cell; empty: not audited
};

SharedAudit audit_screen(const trial::TrialFolder& folder, const TrialPosthocOptions& options) {
  SharedAudit shared;
  if (options.quick && options.overlap.empty()) return shared;
  shared.screen = reopen_screen(folder, options.counts);
  shared.eligible = eligible_rows(folder, shared.screen->design);
  if (!options.overlap.empty())
    shared.overlap = read_overlap(options.overlap, options.overlap_key, shared.screen->design.cell_names);
  if (options.quick) return shared;
  log_info("label audits: equal numbers of cells, split halves, null rows");
  shared.labels = trial::scan_label_audits(*shared.screen->counts, shared.screen->design, shared.eligible,
                                           {.n0 = folder.protocol().min_cells}, shared.screen->file->path());
  folder.require_counts(shared.labels->counts_digest);
  return shared;
}

trial::LabelVariants label_variants(const std::vector<double>& y, const SharedAudit& shared) {
  trial::LabelVariants labels{.y = y, .d15 = {}, .y_equal = {}, .y_free = {}};
  if (!shared.labels) return labels;
  labels.d15 = shared.labels->d15;
  labels.y_equal = shared.labels->y_equal;
  labels.y_free = shared.labels->y_free;
  return labels;
}

trial::OverlapAudit overlap_audit(const trial::TrialFolder& folder, const SharedAudit& shared,
                                  const trial::StoredTest& test, std::span<const std::int64_t> test_rows,
                                  const std::string& source) {
  const trial::Design& design = shared.screen->design;
  std::vector<trial::OverlapShare> of_row;
  for (const std::int64_t row : test_rows) {
    const auto at = static_cast<std::size_t>(shared.eligible[static_cast<std::size_t>(row)]);
    of_row.push_back(trial::overlap_share(shared.overlap, design.rows[at].cells));
  }
  return trial::audit_overlap(test, of_row, trial::overlap_share(shared.overlap, design.nt_cells), folder.protocol(),
                              source);
}

trial::EmbeddingFlags flags_of(const trial::TrialFolder& folder, const std::string& arm, const TrialEmbedding& given,
                               const SharedAudit& shared) {
  trial::EmbeddingFlags flags = reread_embedding(folder, arm, given, *shared.screen, load_record_hashes(folder)).flags;
  const std::string again = folder.derived_path("reextract_" + arm + ".json");
  if (!std::filesystem::exists(again)) return flags;
  const nlohmann::json record = nlohmann::json::parse(read_file(again), nullptr, false);
  if (record.is_object() && record.contains("cells") && record.contains("largest"))
    flags.reextract = {record.value("cells", std::int64_t{0}), std::stod(record.value("largest", "nan")),
                       record.value("flag", false)};
  return flags;
}

void add_trained(trial::Posthoc& posthoc, const trial::TrialFolder& folder, const std::string& arm,
                 const LoadedTrial& loaded, const trial::FixedPredictions& fixed, const ArmMatrix& untrained) {
  const auto n_rows = static_cast<std::int64_t>(loaded.data.row_id.size());
  const ArmMatrix z = load_z(folder, arm);
  log_info(fmt::format("arm {}: predictors outside the cascade", arm));
  const trial::PredictorInput input{
      .data = loaded.data,
      .fixed = fixed,
      .z = z.view(n_rows),
      .protocol = folder.protocol(),
      .untrained = untrained.dim > 0 ? untrained.view(n_rows) : MatrixView<const double>()};
  posthoc.reported_only = trial::score_reported_only(loaded.data, trial::run_reported_only(input));
  posthoc.increment = trial::increment(posthoc.reported_only);
  log_info(fmt::format("arm {}: regroupings of train and val", arm));
  posthoc.regroupings = trial::regroup(loaded.data, z.view(n_rows), folder.protocol());
}

void analyse_arm(const trial::TrialFolder& folder, const std::string& arm, const TrialPosthocOptions& options,
                 const SharedAudit& shared, const ArmMatrix& untrained) {
  const auto loaded = load_trial(folder);
  trial::TrialData& data = loaded->data;
  const trial::FixedPredictions fixed = parse_fixed_predictions(folder, data);
  const trial::ArmPredictions stored = stored_predictions(folder, arm, data);
  reveal_labels(folder, arm, data);
  const trial::StoredTest test = trial::stored_test(data, fixed, stored, folder.protocol().seeds);
  trial::Posthoc posthoc = trial::analyse_stored(test, folder.protocol(), arm, folder.lock_id());
  if (!options.quick) add_trained(posthoc, folder, arm, *loaded, fixed, untrained);
  write_file(folder.arm_path(arm, "posthoc.json"), trial::posthoc_json(posthoc));

  const std::vector<std::int64_t> test_rows = trial::rows_of_part(data.split, trial::Part::kTest);
  trial::Audits audits;
  audits.arm = arm;
  audits.lock = folder.lock_id();
  audits.cell_count = trial::audit_cell_count(label_variants(data.y, shared), data.n_cells,
                                              trial::row_norms(data.x_delta), test, test_rows);
  audits.clipped = trial::count_clipped(data.y, data.split);
  if (!shared.overlap.empty()) audits.overlap = overlap_audit(folder, shared, test, test_rows, options.overlap);
  if (shared.labels) {
    const trial::LabelAudits& labels = *shared.labels;
    audits.null_rows = trial::audit_null_rows(labels.null_matched, labels.null_ungrouped, labels.null_n_cells, data.y,
                                              trial::kNullRowsSeed);
    audits.split_half = trial::split_half(labels);
    audits.embedding = flags_of(folder, arm, options.embedding, shared);
  }
  write_file(folder.arm_path(arm, "audits.json"), trial::audits_json(audits));
}

}  // namespace

TrialStageResult posthoc_trial(const TrialPosthocOptions& options) {
  trial::require_golden();
  trial::TrialFolder folder = trial::TrialFolder::open(options.place.folder, folder_options(options.place));
  folder.require_intact();
  std::vector<std::string> arms;
  if (!options.arm.empty()) {
    arms.push_back(options.arm);
  } else {
    for (const std::string& arm : folder.arms())
      if (folder.state(arm) == trial::ArmState::kTestDone) arms.push_back(arm);
    if (arms.empty()) arms.push_back(choose_arm(folder, ""));
  }
  for (const std::string& arm : arms) folder.require_state(arm, trial::Step::kAfterDone);
  const SharedAudit shared = audit_screen(folder, options);
  ArmMatrix untrained;
  if (!options.untrained.empty() && shared.screen) {
    TrialEmbeddingPass pass =
        read_trial_embedding({.path = options.untrained, .obsm = {}, .same_order = false}, shared.screen->file->path(),
                             shared.screen->design, shared.eligible, {});
    untrained = {std::move(pass.z), pass.n_dims};
  }
  for (const std::string& arm : arms) analyse_arm(folder, arm, options, shared, untrained);
  TrialStageResult result;
  const TrialReportResult report = write_trial_report(folder.folder(), {.state_dir = options.place.state_dir});
  for (const std::string& arm : arms) result.lines.push_back(arm + ": " + headline_of(report, arm));
  result.state = trial::state_name(folder.state(arms.front()));
  result.report = report.html;
  return result;
}

TrialStageResult run_trial(const TrialRunOptions& options) {
  lock_trial(options.lock);
  const std::string& arm = options.lock.arm.name;
  {
    trial::TrialFolder folder =
        trial::TrialFolder::open_for_writing(options.lock.place.folder, folder_options(options.lock.place));
    folder.mark_run();
  }
  check_trial({.place = options.lock.place, .arm = arm});
  TrialStageResult tested = test_trial({.place = options.lock.place, .arm = arm});
  TrialPosthocOptions posthoc = options.posthoc;
  posthoc.place = options.lock.place;
  posthoc.arm = arm;
  const TrialStageResult analysed = posthoc_trial(posthoc);
  tested.report = analysed.report;
  tested.headline = analysed.lines.back();
  return tested;
}

}  // namespace scvet::jobs
