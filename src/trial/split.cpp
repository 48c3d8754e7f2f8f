#include "scvet/trial/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::trial {
const char* part_name(Part part) {
  constexpr const char* kNames[] = {"train", "val", "test"};
  return kNames[static_cast<int>(part)];
}

Part parse_part(std::string_view name, const std::string& where) {
  for (const Part part : kParts)
    if (name == part_name(part)) return part;
  throw DataError(fmt::format("{}: expected a part (train, val or test), found '{}'", where, name), {.file = where});
}

std::uint32_t derived_split_seed(std::string_view counts_digest, std::string_view protocol_sha256) {
  const std::string digest = sha256(fmt::format("scvet split 1\n{}\n{}\n", counts_digest, protocol_sha256));
  return static_cast<std::uint32_t>(std::stoul(digest.substr(0, 8), nullptr, 16));
}

PartSizes part_sizes(std::int64_t n_targets, const std::array<double, 3>& fractions) {
  const double n = static_cast<double>(n_targets);
  // rint in the default rounding mode is half to even.
  const auto train = static_cast<std::int64_t>(std::rint(fractions[0] * n));
  const auto val = static_cast<std::int64_t>(std::rint(fractions[1] * n));
  return {train, val, n_targets - train - val};
}

Split make_split(std::span<const std::string> target_of_row, std::uint32_t seed, const std::array<double, 3>& fractions,
                 int n_folds) {
  const std::vector<std::string> targets = sorted_distinct(target_of_row);
  const PartSizes sizes = part_sizes(static_cast<std::int64_t>(targets.size()), fractions);
  const std::vector<std::uint32_t> order =
      numeric::Mt19937(seed).permutation(static_cast<std::uint32_t>(targets.size()));
  std::map<std::string, Part> part_of_target;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto at = static_cast<std::int64_t>(place);
    const Part part = at < sizes.train ? Part::kTrain : at < sizes.train + sizes.val ? Part::kVal : Part::kTest;
    part_of_target[targets[order[place]]] = part;
  }
  return make_split(target_of_row, part_of_target, n_folds);
}

Split make_split(std::span<const std::string> target_of_row, const std::map<std::string, Part>& part_of_target,
                 int n_folds) {
  std::vector<Part> part;
  std::array<std::int64_t, 3> rows{};
  for (const std::string& target : target_of_row) {
    const auto found = part_of_target.find(target);
    if (found == part_of_target.end())
      throw DataError(fmt::format("split: expected a part for every target gene, found none for '{}'; add it to the "
                                  "split (reason=infeasible)",
                                  target),
                      {.field = target, .reason = "infeasible"});
    part.push_back(found->second);
    ++rows[static_cast<std::size_t>(found->second)];
  }
  for (const Part each : kParts)
    if (rows[static_cast<std::size_t>(each)] == 0)
      throw DataError(fmt::format("split: expected rows in train, val and test, found none in {} ({} rows in all); use "
                                  "data with more target genes (reason=infeasible)",
                                  part_name(each), target_of_row.size()),
                      {.field = part_name(each), .reason = "infeasible"});
  return with_folds(target_of_row, std::move(part), n_folds);
}

Split with_folds(std::span<const std::string> target_of_row, std::vector<Part> part, int n_folds) {
  std::vector<std::string> train;
  for (std::size_t row = 0; row < part.size(); ++row)
    if (part[row] == Part::kTrain) train.push_back(target_of_row[row]);
  const std::vector<std::int32_t> fold = group_folds(train, n_folds);
  Split split{std::move(part), {}};
  std::size_t next = 0;
  for (const Part of_row : split.part) split.fold.push_back(of_row == Part::kTrain ? fold[next++] : -1);
  if (const std::int64_t leaked = leaked_targets(target_of_row, split); leaked != 0)
    throw InternalError(fmt::format("split: {} target genes lie in more than one part", leaked));
  return split;
}

std::vector<std::int32_t> group_folds(std::span<const std::string> group_of_item, int n_folds) {
  std::map<std::string_view, std::int64_t> size_of;
  for (const std::string& group : group_of_item) ++size_of[group];
  if (static_cast<std::int64_t>(size_of.size()) < n_folds)
    throw DataError(fmt::format("folds: expected at least {} target genes in train (one a fold), found {}; use data "
                                "with more target genes (reason=infeasible)",
                                n_folds, size_of.size()),
                    {.field = "fold", .reason = "infeasible"});
  std::vector<std::pair<std::string_view, std::int64_t>> order(size_of.begin(), size_of.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::reverse(order.begin(), order.end());
  std::vector<std::int64_t> weight(static_cast<std::size_t>(n_folds), 0);
  std::map<std::string_view, std::int32_t> fold_of;
  for (const auto& [group, size] : order) {
    const auto lightest = std::min_element(weight.begin(), weight.end());  // the first of equal ones
    *lightest += size;
    fold_of[group] = static_cast<std::int32_t>(lightest - weight.begin());
  }
  std::vector<std::int32_t> fold;
  fold.reserve(group_of_item.size());
  for (const std::string& group : group_of_item) fold.push_back(fold_of[group]);
  return fold;
}

std::int64_t leaked_targets(std::span<const std::string> target_of_row, const Split& split) {
  std::map<std::string_view, std::set<Part>> parts_of;
  for (std::size_t row = 0; row < target_of_row.size(); ++row) parts_of[target_of_row[row]].insert(split.part[row]);
  return std::count_if(parts_of.begin(), parts_of.end(), [](const auto& entry) { return entry.second.size() > 1; });
}

std::int64_t count_rows(const Split& split, Part part) {
  return std::count(split.part.begin(), split.part.end(), part);
}

std::int64_t count_targets(std::span<const std::string> target_of_row, const Split& split, Part part) {
  std::set<std::string_view> targets;
  for (std::size_t row = 0; row < target_of_row.size(); ++row)
    if (split.part[row] == part) targets.insert(target_of_row[row]);
  return static_cast<std::int64_t>(targets.size());
}

std::vector<std::int64_t> rows_of_part(const Split& split, Part part) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < split.part.size(); ++row)
    if (split.part[row] == part) rows.push_back(static_cast<std::int64_t>(row));
  return rows;
}

std::vector<std::uint8_t> train_rows(const Split& split) {
  std::vector<std::uint8_t> is_train(split.part.size());
  std::transform(split.part.begin(), split.part.end(), is_train.begin(),
                 [](Part part) { return static_cast<std::uint8_t>(part == Part::kTrain); });
  return is_train;
}

}  // namespace scvet::trial
