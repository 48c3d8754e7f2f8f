#include "trial_training.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "scvet/base/files.h"

namespace scvet::jobs {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool same_bits(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  bool same = a.size() == b.size();
  for (std::size_t seed = 0; same && seed < a.size(); ++seed) same = same_bits(a[seed], b[seed]);
  return same;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool same_bits(const trial::SeedScores& a, const trial::SeedScores& b) {
  return same_bits(a.r2, b.r2) && same_bits(a.spearman, b.spearman) && same_bits(a.mae, b.mae);
}

// Every (predictor, seed) of both: body(scores of a, scores of b).
template <typename Body>
bool each_pair(const trial::PartScores& a, const trial::PartScores& b, Body body) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, seeds] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.size() != seeds.size()) return false;
    for (const auto& [seed, scores] : seeds) {
      const auto found = other->second.find(seed);
      if (found == other->second.end()) return false;
      body(scores, found->second);
    }
  }
  return true;
}

}  // namespace

bool same_bits(const trial::PartScores& a, const trial::PartScores& b) {
  bool same = true;
  const bool alike =
      each_pair(a, b, [&](const trial::SeedScores& x, const trial::SeedScores& y) { same = same && same_bits(x, y); });
  return alike && same;
}

double parity_delta(const trial::PartScores& a, const trial::PartScores& b) {
  double largest = 0;
  const bool alike = each_pair(a, b, [&](const trial::SeedScores& x, const trial::SeedScores& y) {
    for (const double delta : {x.r2 - y.r2, x.spearman - y.spearman, x.mae - y.mae})
      if (!std::isnan(delta)) largest = std::max(largest, std::abs(delta));
  });
  return alike ? largest : std::numeric_limits<double>::infinity();
}

bool operator==(const TrainedArm& a, const TrainedArm& b) {
  return same_bits(a.fixed.mag_only, b.fixed.mag_only) && same_bits(a.fixed.baseline, b.fixed.baseline) &&
         same_bits(a.predictions.model, b.predictions.model) &&
         same_bits(a.predictions.gaussian, b.predictions.gaussian) &&
         same_bits(a.predictions.shuffle, b.predictions.shuffle) && same_bits(a.record.train, b.record.train) &&
         same_bits(a.record.val, b.record.val);
}

TrainedArm train_once(const trial::TrialFolder& folder, const trial::TrialData& data, const ArmMatrix& z) {
  const trial::Protocol& protocol = folder.protocol();
  TrainedArm trained;
  trained.fixed = trial::fit_fixed(data, protocol);
  trained.predictions =
      trial::train_arm(data, trained.fixed, z.view(static_cast<std::int64_t>(data.row_id.size())), protocol);
  trained.record.anchor_alpha = trained.fixed.anchor_alpha;
  trained.record.baseline_alpha = trained.fixed.baseline_alpha;
  const auto scores = [&](trial::Part part) {
    return part_scores(trial::score_part(data, trained.fixed, trained.predictions, part), protocol);
  };
  trained.record.train = scores(trial::Part::kTrain);
  trained.record.val = scores(trial::Part::kVal);
  return trained;
}

trial::PredictionsTable predictions_table(const trial::TrialData& data, const trial::ArmPredictions& predictions,
                                          const std::vector<std::uint32_t>& seeds) {
  trial::PredictionsTable table;
  table.seeds = seeds;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < data.row_id.size(); ++row) {
    if (data.split.part[row] == trial::Part::kTrain) continue;
    rows.push_back(row);
    table.row_id.push_back(data.row_id[row]);
    table.split.push_back(trial::part_name(data.split.part[row]));
  }
  const auto pick = [&](const std::vector<std::vector<double>>& all) {
    std::vector<std::vector<double>> picked;
    for (const std::vector<double>& seed : all) {
      picked.emplace_back();
      for (const std::size_t row : rows) picked.back().push_back(seed[row]);
    }
    return picked;
  };
  table.model = pick(predictions.model);
  table.gaussian = pick(predictions.gaussian);
  table.shuffle = pick(predictions.shuffle);
  return table;
}

trial::OutcomeRecord outcome_record(const trial::Outcome& outcome, std::string prefix, std::string role) {
  trial::OutcomeRecord record;
  record.category = trial::category_name(*outcome.category);
  record.invalid = outcome.invalid;
  record.mb_mean = outcome.mb_mean;
  record.mg_mean = outcome.mg_mean;
  record.gb_mean = outcome.gb_mean;
  record.positive = outcome.positive;
  record.mb_seeds = outcome.mb_seeds;
  record.mg_seeds = outcome.mg_seeds;
  record.mean_mb = outcome.deltas.mean_mb;
  record.mean_mg = outcome.deltas.mean_mg;
  record.mean_gb = outcome.deltas.mean_gb;
  record.mean_sm = outcome.deltas.mean_sm;
  record.mb = outcome.deltas.mb;
  record.mg = outcome.deltas.mg;
  record.gb = outcome.deltas.gb;
  record.sm = outcome.deltas.sm;
  record.prefix = std::move(prefix);
  record.role = std::move(role);
  return record;
}

std::vector<std::uint64_t> load_record_hashes(const trial::TrialFolder& folder) {
  const std::string path = folder.derived_path("record_hash.u64");
  if (!std::filesystem::exists(path)) return {};
  const std::string bytes = read_file(path);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(folder.data().n_cells));
  if (bytes.size() != hashes.size() * sizeof(std::uint64_t)) return {};
  std::memcpy(hashes.data(), bytes.data(), bytes.size());
  return hashes;
}

std::vector<std::string> flag_lines(const trial::EmbeddingFlags& flags) {
  std::vector<std::string> lines;
  if (flags.constant_within_row)
    lines.push_back(
        fmt::format("flag constant_within_row: the embedding hardly differs between cells of one row "
                    "(variance within / total {:.2g}): was it made per perturbation?",
                    flags.within_row_ratio));
  if (flags.same_counts_different_embedding)
    lines.push_back(
        fmt::format("flag same_counts_different_embedding: {} cells have the counts of another cell, but "
                    "another embedding: was more than the counts put in?",
                    flags.differing));
  return lines;
}

}  // namespace scvet::jobs
