#include "scvet/trial/strata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "scvet/base/error.h"
#include "scvet/numeric/regression.h"

namespace scvet::trial {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The largest share among the rows of a gene; rows of which nothing is known are passed over.
std::vector<double> by_gene(const StoredTest& test, const std::vector<double>& of_row) {
  std::map<std::string, double> largest;
  for (std::size_t row = 0; row < of_row.size(); ++row) {
    double& share = largest.try_emplace(test.target[row], kNaN).first->second;
    share = std::fmax(share, of_row[row]);  // passes over NaN
  }
  std::vector<double> of_gene;
  for (const std::string& target : test.target) of_gene.push_back(largest[target]);
  return of_gene;
}

void fill(StratumResult& result, const StoredTest& rows, const Protocol& protocol) {
  if (numeric::is_constant(rows.y)) {
    result.note = "all labels are equal: R^2 is not defined";
    return;
  }
  const std::vector<PredictorScores> scores = score_stored(rows);
  const Outcome outcome = decide(scores, protocol);
  result.scores = summarise(scores);
  result.deltas = outcome.deltas;
  if (result.stratum == Stratum::kClean) result.sensitivity_category = outcome.category;
  const auto resampled = [&](Unit unit) -> std::optional<BootstrapIntervals> {
    const Replicates replicates = bootstrap(rows, unit, protocol.bootstrap, protocol.bootstrap_seed);
    if (replicates.kept() == 0) return std::nullopt;
    return intervals(replicates, rows);
  };
  result.a1 = resampled(Unit::kRow);
  result.a1g = resampled(Unit::kTargetGene);
}

void add_strata(OverlapAudit& audit, const StoredTest& test, const char* unit, const std::vector<double>& share,
                const Protocol& protocol) {
  for (const Stratum stratum : {Stratum::kClean, Stratum::kLow, Stratum::kHigh, Stratum::kUnknown}) {
    std::vector<std::int64_t> rows;
    for (std::size_t row = 0; row < share.size(); ++row)
      if (stratum_of(share[row]) == stratum) rows.push_back(static_cast<std::int64_t>(row));
    const StoredTest part = select_rows(test, rows);
    StratumResult result;
    result.unit = unit;
    result.stratum = stratum;
    result.rows = static_cast<std::int64_t>(rows.size());
    result.genes = std::ssize(std::set<std::string>(part.target.begin(), part.target.end()));
    result.too_few = result.rows < kFewRows;
    if (result.too_few)
      result.note = fmt::format("too few: {} rows, {} are needed", result.rows, kFewRows);
    else
      fill(result, part, protocol);
    audit.strata.push_back(std::move(result));
  }
}

}  // namespace

double OverlapShare::share() const {
  const std::int64_t known = exposed + clean;
  return known == 0 ? kNaN : static_cast<double>(exposed) / static_cast<double>(known);
}

OverlapShare overlap_share(std::span<const CellOverlap> of_cell, std::span<const std::int64_t> cells) {
  OverlapShare found;
  for (const std::int64_t cell : cells) switch (of_cell[static_cast<std::size_t>(cell)]) {
      case CellOverlap::kExposed:
        ++found.exposed;
        break;
      case CellOverlap::kClean:
        ++found.clean;
        break;
      case CellOverlap::kUnknown:
        ++found.unknown;
        break;
    }
  return found;
}

const char* stratum_name(Stratum stratum) {
  constexpr const char* kNames[] = {"clean", "low", "high", "unknown"};
  return kNames[static_cast<int>(stratum)];
}

Stratum stratum_of(double share) {
  constexpr double kHigh = 0.5;
  if (std::isnan(share)) return Stratum::kUnknown;
  if (share == 0) return Stratum::kClean;
  return share < kHigh ? Stratum::kLow : Stratum::kHigh;
}

OverlapAudit audit_overlap(const StoredTest& test, std::span<const OverlapShare> of_test_row,
                           const OverlapShare& nontargeting, const Protocol& protocol, const std::string& source) {
  if (of_test_row.size() != test.y.size()) throw InternalError("overlap: expected one share a test row");
  OverlapAudit audit;
  audit.source = source;
  audit.nontargeting = nontargeting;
  audit.nontargeting_touches_all = nontargeting.share() >= kNontargetingOverlap;
  for (const OverlapShare& each : of_test_row) audit.row_share.push_back(each.share());
  add_strata(audit, test, "row", audit.row_share, protocol);
  add_strata(audit, test, "target_gene", by_gene(test, audit.row_share), protocol);
  return audit;
}

}  // namespace scvet::trial
