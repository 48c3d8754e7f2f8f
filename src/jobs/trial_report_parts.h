// The pieces of a trial's report, each a section or a helper of several. Private to jobs.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/jobs/trial_report.h"
#include "scvet/report/charts.h"
#include "scvet/report/document.h"
#include "scvet/report/grid.h"
#include "scvet/trial/cascade.h"
#include "scvet/trial/trial_folder.h"

namespace scvet::jobs::trial_page {

using Json = nlohmann::json;

struct ArmView {
  std::string name;
  trial::ArmState state = trial::ArmState::kUnknown;
  trial::ArmHistory history;
  std::optional<trial::ArmRecord> record;
  trial::Disclosures shown;
  std::optional<trial::SanityRecord> sanity;
  std::optional<trial::OutcomeRecord> stored;
  std::optional<trial::PredictionsTable> predictions;
  std::vector<trial::PredictorScores> scores;  // of the test part; empty unless the test is done
  trial::Outcome outcome;                      // decided again from the scores
  std::string abort_reason;
  std::vector<std::string> prefixes;  // of the headline
  Json posthoc, audits;               // null where the file is not there

  bool done() const { return !scores.empty(); }
  bool sensitivity() const { return history.role == "sensitivity"; }
  std::string model() const { return record && !record->model.empty() ? record->model : name; }
};

// The folder as read; what cannot be read or does not fit its hash is a problem and absent here.
struct TrialView {
  std::string folder;  // its base name
  std::string lock_id;
  trial::Protocol protocol;
  trial::DataRecord data;
  trial::ManifestRecord manifest;
  trial::Ledger ledger;
  std::vector<trial::RowLine> rows;
  std::vector<trial::SplitLine> split;
  std::vector<trial::LabelLine> labels;       // train and val
  std::vector<trial::LabelLine> test_labels;  // empty unless an arm's test is done
  std::vector<trial::FixedLine> fixed;        // empty before the first sanity
  std::vector<ArmView> arms;
  std::vector<trial::Problem> problems;
  std::vector<trial::Deposit> deposits;
};
TrialView read_trial_view(const std::string& folder, const std::string& state_dir);

// Arms that may bear a category, and those that may not.
std::vector<const ArmView*> arms_of(const TrialView& view, bool sensitivity);

// Reading posthoc.json and audits.json: null where a key is not there; reals are strings.
const Json& at(const Json& json, std::initializer_list<const char*> keys);
double real(const Json& json);         // NaN for null
std::int64_t whole(const Json& json);  // -1 for null
std::string word(const Json& json);    // "" for null

// Numbers as the page shows them.
std::string delta_text(double value);  // +0.0292
std::string r2_text(double value);     // 0.7652
std::string interval_text(double low, double high);
std::string interval_text(const Json& pair);
report::Cell delta_cell(double value);
report::Cell r2_cell(double value);
report::Cell interval_of(const Json& pair);
report::Cell flag_cell(bool good, const char* yes, const char* no);
std::string bound_text(double value);  // 0.020
std::string counted(std::int64_t n, const char* one, const char* many);
std::string capital(std::string text);               // its first letter
std::string predictor_label(std::string_view name);  // MAG_ONLY -> Magnitude only
std::string category_label(std::string_view name);   // in words; the name itself where unknown
// "<prefix>-<number of the arm from 1>": unique in the page.
std::string numbered_arm(const char* prefix, const TrialView& view, const ArmView& arm);
report::Grid::Column text_column(std::string name, std::string explanation = "");
report::Grid::Column number_column(std::string name, std::string explanation = "");

const trial::PredictorScores& scores_of(const ArmView& arm, std::string_view predictor);
double mean_of(const trial::PredictorScores& scores, double trial::Scores::*measure);
std::vector<double> differences(const ArmView& arm, std::string_view a, std::string_view b);  // R^2 of a minus b

// Words (trial_report_words.cpp).
std::vector<TrialAnswer> answers(const TrialView& view, const ArmView& arm);
std::string headline(const TrialView& view, const ArmView& arm);
std::string verdict_sentence(const TrialView& view, const ArmView& arm);
report::Tone verdict_tone(const ArmView& arm);
TrialArmSummary summary_of(const TrialView& view, const ArmView& arm);

// Sections, in the order of the page.
void add_answers(report::Document& page, const TrialView& view);
void add_construct(report::Document& page, const TrialView& view);
void add_boundary(report::Document& page, const TrialView& view);
void add_criteria(report::Document& page, const TrialView& view);
void add_seeds(report::Document& page, const TrialView& view);
void add_arms(report::Document& page, const TrialView& view);
void add_intervals(report::Document& page, const TrialView& view);
void add_ranking(report::Document& page, const TrialView& view);
void add_margins(report::Document& page, const TrialView& view);
void add_calibration(report::Document& page, const TrialView& view);
void add_cell_number(report::Document& page, const TrialView& view);
void add_overlap(report::Document& page, const TrialView& view);
void add_reported_only(report::Document& page, const TrialView& view);
void add_sensitivity_arms(report::Document& page, const TrialView& view);
void add_checklist(report::Document& page, const TrialView& view);
void add_lineage(report::Document& page, const TrialView& view);
void add_limits(report::Document& page, const TrialView& view);
void add_methods(report::Document& page, const TrialView& view);
void add_verify(report::Document& page, const TrialView& view);

std::string methods_text(const TrialView& view);
std::vector<std::string> limit_texts(const TrialView& view);
std::string criteria_tsv(const TrialView& view);
std::string summary_json(const TrialView& view);

}  // namespace scvet::jobs::trial_page
