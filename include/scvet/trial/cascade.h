// The decision: from five R^2 a predictor to one category, by exact comparisons of doubles. docs/trial-analyses.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/trial/metrics.h"
#include "scvet/trial/protocol.h"

namespace scvet::trial {

enum class Category { kInvalid, kStrong, kCapacity, kPartial, kNo, kCustom };
inline constexpr std::array<Category, 5> kCategories{Category::kInvalid, Category::kStrong, Category::kCapacity,
                                                     Category::kPartial, Category::kNo};  // the cascade's
// INVALID, STRONG_EXTERNAL_REPLICATION, CAPACITY_ONLY_OR_AMBIGUOUS, PARTIAL_EXTERNAL_REPLICATION,
// NO_EXTERNAL_REPLICATION, CUSTOM.
const char* category_name(Category category);
const char* short_name(Category category);  // INVALID, STRONG, CAPACITY, PARTIAL, NO, CUSTOM
Category parse_category(std::string_view name, const std::string& where);

// Per seed, in protocol order; a mean is the sequential sum divided by the number of seeds.
struct Deltas {
  std::vector<double> mb, mg, gb, sm;  // Model-Baseline, Model-Gaussian, Gaussian-Baseline, Shuffle-Model
  double mean_mb = 0, mean_mg = 0, mean_gb = 0, mean_sm = 0;
};
Deltas make_deltas(std::vector<double> mb, std::vector<double> mg, std::vector<double> gb, std::vector<double> sm);
// Of unrounded R^2; scores as score_part gives them.
Deltas make_deltas(std::span<const PredictorScores> scores);

struct Criterion {
  std::string key;       // invalid, mb_mean, mb_seeds, mg_mean, mg_seeds, gb_mean, positive_mb, positive_mg
  std::string label;     // for people
  std::string category;  // the step it belongs to
  double value, bound;
  std::string op;  // <, >=, >
  bool passed;     // value op bound
};

struct Flag {
  std::string
      key;  // shuffle_above_model, gaussian_below_anchor, partial_below_baseline, baseline_below_anchor, near_threshold
  std::string text;  // one sentence with the numbers
};

struct Outcome {
  bool aborted = false;              // TEST_ABORTED: no category
  std::string abort_reason;          // why
  std::optional<Category> category;  // none where aborted; CUSTOM under a changed rule
  std::optional<Category> walked;    // what the rule in force gives, also where `category` is CUSTOM
  Deltas deltas;
  // As outcome.json names them.
  bool invalid = false, mb_mean = false, mg_mean = false, gb_mean = false, positive = false;
  int mb_seeds = 0, mg_seeds = 0;
  std::vector<Criterion> criteria;
  std::vector<Flag> flags;  // never change the category
};

// The steps alone, in their order; deltas must be finite.
Category walk_cascade(const Deltas& deltas, const CascadeRule& rule);
int seeds_at_least(std::span<const double> deltas, double bound);

// custom: the protocol's rule, order or number of seeds is not the default one (is_default_rule).
Outcome decide(const Deltas& deltas, const CascadeRule& rule, bool custom);
// The same from scores (score_part), with the flags that compare with the anchor.
Outcome decide(std::span<const PredictorScores> scores, const Protocol& protocol);

// Joined short names in the order given, e.g. PARTIAL_STRONG. The caller has compared protocol hashes.
std::string cross_phase_pattern(std::span<const Category> phases);

}  // namespace scvet::trial
