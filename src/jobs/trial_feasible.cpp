#include "trial_feasible.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/numeric/regression.h"

namespace scvet::jobs {
namespace {

constexpr std::int64_t kTestRows = 100, kTestTargets = 50, kFoldTargets = 5, kGenes = 1000;
constexpr double kMostZero = .5;

double share_zero(const std::vector<trial::LabelLine>& labels) {
  const auto zeros =
      std::count_if(labels.begin(), labels.end(), [](const trial::LabelLine& line) { return line.y == 0; });
  return labels.empty() ? 0 : static_cast<double>(zeros) / static_cast<double>(labels.size());
}

// Train genes of the poorest fold.
std::int64_t fewest_fold_targets(const trial::Split& split, std::span<const std::string> targets) {
  std::map<std::int32_t, std::set<std::string>> genes;
  for (std::size_t row = 0; row < targets.size(); ++row)
    if (split.fold[row] >= 0) genes[split.fold[row]].insert(targets[row]);
  std::int64_t fewest = genes.empty() ? 0 : static_cast<std::int64_t>(targets.size());
  for (const auto& [fold, names] : genes) fewest = std::min(fewest, static_cast<std::int64_t>(names.size()));
  return fewest;
}

void require_spread(const trial::LockContents& contents, const trial::Split& split) {
  std::map<std::string, double> y_of;
  for (const auto* labels : {&contents.labels_trainval, &contents.labels_test})
    for (const trial::LabelLine& line : *labels) y_of[line.row_id] = line.y;
  std::map<std::string, std::vector<double>> groups;
  for (std::size_t row = 0; row < contents.split.size(); ++row) {
    const double y = y_of.at(contents.split[row].row_id);
    groups[std::string("the ") + contents.split[row].split + " part"].push_back(y);
    if (split.fold[row] >= 0) groups[fmt::format("fold {} of the train part", split.fold[row])].push_back(y);
  }
  for (const auto& [name, y] : groups)
    if (numeric::is_constant(y))
      throw DataError(fmt::format("all labels of {} are equal: R^2 has no meaning there, and no flag can give it one; "
                                  "use a screen with more rows or more cells a row (reason=ss_tot_zero)",
                                  name),
                      {.field = name, .reason = "ss_tot_zero"});
}

}  // namespace

std::vector<std::string> require_feasible(const trial::LockContents& contents, const trial::Split& split,
                                          std::span<const std::string> targets, std::int64_t n_genes,
                                          bool underpowered) {
  const std::int64_t rows = trial::count_rows(split, trial::Part::kTest);
  const std::int64_t genes = trial::count_targets(targets, split, trial::Part::kTest);
  const std::int64_t fold = fewest_fold_targets(split, targets);
  const double zero = share_zero(contents.labels_trainval);
  std::vector<std::string> faults;
  if (rows < kTestRows) faults.push_back(fmt::format("{} test rows where {} are needed", rows, kTestRows));
  if (genes < kTestTargets)
    faults.push_back(fmt::format("{} test target genes where {} are needed", genes, kTestTargets));
  if (fold < kFoldTargets)
    faults.push_back(fmt::format("{} train genes in the smallest fold where {} are needed", fold, kFoldTargets));
  if (zero > kMostZero)
    faults.push_back(fmt::format("y = 0 in {} of train and val rows where half is the most", format_percent(zero)));
  if (share_zero(contents.labels_test) > kMostZero) faults.push_back("y = 0 in more than half of the test rows");
  if (n_genes < kGenes) faults.push_back(fmt::format("{} genes where {} are needed", n_genes, kGenes));
  if (!faults.empty() && !underpowered)
    throw DataError(fmt::format("this screen cannot decide the question: {}; use a larger one, or pass --underpowered, "
                                "which stands in the manifest and before the headline (reason=infeasible)",
                                join(faults, "; ")),
                    {.field = "counts", .reason = "infeasible"});
  require_spread(contents, split);
  std::vector<std::string> notes;
  for (const std::string& fault : faults) notes.push_back("UNDERPOWERED: " + fault);
  return notes;
}

}  // namespace scvet::jobs
