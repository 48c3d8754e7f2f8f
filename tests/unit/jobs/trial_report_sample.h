// Scores and analyses made up for tests of the trial's report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kill/reference_trial.h"
#include "scvet/base/files.h"
#include "scvet/trial/cascade.h"
#include "trial_training.h"

namespace scvet::jobs {

struct SampleR2 {
  double mag, baseline, model, gaussian, shuffle;
};

// Puts these R^2 (the same for every seed) into the results, with the outcome that follows from them.
inline void set_scores(trial::ReferenceResults& results, const SampleR2& r2, const trial::Protocol& protocol) {
  const std::pair<const char*, double> values[] = {{"MAG_ONLY", r2.mag},
                                                   {"BASELINE", r2.baseline},
                                                   {"MODEL", r2.model},
                                                   {"GAUSSIAN", r2.gaussian},
                                                   {"SHUFFLE", r2.shuffle}};
  std::vector<trial::PredictorScores> scores;
  for (const auto& [name, value] : values) {
    trial::PredictorScores of_predictor{.name = name, .seeds = {}};
    for (const std::uint32_t seed : protocol.seeds) {
      results.metrics[name][seed] = {value, value, 1 - value};
      of_predictor.seeds.push_back({value, value, 1 - value});
    }
    scores.push_back(of_predictor);
  }
  results.outcome = outcome_record(trial::decide(scores, protocol), results.outcome.prefix, results.outcome.role);
}

inline nlohmann::json sample_intervals(const char* unit, const char* low, const char* high) {
  using nlohmann::json;
  json comparison = {{"mean", "-0.0138849543472928"},
                     {"phase_mean", json::array({low, high})},
                     {"per_seed", json::array({json::array({low, high}), json::array({"-0.05", "0.05"})})}};
  return {{"unit", unit},
          {"units", 6},
          {"rows", 6},
          {"replicates", 2000},
          {"dropped", 3},
          {"seed", 20260605},
          {"comparisons",
           {{"BASELINE", comparison}, {"GAUSSIAN", comparison}, {"SHUFFLE", comparison}, {"MAG_ONLY", comparison}}}};
}

// posthoc.json and audits.json of an arm under the keys of trial/posthoc.h and trial/audits.h; some values undefined.
inline void write_sample_analyses(const std::string& folder, const std::string& arm) {
  using nlohmann::json;
  const json a1 = sample_intervals("row", "-0.0301", "0.0055"),
             a1g = sample_intervals("target_gene", "-0.0422", "0.0101");
  const std::string partial = "PARTIAL_EXTERNAL_REPLICATION";
  json posthoc = {
      {"schema", "scvet-trial-posthoc-1"},
      {"arm", arm},
      {"a1", a1},
      {"a1g", a1g},
      {"a2",
       {{"grid", {"0", "0.02"}},
        {"seeds_at_least", {{"mb", {1, 0}}, {"mg", {5, 4}}, {"gb", {0, 0}}}},
        {"margin",
         {{"invalid", "0.125"},
          {"mb_mean", "-0.0338"},
          {"mb_4th", nullptr},
          {"mg_mean", "0.0257"},
          {"mg_4th", "-0.01"},
          {"gb_mean", "-0.0995"}}},
        {"hypothetical",
         {{"mb", {partial, partial}},
          {"mg", {partial, partial}},
          {"gb", {partial, partial}},
          {"invalid", {partial, "INVALID"}},
          {"mb_seeds", {{"3", partial}, {"4", partial}, {"5", partial}}},
          {"mg_seeds", {{"3", partial}, {"4", partial}, {"5", partial}}}}}}},
      {"a4", {{"MAG_ONLY", {{"mean", "0.0934"}, {"positive", 5}, {"seeds", 5}}}}},
      {"probability",
       {{"replicates", 1997}, {"criteria", {{"mb_mean", "0.0125"}}}, {"categories", {{partial, "0.9"}}}}},
      {"reported_only", json::array({json({{"name", "PCA"},
                                           {"label", "PCA of the expression change"},
                                           {"matched", "dimension"},
                                           {"seeded", true},
                                           {"r2", {{"mean", "0.81"}, {"std", "0.01"}}},
                                           {"spearman", {{"mean", nullptr}, {"std", nullptr}}},
                                           {"mae", {{"mean", "0.2"}, {"std", "0.01"}}}})})},
      {"increment", {{"ridge_both", "0.87"}, {"ridge_x_unit", "0.86"}, {"difference", "0.01"}}},
      {"positive_rows", {{"rows", 5}, {"r2", {{"MODEL", "0.7"}, {"BASELINE", nullptr}}}}},
      {"regroupings",
       {{"count", 20}, {"seed", 20260610}, {"mean", "0.01"}, {"std", "0.02"}, {"low", "-0.03"}, {"high", "0.05"}}}};
  write_file(folder + "/arms/" + arm + "/posthoc.json", posthoc.dump() + "\n");
  const auto stratum = [&](const char* name, bool few) -> json {
    return {{"unit", "row"},
            {"stratum", name},
            {"rows", few ? 2 : 40},
            {"genes", 2},
            {"too_few", few},
            {"note", few ? "too few" : ""},
            {"mb", few ? json(nullptr) : json("0.01")},
            {"mg", few ? json(nullptr) : json("0.06")},
            {"sm", few ? json(nullptr) : json("-0.06")},
            {"a1", few ? json(nullptr) : a1},
            {"a1g", few ? json(nullptr) : a1g},
            {"sensitivity_category", few ? json(nullptr) : json(partial)}};
  };
  const auto group = [](const char* name) -> json {
    return {{"name", name}, {"rows", 2}, {"mb", "0.01"}, {"mg", "0.02"}, {"sm", nullptr}};
  };
  const json kind = {{"mean", "0.1"}, {"q95", "0.3"}, {"rho_n", "0.2"}};
  json audits = {
      {"schema", "scvet-trial-audits-1"},
      {"arm", arm},
      {"cell_count",
       {{"rows", 37},
        {"rho", {{"n_y", "0.15"}, {"n_y_equal", "0.103"}, {"n_y_free", "0.001"}, {"n_d15", nullptr}}},
        {"residual", {{"MODEL", {{"rho_n", "0.05"}, {"rho_n_given_norm", nullptr}}}}},
        {"tertiles", {{"bounds", {"11", "13"}}, {"groups", {group("low"), group("middle"), group("high")}}}}}},
      {"null_rows",
       {{"count", 200},
        {"matched", kind},
        {"ungrouped", kind},
        {"batch_difference", "0.002"},
        {"real_below_q95", "0.3"},
        {"real_rows", 37}}},
      {"overlap",
       {{"source", "cells.csv"},
        {"nontargeting", {{"exposed", 3}, {"clean", 100}, {"unknown", 17}, {"share", "0.029"}}},
        {"nontargeting_touches_all", true},
        {"strata", {stratum("clean", false), stratum("high", true)}}}},
      {"split_half", {{"r", "0.9"}, {"ceiling", "0.947"}, {"replicates", 5}}},
      {"clipped", {{"train", {{"rows", 25}, {"clipped", 2}, {"share", "0.08"}}}}},
      {"embedding",
       {{"constant_within_row", {{"ratio", "1e-9"}, {"flag", true}}},
        {"same_counts_different_embedding", {{"groups", 1}, {"cells", 2}, {"differing", 0}, {"flag", false}}},
        {"reextract", nullptr}}}};
  write_file(folder + "/arms/" + arm + "/audits.json", audits.dump() + "\n");
}

}  // namespace scvet::jobs
