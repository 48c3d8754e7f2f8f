// Overlap of the test rows with what the model was pretrained on, and the deltas within strata of it (specification
// 21.3). A reading aid, no outcome: nothing is trained again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scvet/trial/posthoc.h"

namespace scvet::trial {

enum class CellOverlap : std::int8_t { kUnknown = -1, kClean = 0, kExposed = 1 };

struct OverlapShare {
  std::int64_t exposed = 0, clean = 0, unknown = 0;
  double share() const;  // exposed / (exposed + clean); NaN where nothing is known
};
OverlapShare overlap_share(std::span<const CellOverlap> of_cell, std::span<const std::int64_t> cells);

enum class Stratum { kClean, kLow, kHigh, kUnknown };  // share 0, below 0.5, from 0.5 on; nothing known
const char* stratum_name(Stratum stratum);
Stratum stratum_of(double share);

inline constexpr std::int64_t kFewRows = 30;
inline constexpr double kNontargetingOverlap = 0.01;  // from here on the control cells touch every representation

struct StratumResult {
  std::string unit;  // row, target_gene: whose share decides (a gene has the largest of its rows)
  Stratum stratum = Stratum::kClean;
  std::int64_t rows = 0, genes = 0;
  bool too_few = false;  // below kFewRows: no numbers
  std::vector<PredictorSummary> scores;
  std::optional<Deltas> deltas;
  std::optional<BootstrapIntervals> a1, a1g;
  std::optional<Category> sensitivity_category;  // clean stratum only
  std::string note;                              // why numbers are missing
};

struct OverlapAudit {
  std::string source;  // what was audited
  OverlapShare nontargeting;
  bool nontargeting_touches_all = false;
  std::vector<double> row_share;  // one a test row, NaN unknown
  std::vector<StratumResult> strata;
};
OverlapAudit audit_overlap(const StoredTest& test, std::span<const OverlapShare> of_test_row,
                           const OverlapShare& nontargeting, const Protocol& protocol, const std::string& source);

}  // namespace scvet::trial
