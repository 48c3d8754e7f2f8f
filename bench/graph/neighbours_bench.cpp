// The exact neighbour search, 90 entries a cell. Cells lie about 30 centres, a tenth of the spread between centres apart
// from them, in 16 directions; noise of a hundredth of it in all. SCVET_SIMD forces a target. GFLOP/s count two operations
// a dimension and ordered pair; `peak` is their share of cores x clock x lanes x 2 (multiplication and addition) x 2
// (units), the clock measured by a chain of dependent additions beside the run. A product serves both of its rows, so the
// whole search can exceed that peak.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "../usage.h"
#include "neighbour_kernel.h"
#include "scvet/base/aligned_buffer.h"
#include "scvet/base/cpu.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/graph/neighbours.h"

namespace scvet::graph {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Dependent additions of a register take one cycle each.
double clock_hz() {
  constexpr long kAdditions = 50'000'000;
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double begin = thread_seconds();
    long sum = 0;
    for (long at = 0; at < kAdditions; ++at) asm volatile("add $1, %0" : "+r"(sum));
    best = std::min(best, thread_seconds() - begin);
  }
  return kAdditions / best;
}

double peak_flops(SimdTarget target) {
  const int lanes = target == SimdTarget::kAvx512 ? 16 : target == SimdTarget::kAvx2 ? 8 : 4;
  const int operations = target == SimdTarget::kScalar ? 1 : 2;  // without fused operations a unit does one at a time
  return clock_hz() * lanes * operations * 2;
}

std::vector<float> cells(std::int64_t n, std::int64_t n_dims) {
  constexpr std::int64_t kCentres = 30, kDirections = 16;
  Stream random(1);
  std::vector<float> centres(static_cast<std::size_t>(kCentres * n_dims)),
      directions(static_cast<std::size_t>(kDirections * n_dims));
  for (float& value : centres) value = static_cast<float>(2 * random.unit() - 1);
  for (float& value : directions) value = static_cast<float>(.1 * (2 * random.unit() - 1));
  std::vector<float> x(static_cast<std::size_t>(n * n_dims));
  for (std::int64_t row = 0; row < n; ++row) {
    float along[kDirections];
    for (float& value : along) value = static_cast<float>(2 * random.unit() - 1);
    const auto centre = static_cast<std::int64_t>(random.below(kCentres));
    for (std::int64_t col = 0; col < n_dims; ++col) {
      float value = centres[static_cast<std::size_t>(centre * n_dims + col)] + static_cast<float>(.02 * random.unit());
      for (std::int64_t at = 0; at < kDirections; ++at)
        value += along[at] * directions[static_cast<std::size_t>(at * n_dims + col)];
      x[static_cast<std::size_t>(row * n_dims + col)] = value;
    }
  }
  return x;
}

void search(benchmark::State& state) {
  const std::int64_t n = state.range(0), n_dims = state.range(1);
  set_workers(static_cast<int>(state.range(2)));
  const std::vector<float> x = cells(n, n_dims);
  const double begin = cpu_seconds();
  for (auto _ : state) benchmark::DoNotOptimize(exact_neighbours(MatrixView<const float>(x.data(), n, n_dims), 90));
  const double seconds = cpu_seconds() - begin;
  const double flops = 2. * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n_dims);
  state.counters["cpu_s"] = seconds / static_cast<double>(state.iterations());
  state.counters["GFLOP/s_core"] = 1e-9 * flops * static_cast<double>(state.iterations()) / seconds;
  state.counters["peak_MB"] = peak_mb();
  state.SetLabel(simd_name(simd_target()));
  set_workers(0);
}

// The kernel with its test on blocks that fit the second cache, as the search uses it; nothing passes.
void kernel(benchmark::State& state) {
  const NeighbourKernel& one = neighbour_kernel(simd_target());
  const std::int64_t n_dims = state.range(0), rows = std::clamp<std::int64_t>((1 << 17) / n_dims / 48 * 48, 48, 480);
  Stream random(2);
  AlignedBuffer<float> left(rows * n_dims), right(rows * n_dims), never(48), zero(48);
  for (std::int64_t at = 0; at < rows * n_dims; ++at) {
    left[at] = static_cast<float>(random.unit());
    right[at] = static_cast<float>(random.unit());
  }
  for (int at = 0; at < 48; ++at) never[at] = std::numeric_limits<float>::infinity();
  const TileSide side{never.data(), zero.data(), zero.data()};
  float products[NeighbourKernel::kMaxRows * NeighbourKernel::kMaxCols];
  std::uint64_t hits[NeighbourKernel::kMaxRows];
  const double peak = peak_flops(simd_target()), begin = thread_seconds();
  for (auto _ : state)
    for (std::int64_t col = 0; col < rows; col += one.cols)
      for (std::int64_t row = 0; row < rows; row += one.rows)
        benchmark::DoNotOptimize(
            one.tile(n_dims, left.data() + row * n_dims, right.data() + col * n_dims, side, side, products, hits));
  const double flops = 2. * static_cast<double>(rows * rows * n_dims) * static_cast<double>(state.iterations());
  const double rate = flops / (thread_seconds() - begin);
  state.counters["GFLOP/s"] = 1e-9 * rate;
  state.counters["peak"] = rate / peak;
  state.SetLabel(simd_name(simd_target()));
}

BENCHMARK(kernel)->Name("kernel/dims")->Arg(50)->Arg(128)->Arg(512)->Arg(2000);
BENCHMARK(search)
    ->Name("exact_neighbours/cells/dims/workers")
    ->ArgsProduct({{2'000, 8'000, 20'000, 72'290}, {50}, {1, 2}})
    ->ArgsProduct({{2'000, 20'000}, {512}, {1, 2}})
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace
}  // namespace scvet::graph

BENCHMARK_MAIN();
