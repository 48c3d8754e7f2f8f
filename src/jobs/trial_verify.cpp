// `scvet trial verify`: anyone recomputes a trial. Level 1 needs the folder, 2 the inputs, 3 trains again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/jobs/trial.h"
#include "scvet/trial/cascade.h"
#include "scvet/trial/digests.h"
#include "scvet/trial/screen.h"
#include "scvet/trial/self_test.h"
#include "trial_common.h"
#include "trial_training.h"

namespace scvet::jobs {
namespace {

constexpr double kTolerance = 1e-12;

class Verification {
 public:
  Verification(const trial::TrialFolder& folder, const TrialVerifyOptions& options)
      : folder_(folder), options_(options), level_(options.full ? 3 : options.level) {}

  TrialVerifyResult run() {
    check_integrity();
    if (level_ == 1 || !result_.passed()) return std::move(result_);
    for (const std::string& arm : folder_.arms())
      if (folder_.state(arm) == trial::ArmState::kTestDone) done_.push_back(arm);
    if (done_.empty()) folder_.require_state(choose_arm(folder_, ""), trial::Step::kAfterDone);
    check_inputs();
    for (const std::string& arm : done_) check_arm(arm);
    return std::move(result_);
  }

 private:
  void add(const std::string& what, bool passed, const std::string& detail) {
    result_.checks.push_back({what, passed, detail});
  }
  void equal(const std::string& what, const std::string& expected, const std::string& found) {
    add(what, expected == found, expected == found ? found.substr(0, 16) : "expected " + expected + ", found " + found);
  }

  void check_integrity() {
    for (const trial::Problem& problem : folder_.problems())
      add("integrity: " + base_name(problem.file), false, problem.message + " (reason=" + problem.reason + ")");
    if (folder_.problems().empty())
      add("integrity: hashes, chain, head, mirror, states", true,
          fmt::format("{} ledger lines, lock {}", folder_.ledger().count(), folder_.lock_id().substr(0, 16)));
  }

  void check_inputs() {
    screen_ = reopen_screen(folder_, options_.counts);
    add("design of the counts", true, screen_->design.digest.substr(0, 16));
    if (options_.full)
      equal("SHA-256 of the raw file", folder_.data().counts_file_sha256, sha256_path(screen_->file->path()));
    log_info("reading the screen");
    const trial::Screen scan = trial::scan_screen(*screen_->counts, screen_->design,
                                                  {.min_cells = folder_.protocol().min_cells}, screen_->file->path());
    equal("counts digest", folder_.data().counts_digest, scan.counts_digest);
    check_labels(scan);
    const trial::Features features =
        trial::make_features(scan.x_delta, static_cast<std::int64_t>(scan.eligible.size()), scan.n_genes);
    equal("x_delta", folder_.manifest().x_delta_sha256, trial::array_sha256(scan.x_delta));
    equal("x_unit_delta", folder_.manifest().x_unit_delta_sha256, trial::array_sha256(features.x_unit_delta));
    equal("mag", folder_.manifest().mag_sha256, trial::array_sha256(features.mag));
    check_split(scan);
    record_hash_ = scan.record_hash;
  }

  void check_labels(const trial::Screen& scan) {
    std::map<std::string, double> y;
    for (const trial::LabelLine& line : folder_.labels_trainval()) y[line.row_id] = line.y;
    for (const trial::LabelLine& line : folder_.labels_test(done_.front())) y[line.row_id] = line.y;
    double largest = 0;
    std::size_t missing = 0;
    for (const std::int64_t row : scan.eligible) {
      const auto found = y.find(screen_->design.rows[static_cast<std::size_t>(row)].id);
      if (found == y.end())
        ++missing;
      else
        largest = std::max(largest, std::abs(found->second - scan.rows[static_cast<std::size_t>(row)].y));
    }
    const bool same = missing == 0 && y.size() == scan.eligible.size() && largest <= kTolerance;
    add("labels", same, fmt::format("{} rows, largest difference {:.3g}", scan.eligible.size(), largest));
  }

  // The parts from the seed, the folds from the parts.
  void check_split(const trial::Screen& scan) {
    const std::vector<std::string> targets = targets_of(screen_->design, scan.eligible);
    const std::vector<trial::SplitLine> lines = folder_.split();
    const trial::Protocol& protocol = folder_.protocol();
    trial::Split split;
    if (folder_.manifest().split_seed) {
      split = trial::make_split(targets, *folder_.manifest().split_seed, trial::split_fractions(protocol),
                                protocol.cv_folds);
    } else {
      std::map<std::string, trial::Part> parts;
      for (const trial::SplitLine& line : lines) parts[line.target_gene] = trial::parse_part(line.split, "split.tsv");
      split = trial::make_split(targets, parts, protocol.cv_folds);
    }
    bool same = lines.size() == targets.size();
    for (std::size_t row = 0; same && row < lines.size(); ++row)
      same = lines[row].split == trial::part_name(split.part[row]) && lines[row].fold == split.fold[row];
    add("split and folds", same, folder_.manifest().split_origin);
    if (folder_.manifest().split_origin != "derived") return;
    equal("split seed from counts and protocol",
          std::to_string(trial::derived_split_seed(scan.counts_digest, trial::protocol_hash(protocol))),
          std::to_string(*folder_.manifest().split_seed));
  }

  TrialEmbedding embedding_of(const std::string& arm) const {
    for (const auto& [name, path] : options_.embeddings) {
      if (name != arm) continue;
      TrialEmbedding embedding = load_paths(folder_).embeddings[arm];
      embedding.path = path;
      return embedding;
    }
    return {};
  }

  void check_arm(const std::string& arm) {
    const trial::ArmRecord record = folder_.arm(arm);
    const TrialEmbeddingPass pass = reread_embedding(folder_, arm, embedding_of(arm), *screen_, record_hash_);
    equal(arm + ": embedding", record.embedding_digest, pass.digest);
    equal(arm + ": z_emb", record.z_sha256, trial::array_sha256(pass.z));
    const auto loaded = load_trial(folder_);
    const trial::FixedPredictions fixed = parse_fixed_predictions(folder_, loaded->data);
    const trial::ArmPredictions stored = stored_predictions(folder_, arm, loaded->data);
    if (level_ >= 3) check_training(arm, loaded->data);
    reveal_labels(folder_, arm, loaded->data);
    const auto scores = trial::score_part(loaded->data, fixed, stored, trial::Part::kTest);
    add(arm + ": metrics from stored predictions",
        same_bits(part_scores(scores, folder_.protocol()), folder_.metrics(arm)), "every bit");
    const trial::Outcome outcome = trial::decide(scores, folder_.protocol());
    equal(arm + ": category", folder_.outcome(arm).category,
          outcome.category ? trial::category_name(*outcome.category) : "none");
  }

  void check_training(const std::string& arm, const trial::TrialData& data) {
    log_info(fmt::format("training arm {} again", arm));
    const TrainedArm trained = train_once(folder_, data, load_z(folder_, arm));
    const bool same_numerics = folder_.manifest().numerics == trial::numerics_id();
    const trial::SanityRecord sanity = folder_.sanity(arm);
    if (same_numerics) {
      const bool predictions =
          trial::predictions_tsv(predictions_table(data, trained.predictions, folder_.protocol().seeds)) ==
          trial::predictions_tsv(folder_.predictions(arm));
      add(arm + ": predictions trained again", predictions, "every bit");
      add(arm + ": fixed.tsv trained again", fixed_bytes(data, trained.fixed) == folder_.fixed(), "every bit");
      return;
    }
    // Another numerics: only how far apart, and whether the verdict would be the same.
    trial::TrialData revealed = data;
    reveal_labels(folder_, arm, revealed);
    const auto scores = trial::score_part(revealed, trained.fixed, trained.predictions, trial::Part::kTest);
    const trial::Outcome outcome = trial::decide(scores, folder_.protocol());
    const std::string category = outcome.category ? trial::category_name(*outcome.category) : "none";
    add(arm + ": trained again under other numerics", category == folder_.outcome(arm).category,
        fmt::format("largest val difference {:.3g}; same category: {}", parity_delta(trained.record.val, sanity.val),
                    category == folder_.outcome(arm).category ? "yes" : "no"));
  }

  const trial::TrialFolder& folder_;
  const TrialVerifyOptions& options_;
  int level_;
  std::vector<std::string> done_;
  std::optional<TrialScreenFile> screen_;
  std::vector<std::uint64_t> record_hash_;
  TrialVerifyResult result_;
};

}  // namespace

bool TrialVerifyResult::passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const TrialCheck& check) { return check.passed; });
}

TrialVerifyResult verify_trial(const TrialVerifyOptions& options) {
  trial::TrialFolder folder = trial::TrialFolder::open(options.place.folder, folder_options(options.place));
  folder.check_derived();
  return Verification(folder, options).run();
}

}  // namespace scvet::jobs
