// One training of the trial's network at the size of a genome-wide screen, on one thread: 7,300 train rows among 10,439,
// 25 epochs, by the width of the representation. SCVET_SIMD forces a target.
#include <benchmark/benchmark.h>

#include "scvet/base/random.h"
#include "scvet/trial/mlp.h"

namespace scvet::trial {
namespace {

constexpr std::int64_t kRows = 10'439, kTrain = 7'300;

void train(benchmark::State& state) {
  const std::int64_t n_features = state.range(0);
  Stream stream(1);
  std::vector<double> x(static_cast<std::size_t>(kRows * n_features)), residual;
  for (double& value : x) value = (2 * stream.unit() - 1) / static_cast<double>(n_features);
  std::vector<std::uint8_t> is_train;
  for (std::int64_t row = 0; row < kRows; ++row) {
    residual.push_back(stream.unit());
    is_train.push_back(row < kTrain);
  }
  double loss = 0;
  for (auto _ : state)
    loss = train_mlp({x.data(), kRows, n_features}, residual, is_train, 20260527, {}).epoch_loss.back();
  state.counters["loss"] = loss;
  state.SetLabel(simd_name(simd_target()));
}
BENCHMARK(train)->Name("mlp")->Arg(512)->Arg(768)->Arg(1280)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace scvet::trial

BENCHMARK_MAIN();
