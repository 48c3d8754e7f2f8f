// The trial folder as the report sees it.
#include <filesystem>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "trial_common.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using trial::ArmState;
using trial::TrialFolder;

namespace {

// What the folder refuses to give is a problem of the report, not its end.
template <class Read>
void try_read(TrialView& view, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.exit_code() != 3 && error.exit_code() != 4) throw;
    for (const trial::Problem& known : view.problems)
      if (known.message == error.what()) return;
    view.problems.push_back({error.facts().reason, error.what(), error.facts().file});
  }
}

Json read_json(TrialView& view, const std::string& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  Json json = Json::parse(read_file(path), nullptr, false);
  if (json.is_object()) return json;
  view.problems.push_back({"", path + ": expected a JSON object", path});
  return nullptr;
}

std::vector<trial::PredictorScores> in_seed_order(const trial::PartScores& part, const trial::Protocol& protocol) {
  std::vector<trial::PredictorScores> scores;
  for (const char* const name : trial::kCascadePredictors) {
    trial::PredictorScores of_predictor{.name = name, .seeds = {}};
    const auto found = part.find(name);
    for (const std::uint32_t seed : protocol.seeds) {
      trial::Scores score;
      if (found != part.end() && found->second.contains(seed)) {
        const trial::SeedScores& stored = found->second.at(seed);
        score = {stored.r2, stored.spearman, stored.mae};
      }
      of_predictor.seeds.push_back(score);
    }
    scores.push_back(std::move(of_predictor));
  }
  return scores;
}

std::string abort_reason(const trial::Ledger& ledger, const std::string& arm) {
  std::string reason;
  for (const trial::LedgerEvent& event : ledger.events)
    if (event.arm == arm && event.event == "TEST_ABORTED")
      for (const char* const key : {"why", "reason"})
        if (const std::string text = trial::data_text(event.data, key); !text.empty()) reason = text;
  return reason;
}

ArmView read_arm(TrialView& view, const TrialFolder& folder, const std::string& name) {
  ArmView arm;
  arm.name = name;
  arm.state = folder.state(name);
  arm.history = folder.history(name);
  arm.shown = folder.disclosures(name);
  arm.prefixes = headline_prefixes(folder, name);
  arm.abort_reason = abort_reason(view.ledger, name);
  try_read(view, [&] { arm.record = folder.arm(name); });
  if (std::filesystem::exists(folder.arm_path(name, "sanity.json")))
    try_read(view, [&] { arm.sanity = folder.sanity(name); });
  if (std::filesystem::exists(folder.arm_path(name, "predictions.tsv")))
    try_read(view, [&] { arm.predictions = folder.predictions(name); });
  if (arm.state != ArmState::kTestDone) return arm;
  try_read(view, [&] {
    arm.stored = folder.outcome(name);
    arm.scores = in_seed_order(folder.metrics(name), view.protocol);
    arm.outcome = trial::decide(arm.scores, view.protocol);
  });
  if (view.test_labels.empty()) try_read(view, [&] { view.test_labels = folder.labels_test(name); });
  arm.posthoc = read_json(view, folder.arm_path(name, "posthoc.json"));
  arm.audits = read_json(view, folder.arm_path(name, "audits.json"));
  return arm;
}

}  // namespace

TrialView read_trial_view(const std::string& path, const std::string& state_dir) {
  trial::FolderOptions options;
  options.state_dir = state_dir;
  const TrialFolder folder = TrialFolder::open(path, options);
  TrialView view;
  view.folder = base_name(path);
  view.lock_id = folder.lock_id();
  view.problems = folder.problems();
  view.protocol = folder.protocol();
  view.data = folder.data();
  view.manifest = folder.manifest();
  view.ledger = folder.ledger();
  view.deposits = folder.deposits();
  try_read(view, [&] { view.rows = folder.rows(); });
  try_read(view, [&] { view.split = folder.split(); });
  try_read(view, [&] { view.labels = folder.labels_trainval(); });
  try_read(view, [&] {
    const std::string bytes = folder.fixed();
    if (!bytes.empty()) view.fixed = trial::parse_fixed(bytes, folder.path("fixed.tsv"));
  });
  for (const std::string& arm : folder.arms()) view.arms.push_back(read_arm(view, folder, arm));
  return view;
}

std::vector<const ArmView*> arms_of(const TrialView& view, bool sensitivity) {
  std::vector<const ArmView*> arms;
  for (const ArmView& arm : view.arms)
    if (arm.sensitivity() == sensitivity) arms.push_back(&arm);
  return arms;
}

const Json& at(const Json& json, std::initializer_list<const char*> keys) {
  static const Json kNull;
  const Json* here = &json;
  for (const char* const key : keys) {
    if (!here->is_object() || !here->contains(key)) return kNull;
    here = &(*here)[key];
  }
  return *here;
}

double real(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string())
    if (const auto value = parse_number(json.get<std::string>())) return *value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::int64_t whole(const Json& json) { return json.is_number_integer() ? json.get<std::int64_t>() : -1; }
std::string word(const Json& json) { return json.is_string() ? json.get<std::string>() : ""; }

const trial::PredictorScores& scores_of(const ArmView& arm, std::string_view predictor) {
  for (const trial::PredictorScores& scores : arm.scores)
    if (scores.name == predictor) return scores;
  throw InternalError("trial report: no scores of " + std::string(predictor));
}

double mean_of(const trial::PredictorScores& scores, double trial::Scores::*measure) {
  double sum = 0;
  for (const trial::Scores& seed : scores.seeds) sum += seed.*measure;
  return sum / static_cast<double>(scores.seeds.size());
}

std::vector<double> differences(const ArmView& arm, std::string_view a, std::string_view b) {
  const auto& first = scores_of(arm, a).seeds;
  const auto& second = scores_of(arm, b).seeds;
  std::vector<double> values;
  for (std::size_t seed = 0; seed < first.size(); ++seed) values.push_back(first[seed].r2 - second[seed].r2);
  return values;
}

}  // namespace scvet::jobs::trial_page
