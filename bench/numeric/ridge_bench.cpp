// Ridge with five folds and eight penalties, as the Baseline of a trial. By default a tenth of a genome-wide screen;
// SCVET_BENCH_FULL=1: 10,439 rows, 7,300 of them to learn from, 8,248 genes (dual form; 1.5 GB). SCVET_BENCH_ROWS,
// SCVET_BENCH_TRAIN and SCVET_BENCH_GENES give other sizes. SCVET_SIMD forces a target. The primal form is that of MAG, and
// of a representation of 512 numbers.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "scvet/base/cpu.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/numeric/exact_log.h"
#include "scvet/numeric/ridge.h"

namespace scvet::numeric {
namespace {

const std::vector<double> kGrid{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};

std::int64_t option(const char* name, std::int64_t small, std::int64_t full) {
  if (const char* number = std::getenv(name)) return std::atoll(number);
  const char* all = std::getenv("SCVET_BENCH_FULL");
  return all && *all ? full : small;
}

void fit(benchmark::State& state, std::int64_t n_columns) {
  set_workers(static_cast<int>(state.range(0)));
  const std::int64_t n_rows = option("SCVET_BENCH_ROWS", 1'044, 10'439);
  const std::int64_t n_train = option("SCVET_BENCH_TRAIN", 730, 7'300);
  Stream stream(1);
  std::vector<double> x(static_cast<std::size_t>(n_rows * n_columns)), y;
  for (double& value : x) value = 2 * stream.unit() - 1;
  std::vector<std::int32_t> fold;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    y.push_back(stream.unit() + x[static_cast<std::size_t>(row * n_columns)]);
    fold.push_back(row < n_train ? static_cast<std::int32_t>(row % 5) : -1);
  }
  double alpha = 0;
  for (auto _ : state) alpha = ridge_cv({x.data(), n_rows, n_columns}, y, fold, kGrid).alpha;
  state.counters["alpha"] = alpha;
  state.counters["rows"] = static_cast<double>(n_rows);
  state.counters["columns"] = static_cast<double>(n_columns);
  state.SetLabel(simd_name(simd_target()));
  set_workers(0);
}

void baseline(benchmark::State& state) { fit(state, option("SCVET_BENCH_GENES", 825, 8'248)); }
void representation(benchmark::State& state) { fit(state, 512); }
void anchor(benchmark::State& state) { fit(state, 4); }

void logarithm(benchmark::State& state) {
  Stream stream(2);
  std::vector<double> values(4096);
  for (double& value : values) value = 60 * stream.unit();
  double sum = 0;
  for (auto _ : state)
    for (const double value : values) sum += exact_log1p(value);
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations() * 4096);
}

BENCHMARK(logarithm)->Name("exact_log1p");
BENCHMARK(anchor)->Name("ridge_cv/anchor/workers")->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(representation)
    ->Name("ridge_cv/representation/workers")
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK(baseline)
    ->Name("ridge_cv/baseline/workers")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace scvet::numeric

BENCHMARK_MAIN();
