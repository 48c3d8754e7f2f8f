// The network that a trial trains on a representation: Linear-ReLU-Dropout twice, then Linear to one output, float32,
// squared error, Adam with L2 decay, its random numbers those of torch on one CPU thread. docs/trial-numerics.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/cpu.h"
#include "scvet/base/matrix_view.h"

namespace scvet::trial {

struct MlpSettings {
  int hidden1 = 256, hidden2 = 128;
  int batch = 64, epochs = 25;
  double dropout = 0.1;
  double learning_rate = 1e-3;
  double weight_decay = 1e-4;
  bool operator==(const MlpSettings&) const = default;
};

struct MlpResult {
  std::vector<float> output;       // every row of x, without dropout
  std::vector<double> epoch_loss;  // mean squared error over the train rows while training
};

// x: all rows, cast to float once; residual: read on train rows only; is_train: one a row. One thread: run several
// trainings at once instead. No train row: DataError.
MlpResult train_mlp(MatrixView<const double> x, std::span<const double> residual,
                    std::span<const std::uint8_t> is_train, std::uint32_t seed, const MlpSettings& settings);
// The same on a given SIMD target, which the machine must have.
MlpResult train_mlp(MatrixView<const double> x, std::span<const double> residual,
                    std::span<const std::uint8_t> is_train, std::uint32_t seed, const MlpSettings& settings,
                    SimdTarget target);

}  // namespace scvet::trial
