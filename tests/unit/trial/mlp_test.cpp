#include "scvet/trial/mlp.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mlp_network.h"
#include "naive/mlp.h"
#include "npy.h"
#include "scvet/base/error.h"
#include "scvet/base/random.h"
#include "scvet/numeric/ridge.h"

namespace scvet::trial {
namespace {

using nlohmann::json;

std::vector<std::uint32_t> bits(std::span<const float> values) {
  std::vector<std::uint32_t> all;
  for (const float value : values) all.push_back(std::bit_cast<std::uint32_t>(value));
  return all;
}

struct Problem {
  std::int64_t rows, cols;
  std::vector<double> x, residual;
  std::vector<std::uint8_t> is_train;
  MatrixView<const double> view() const { return {x.data(), rows, cols}; }
};

Problem make_problem(std::int64_t rows, std::int64_t cols) {
  Stream stream(3);
  Problem made{.rows = rows, .cols = cols, .x = {}, .residual = {}, .is_train = {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    made.is_train.push_back(row % 4 != 1);
    for (std::int64_t col = 0; col < cols; ++col) made.x.push_back(2 * stream.unit() - 1);
    made.residual.push_back(made.is_train.back() ? made.x[static_cast<std::size_t>(row * cols)] : std::nan(""));
  }
  return made;
}

class Mlp : public ::testing::TestWithParam<SimdTarget> {};
INSTANTIATE_TEST_SUITE_P(Targets, Mlp, ::testing::ValuesIn(available_simd_targets()),
                         [](const auto& target) { return simd_name(target.param); });

struct Case {
  std::int64_t rows, cols;
  MlpSettings settings;
};

// Odd widths, a batch that is not a multiple of anything, one row in the last batch, one feature, tiny numbers that
// become denormal.
TEST_P(Mlp, HasTheBytesOfThePlainLoops) {
  const MlpSettings few{.epochs = 2};
  const Case cases[] = {{90, 12, few},
                        {87, 1, {.epochs = 1}},
                        {60, 37, {.hidden1 = 33, .hidden2 = 5, .batch = 7, .epochs = 3}},
                        {24, 3, {.hidden1 = 8, .hidden2 = 40, .batch = 17, .epochs = 3, .dropout = 0.5}},
                        {40, 5, {.hidden1 = 20, .hidden2 = 20, .batch = 100, .epochs = 3, .dropout = 0}}};
  for (const Case& one : cases) {
    SCOPED_TRACE(::testing::Message() << one.rows << " x " << one.cols);
    Problem problem = make_problem(one.rows, one.cols);
    for (const double scale : {1.0, 1e-20}) {
      for (double& value : problem.x) value *= scale;
      const MlpResult expected =
          naive::train_mlp(problem.view(), problem.residual, problem.is_train, 20260527, one.settings);
      const MlpResult found =
          train_mlp(problem.view(), problem.residual, problem.is_train, 20260527, one.settings, GetParam());
      EXPECT_EQ(bits(found.output), bits(expected.output));
      EXPECT_EQ(found.epoch_loss, expected.epoch_loss);
    }
  }
}

TEST(MlpTraining, LearnsALinearRule) {
  const Problem problem = make_problem(400, 6);
  const MlpResult found = train_mlp(problem.view(), problem.residual, problem.is_train, 1, {.epochs = 40});
  ASSERT_EQ(found.output.size(), 400u);
  EXPECT_LT(found.epoch_loss.back(), found.epoch_loss.front() / 10);
  double missed = 0;
  for (std::int64_t row = 0; row < problem.rows; ++row)
    if (!problem.is_train[static_cast<std::size_t>(row)])
      missed += std::abs(static_cast<double>(found.output[static_cast<std::size_t>(row)]) - problem.view()(row, 0));
  EXPECT_LT(missed / 100, 0.15);  // mean distance; that of 0 would be .5
}

TEST(MlpTraining, TheSeedIsAllThatIsRandom) {
  const Problem problem = make_problem(50, 4);
  const auto run = [&](std::uint32_t seed) {
    return train_mlp(problem.view(), problem.residual, problem.is_train, seed, {.epochs = 1}).output;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(MlpTraining, ResidualsOfOtherRowsAreNotRead) {
  Problem problem = make_problem(50, 4);
  const MlpResult with_nan = train_mlp(problem.view(), problem.residual, problem.is_train, 5, {.epochs = 1});
  for (double& value : problem.residual)
    if (std::isnan(value)) value = 1e6;
  EXPECT_EQ(train_mlp(problem.view(), problem.residual, problem.is_train, 5, {.epochs = 1}).output, with_nan.output);
  for (const float value : with_nan.output) EXPECT_TRUE(std::isfinite(value));
}

TEST(MlpTraining, WhatCannotBeTrainedIsSaid) {
  Problem problem = make_problem(8, 2);
  EXPECT_THROW(train_mlp(problem.view(), problem.residual, problem.is_train, 1, {.batch = 0}), UsageError);
  EXPECT_THROW(train_mlp(problem.view(), problem.residual, problem.is_train, 1, {.dropout = 1}), UsageError);
  problem.is_train.assign(8, 0);
  EXPECT_THROW(train_mlp(problem.view(), problem.residual, problem.is_train, 1, {}), DataError);
}

// ---- against torch's numbers ----

const std::string kSynth = SCVET_REFERENCE_DIR "/trial/synth/";
constexpr std::uint32_t kFirstSeed = 20260527;
const char* const kArms[] = {"strong", "partial", "no", "invalid", "count_leak"};

struct SyntheticScreen {
  json expected = json::parse(std::ifstream(kSynth + "expected.json"));
  std::vector<double> residual;  // of the anchor
  std::vector<std::uint8_t> is_train;

  SyntheticScreen() {
    std::ifstream table(kSynth + "rows.tsv");
    std::string line;
    std::getline(table, line);
    std::vector<double> y;
    std::vector<std::int32_t> fold;
    while (std::getline(table, line)) {
      std::vector<std::string> fields;
      std::stringstream text(line);
      for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
      y.push_back(std::stod(fields.at(4)));
      fold.push_back(std::stoi(fields.at(9)));
      is_train.push_back(fields.at(8) == "train");
    }
    const testing::NpyArray mag = testing::read_npy(kSynth + "mag.npy");
    const std::vector<double> grid{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
    const numeric::RidgeFit anchor = numeric::ridge_cv(mag.view(), y, fold, grid);
    for (std::size_t row = 0; row < y.size(); ++row) residual.push_back(y[row] - anchor.predictions[row]);
  }
  const json& detail(const std::string& arm) const {
    return expected.at("representations").at(arm).at("mlp_detail_model_first_seed");
  }
};

TEST(MlpTorch, FirstParametersAndTheFirstPermutationAreExact) {
  if (!std::filesystem::exists(kSynth)) GTEST_SKIP() << "no reference vectors at " << kSynth;
  const SyntheticScreen screen;
  const std::int64_t d = testing::read_npy(kSynth + "z_strong.npy").cols();
  for (const SimdTarget target : available_simd_targets()) {
    numeric::Mt19937 stream(kFirstSeed);
    const Layer first(d, 256, mlp_kernel(target), stream), second(256, 128, mlp_kernel(target), stream),
        third(128, 1, mlp_kernel(target), stream);
    const json& detail = screen.detail("strong");
    for (std::size_t at = 0; at < detail.at("init_w0").size(); ++at)
      EXPECT_EQ(static_cast<double>(first.weight(static_cast<std::int64_t>(at), 0)),
                detail["init_w0"][at].get<double>());
    EXPECT_EQ(static_cast<double>(third.bias()[0]), detail.at("init_b2").get<double>());
    const auto n_train = std::count(screen.is_train.begin(), screen.is_train.end(), 1);
    const std::vector<std::uint32_t> order = stream.torch_permutation(static_cast<std::uint32_t>(n_train));
    for (std::size_t at = 0; at < 16; ++at)
      EXPECT_EQ(order[at], detail.at("perm_epoch0_first16")[at].get<std::uint32_t>());
  }
}

TEST(MlpTorch, LossOfTheFirstEpochsAgreesForEveryArm) {
  if (!std::filesystem::exists(kSynth)) GTEST_SKIP() << "no reference vectors at " << kSynth;
  const SyntheticScreen screen;
  for (const std::string arm : kArms) {
    SCOPED_TRACE(arm);
    const testing::NpyArray z = testing::read_npy(kSynth + "z_" + arm + ".npy");
    const MlpResult found = train_mlp(z.view(), screen.residual, screen.is_train, kFirstSeed, {.epochs = 2});
    const json& loss = screen.detail(arm).at("epoch_loss");
    EXPECT_NEAR(found.epoch_loss[0] / loss[0].get<double>(), 1, 1e-5);
    // A unit that parts at its ReLU shows from the second epoch on: a looser bound.
    EXPECT_NEAR(found.epoch_loss[1] / loss[1].get<double>(), 1, 1e-3);
  }
}

}  // namespace
}  // namespace scvet::trial
