#include "scvet/numeric/ridge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "cholesky.h"
#include "naive/ridge.h"
#include "npy.h"
#include "ridge_forms.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

using nlohmann::json;

struct Workers {
  explicit Workers(int count) { set_workers(count); }
  ~Workers() { set_workers(0); }
};

std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> all;
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

void expect_same_bytes(const RidgeFit& found, const RidgeFit& expected) {
  EXPECT_EQ(found.alpha, expected.alpha);
  EXPECT_EQ(bits(found.cv_scores), bits(expected.cv_scores));
  EXPECT_EQ(bits(found.weights), bits(expected.weights));
  EXPECT_EQ(found.intercept, expected.intercept);
  EXPECT_EQ(bits(found.predictions), bits(expected.predictions));
}

struct Problem {
  std::vector<double> x, y;
  std::vector<std::int32_t> fold;
  std::int64_t rows, cols;
  MatrixView<const double> view() const { return {x.data(), rows, cols}; }
};

// Every fifth row is not learned from, and its y is NaN: it must not matter.
Problem make_problem(std::int64_t rows, std::int64_t cols, std::uint64_t seed, int n_folds = 3) {
  Stream stream(seed);
  Problem made{.x = {}, .y = {}, .fold = {}, .rows = rows, .cols = cols};
  for (std::int64_t row = 0; row < rows; ++row) {
    double y = stream.unit();
    for (std::int64_t col = 0; col < cols; ++col) {
      made.x.push_back(stream.unit() + stream.unit() - 1);
      if (col % 7 == 0) y += made.x.back();
    }
    const bool given = row % 5 != 2;
    made.y.push_back(given ? y : std::nan(""));
    made.fold.push_back(given ? static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(n_folds))) : -1);
  }
  for (std::int32_t at = 0; at < n_folds && 5 * at < rows; ++at) made.fold[static_cast<std::size_t>(5 * at)] = at;
  return made;
}

class Ridge : public ::testing::TestWithParam<SimdTarget> {};
INSTANTIATE_TEST_SUITE_P(Targets, Ridge, ::testing::ValuesIn(available_simd_targets()),
                         [](const auto& target) { return simd_name(target.param); });

TEST_P(Ridge, HasTheBytesOfThePlainLoopsForAnyWorkers) {
  const std::vector<double> alphas{0.01, 1, 30};
  const std::pair<int, int> shapes[] = {{60, 1},  {60, 4},   {90, 25},   {41, 33},
                                        {40, 60}, {70, 203}, {330, 260}, {300, 300}};
  for (const auto& [rows, cols] : shapes) {
    const Problem problem = make_problem(rows, cols, 11);
    const RidgeFit expected = naive::ridge_cv(problem.view(), problem.y, problem.fold, alphas);
    for (const int count : {1, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << cols << ", workers " << count);
      const Workers workers(count);
      expect_same_bytes(ridge_cv_with(dense_kernel(GetParam()), problem.view(), problem.y, problem.fold, alphas),
                        expected);
    }
  }
}

// Larger than a panel and a tile, so that every part of the blocked code runs; the shapes leave odd ends.
TEST_P(Ridge, BlockedCholeskyHasTheBytesOfThePlainLoops) {
  for (const std::int64_t n : {1, 23, 24, 191, 193, 431}) {
    SCOPED_TRACE(n);
    const Problem problem = make_problem(n + 3, n, 5, 2);
    naive::Square square(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
    Cholesky factor(n, dense_kernel(GetParam()));
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t col = 0; col < n; ++col) {
        double value = row == col ? static_cast<double>(n) : 0;
        value +=
            problem.x[static_cast<std::size_t>(row * n + col)] + problem.x[static_cast<std::size_t>(col * n + row)];
        square[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)] = value;
        if (col >= row) factor.row(row)[col] = value;
      }
    std::vector<double> right(problem.x.begin(), problem.x.begin() + n);
    const std::vector<double> expected = naive::solve(square, right);
    ASSERT_TRUE(factor.factorise());
    factor.solve(right);
    EXPECT_EQ(bits(right), bits(expected));
  }
}

// Large enough to be shared among the workers.
TEST_P(Ridge, CholeskyHasTheSameBytesForAnyWorkers) {
  constexpr std::int64_t n = 800;
  std::vector<std::vector<std::uint64_t>> found;
  for (const int count : {1, 2, 3}) {
    const Workers workers(count);
    Cholesky factor(n, dense_kernel(GetParam()));
    Stream stream(1);
    for (std::int64_t row = 0; row < n; ++row) {
      for (std::int64_t col = row; col < n; ++col) factor.row(row)[col] = stream.unit() - 0.5;
      factor.row(row)[row] += n;
    }
    ASSERT_TRUE(factor.factorise());
    std::vector<double> right(n, 1.0);
    factor.solve(right);
    found.push_back(bits(right));
  }
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

TEST(RidgeCv, LargeDualFitHasTheSameBytesForAnyWorkers) {
  const Problem problem = make_problem(1700, 1400, 9, 2);
  const std::vector<double> alphas{1.0};
  set_workers(1);
  const RidgeFit one = ridge_cv(problem.view(), problem.y, problem.fold, alphas);
  const Workers workers(2);
  expect_same_bytes(ridge_cv(problem.view(), problem.y, problem.fold, alphas), one);
}

TEST(RidgeCv, SharedGramGivesTheSameFits) {
  const std::vector<double> alphas{0.1, 10};
  const Problem problem = make_problem(50, 80, 3);
  const RidgeGram gram(problem.view(), problem.fold);
  std::vector<double> other = problem.y;
  for (double& value : other) value = value * value;
  for (const std::vector<double>& y : {problem.y, other})
    expect_same_bytes(ridge_cv(gram, y, alphas), ridge_cv(problem.view(), y, problem.fold, alphas));
}

TEST(RidgeCv, ResidualsAreUncorrelatedWithTheColumnsWithoutAPenalty) {
  const Problem problem = make_problem(200, 6, 8);
  const std::vector<double> alphas{1e-12};
  const RidgeFit fit = ridge_cv(problem.view(), problem.y, problem.fold, alphas);
  for (std::int64_t col = 0; col < problem.cols; ++col) {
    double product = 0, sum = 0;
    for (std::size_t row = 0; row < problem.fold.size(); ++row) {
      if (problem.fold[row] < 0) continue;
      const double residual = problem.y[row] - fit.predictions[row];
      product += residual * problem.view().row(static_cast<std::int64_t>(row))[col];
      sum += residual;
    }
    EXPECT_NEAR(product, 0, 1e-9);
    EXPECT_NEAR(sum, 0, 1e-9);
  }
}

TEST(RidgeCv, EqualScoresGiveTheSmallerPenalty) {
  Problem problem = make_problem(30, 2, 4);
  std::fill(problem.x.begin(), problem.x.end(), 0.0);  // nothing to learn: every penalty predicts the mean
  const std::vector<double> alphas{0.5, 1, 2};
  const RidgeFit fit = ridge_cv(problem.view(), problem.y, problem.fold, alphas);
  EXPECT_EQ(fit.cv_scores[0], fit.cv_scores[2]);
  EXPECT_EQ(fit.alpha, 0.5);
}

TEST(RidgeCv, WhatCannotBeFittedIsSaid) {
  Problem problem = make_problem(30, 2, 4);
  const std::vector<double> alphas{0.0}, some{1.0};
  std::vector<double> constant(problem.y.size(), 0.1);
  try {
    ridge_cv(problem.view(), constant, problem.fold, some);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "ss_tot_zero");
  }
  std::fill(problem.x.begin(), problem.x.end(), 0.0);
  try {
    ridge_cv(problem.view(), problem.y, problem.fold, alphas);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "not_positive_definite");
  }
  std::fill(problem.fold.begin(), problem.fold.end(), 0);
  EXPECT_THROW(ridge_cv(problem.view(), problem.y, problem.fold, some), DataError);
  problem.fold[3] = 2;  // no row in fold 1
  EXPECT_THROW(ridge_cv(problem.view(), problem.y, problem.fold, some), DataError);
}

// ---- against scikit-learn's numbers ----

const std::string kTrial = SCVET_REFERENCE_DIR "/trial/";
const std::vector<double> kGrid{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};

std::vector<std::map<std::string, std::string>> read_rows(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::stringstream fields(line);
    std::map<std::string, std::string> row;
    std::size_t at = 0;
    for (std::string field; std::getline(fields, field, '\t'); ++at) {
      if (rows.empty() && row.empty() && names.size() == at)
        names.push_back(field);
      else
        row[names.at(at)] = field;
    }
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

// Stable GroupKFold: the fold rule of the trial's contract (biggest groups first, each to the lightest fold).
std::vector<std::int32_t> group_folds(const std::vector<std::map<std::string, std::string>>& rows, int n_folds) {
  std::map<std::string, std::int64_t> sizes;
  for (const auto& row : rows)
    if (row.at("split") == "train") ++sizes[row.at("target_gene")];
  std::vector<std::pair<std::string, std::int64_t>> groups(sizes.begin(), sizes.end());
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::reverse(groups.begin(), groups.end());
  std::vector<std::int64_t> load(static_cast<std::size_t>(n_folds));
  std::map<std::string, std::int32_t> fold_of;
  for (const auto& [group, size] : groups) {
    const auto lightest = std::min_element(load.begin(), load.end()) - load.begin();
    load[static_cast<std::size_t>(lightest)] += size;
    fold_of[group] = static_cast<std::int32_t>(lightest);
  }
  std::vector<std::int32_t> folds;
  for (const auto& row : rows) folds.push_back(row.at("split") == "train" ? fold_of.at(row.at("target_gene")) : -1);
  return folds;
}

struct Features {
  std::vector<double> unit, mag;
};
Features features_of(MatrixView<const double> delta) {
  Features made;
  const double n = static_cast<double>(delta.cols);
  for (std::int64_t row = 0; row < delta.rows; ++row) {
    double sum = 0, squares = 0, most = delta.row(row)[0], spread = 0;
    for (const double value : delta.row_span(row)) {
      sum += value;
      squares += value * value;
      most = std::max(most, value);
    }
    for (const double value : delta.row_span(row)) spread += (value - sum / n) * (value - sum / n);
    for (const double value : delta.row_span(row)) made.unit.push_back(squares > 0 ? value / std::sqrt(squares) : 0.0);
    made.mag.insert(made.mag.end(), {sum / n, std::sqrt(squares) / std::sqrt(n), most, std::sqrt(spread / n)});
  }
  return made;
}

void expect_near(const json& expected, std::span<const double> found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t at = 0; at < found.size(); ++at)
    EXPECT_NEAR(found[at], expected[at].get<double>(), 1e-8 * std::max(1.0, std::abs(expected[at].get<double>())));
}

void expect_published_ridges(const json& expected, MatrixView<const double> delta, std::span<const double> y,
                             std::span<const std::int32_t> fold) {
  const Features features = features_of(delta);
  const RidgeFit anchor = ridge_cv({features.mag.data(), delta.rows, 4}, y, fold, kGrid);
  EXPECT_EQ(anchor.alpha, expected.at("anchor_alpha").get<double>());
  expect_near(expected.at("anchor_cv"), anchor.cv_scores);
  expect_near(expected.at("anchor_coef"), anchor.weights);
  EXPECT_NEAR(anchor.intercept, expected.at("anchor_intercept").get<double>(), 1e-8);
  std::vector<double> residual;
  for (std::size_t row = 0; row < y.size(); ++row) residual.push_back(y[row] - anchor.predictions[row]);
  const RidgeFit base = ridge_cv({features.unit.data(), delta.rows, delta.cols}, residual, fold, kGrid);
  EXPECT_EQ(base.alpha, expected.at("baseline_alpha").get<double>());
  expect_near(expected.at("baseline_cv"), base.cv_scores);
  EXPECT_NEAR(base.intercept, expected.at("baseline_intercept").get<double>(), 1e-8);
}

TEST(RidgeCv, AgreesWithScikitLearnOnTheSyntheticScreen) {
  if (!std::filesystem::exists(kTrial)) GTEST_SKIP() << "no reference vectors at " << kTrial;
  const auto rows = read_rows(kTrial + "synth/rows.tsv");
  std::vector<double> y;
  std::vector<std::int32_t> fold;
  for (const auto& row : rows) {
    fold.push_back(std::stoi(row.at("fold")));
    y.push_back(fold.back() < 0 ? std::nan("") : std::stod(row.at("y")));
  }
  EXPECT_EQ(group_folds(rows, 5), fold);
  const json all = json::parse(std::ifstream(kTrial + "synth/expected.json"));
  const testing::NpyArray delta = testing::read_npy(kTrial + "synth/x_delta.npy");
  expect_published_ridges(all.at("representations").at("strong"), delta.view(), y, fold);
}

TEST(RidgeCv, AgreesWithScikitLearnOnTheScenarios) {
  if (!std::filesystem::exists(kTrial)) GTEST_SKIP() << "no reference vectors at " << kTrial;
  int seen = 0;
  for (const auto& folder : std::filesystem::directory_iterator(kTrial + "scenarios")) {
    const std::string path = folder.path().string() + "/";
    SCOPED_TRACE(path);
    const auto rows = read_rows(path + "rows.tsv");
    std::vector<double> y = testing::read_npy(path + "y.npy").values;
    const std::vector<std::int32_t> fold = group_folds(rows, 5);
    for (std::size_t row = 0; row < y.size(); ++row)
      if (fold[row] < 0) y[row] = std::nan("");
    expect_published_ridges(json::parse(std::ifstream(path + "expected.json")),
                            testing::read_npy(path + "x_delta.npy").view(), y, fold);
    ++seen;
  }
  EXPECT_EQ(seen, 6);
}

}  // namespace
}  // namespace scvet::numeric
