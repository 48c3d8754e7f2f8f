#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset.h"
#include "scvet/audit/texts.h"
#include "scvet/base/text.h"

namespace scvet::audit {
namespace {

constexpr double kLeastPower = .8;
constexpr double kSmallPanel = 500;  // genes per cell below which power falls quickly

// The digits that a small share needs: 2.5 %, 0.031 %.
std::string percent(double share) {
  int digits = 1;
  for (double least = .01; share > 0 && share < least && digits < 4; least /= 10) ++digits;
  return format_percent(share, digits);
}

const PlantPower* stated_plant(const DatasetAudit& audit, const AuditOptions& options) {
  for (const PlantPower& plant : audit.plants)
    if (plant.kept == options.thinning && plant.found.n > 0) return &plant;
  return nullptr;
}

// Why nothing firmer can be said, the weightiest first. Each begins with one word that names its kind.
std::vector<std::string> reasons(const DatasetAudit& audit, const AuditOptions& options,
                                 const std::string& power_reason) {
  std::vector<std::string> all;
  const MembershipShare& share = audit.membership;
  const PlantPower* plant = stated_plant(audit, options);
  if (audit.exposed.n == 0)
    all.push_back(fmt::format("size: no cell has {} genes on the shared panel", options.min_genes_same));
  if (!plant)
    all.push_back("power: not measured, " +
                  (power_reason.empty() ? std::string("no cell could be planted") : power_reason));
  else if (plant->found.share < kLeastPower)
    all.push_back(fmt::format("power: {}, below {}", plant_sentence(*plant), probability_text(kLeastPower)));
  if (asks_for(options, "uniform"))
    all.emplace_back("null: uniform asks whether a cell is a random gene set, which decides nothing about membership");
  if (audit.exposed.hits > 0)
    all.push_back(fmt::format("flags: {} cells are flagged, no more than the error rate measured on this data allows",
                              format_count(audit.exposed.hits)));
  if (share.high > options.clear_below)
    all.push_back(fmt::format("bound: up to {} of the cells could be in the corpus, above the {} asked for",
                              format_upper_percent(share.high), percent(options.clear_below)));
  if (options.sampled_share < 1)
    all.push_back(fmt::format("subsample: {} of the corpus was searched", percent(options.sampled_share)));
  if (audit.n_undecidable_rare > 0)
    all.push_back(fmt::format("rare types: {} cells have a close match that a rare type of cell explains as well",
                              format_count(audit.n_undecidable_rare)));
  if (audit.median_genes < kSmallPanel)
    all.push_back(fmt::format("panel: the median cell has {} genes on the shared panel, and power falls below about {}",
                              format_count(std::llround(audit.median_genes)), format_count(std::llround(kSmallPanel))));
  return all;
}

Verdict exposed(const DatasetAudit& audit) {
  Verdict verdict;
  verdict.kind = VerdictKind::kExposed;
  const MembershipShare& share = audit.membership;
  if (audit.flagged_exact.hits > 0) {
    verdict.sentence = fmt::format("Exposed: {} of {} cells ({}) are in the corpus with identical content",
                                   format_count(audit.flagged_exact.hits), format_count(audit.flagged_exact.n),
                                   percent(audit.flagged_exact.share));
    verdict.reasons.push_back(
        fmt::format("exact: {} cells have an exact match", format_count(audit.flagged_exact.hits)));
  } else {
    verdict.sentence =
        fmt::format("Exposed: {} of {} cells ({}) match a corpus cell as only the same cell does",
                    format_count(audit.exposed.hits), format_count(audit.exposed.n), percent(audit.exposed.share));
  }
  if (share.low > 0) {
    verdict.sentence += fmt::format("; at least {} of the cells are in the corpus", format_lower_percent(share.low));
    verdict.reasons.push_back(fmt::format("share: its 95 % lower bound is {}", format_lower_percent(share.low)));
  }
  verdict.sentence += ".";
  return verdict;
}

}  // namespace

Verdict decide_verdict(const DatasetAudit& audit, const AuditOptions& options, const std::string& power_reason) {
  const MembershipShare& share = audit.membership;
  Verdict verdict;
  const PlantPower* plant = stated_plant(audit, options);
  if (audit.flagged_exact.hits > 0 || share.low > 0) {
    verdict = exposed(audit);
  } else if (audit.exposed.n > 0 && plant && plant->found.share >= kLeastPower && share.high <= options.clear_below) {
    verdict.kind = VerdictKind::kClearedBelow;
    verdict.cleared_below = share.high;
    verdict.sentence = fmt::format(
        "Cleared below {}: no cell has an exact match, and at most {} of the cells can be in the corpus if copies keep "
        "{} of their molecules ({}). Not found, which is not proven absent.",
        format_upper_percent(share.high), format_upper_percent(share.high), percent(options.thinning),
        plant_sentence(*plant));
    if (options.sampled_share < 1)
      verdict.reasons.push_back(
          fmt::format("subsample: {} of the corpus was searched", percent(options.sampled_share)));
  } else {
    verdict.reasons = reasons(audit, options, power_reason);
    verdict.sentence = "Undecided: no cell has an exact match, and nothing firmer can be said";
    if (!verdict.reasons.empty()) verdict.sentence += fmt::format(" ({})", verdict.reasons.front());
    verdict.sentence += ".";
  }
  if (!audit.false_positives.calibrated)
    verdict.reasons.push_back(
        "calibration: the flags are not calibrated on this data; see the pairs that it flags within itself");
  return verdict;
}

}  // namespace scvet::audit
