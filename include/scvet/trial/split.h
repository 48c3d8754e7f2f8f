// Which part a row belongs to. The unit is the target gene: all rows of one gene lie in one part.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scvet::trial {

enum class Part : std::uint8_t { kTrain, kVal, kTest };
inline constexpr std::array<Part, 3> kParts{Part::kTrain, Part::kVal, Part::kTest};
const char* part_name(Part part);                                  // train, val, test
Part parse_part(std::string_view name, const std::string& where);  // DataError for another word

struct Split {
  std::vector<Part> part;          // one an eligible row, in table order
  std::vector<std::int32_t> fold;  // 0..n_folds-1; -1 outside train
};

inline constexpr std::uint32_t kSeedRpe1 = 20260601, kSeedK562Gwps = 20260602;  // published presets
// The seed that nobody chose: 8 hexadecimal digits of a digest over both.
std::uint32_t derived_split_seed(std::string_view counts_digest, std::string_view protocol_sha256);

// How many of n targets go to train and to val; the rest is test. Products in double, rounded half to even.
struct PartSizes {
  std::int64_t train, val, test;
};
PartSizes part_sizes(std::int64_t n_targets, const std::array<double, 3>& fractions);

// Targets sorted by bytes and permuted with `seed`; folds over the train rows. Every fold needs a target gene: DataError
// (reason infeasible).
Split make_split(std::span<const std::string> target_of_row, std::uint32_t seed, const std::array<double, 3>& fractions,
                 int n_folds);
// Parts as given for each target. DataError where a target has none or a part would be empty (reason infeasible).
Split make_split(std::span<const std::string> target_of_row, const std::map<std::string, Part>& part_of_target,
                 int n_folds);

// Folds over the train rows of parts that are fixed; a target gene in two parts is an InternalError.
Split with_folds(std::span<const std::string> target_of_row, std::vector<Part> part, int n_folds);

// Groups by size, largest first (of equal sizes the last in order first), each to the lightest fold so far, the lowest on
// ties: scikit-learn's GroupKFold from 1.9 on. Returns the fold of each item; n_groups >= n_folds (DataError, infeasible).
std::vector<std::int32_t> group_folds(std::span<const std::string> group_of_item, int n_folds);

std::int64_t leaked_targets(std::span<const std::string> target_of_row, const Split& split);  // in more than one part
std::int64_t count_rows(const Split& split, Part part);
std::int64_t count_targets(std::span<const std::string> target_of_row, const Split& split, Part part);
std::vector<std::int64_t> rows_of_part(const Split& split, Part part);  // in table order
std::vector<std::uint8_t> train_rows(const Split& split);               // 1 on train rows

}  // namespace scvet::trial
