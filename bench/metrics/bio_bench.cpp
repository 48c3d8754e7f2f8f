// What the bio metrics spend their time on: silhouettes over all pairs, LISI from lists, K-means. Cells around 12 centres,
// normal noise. Arguments: cells, dimensions. One worker (SCVET_BENCH_WORKERS for another number); SCVET_SIMD forces a
// target.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "scvet/base/cpu.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/metrics/lisi.h"
#include "scvet/metrics/silhouette.h"
#include "scvet/numeric/kmeans.h"

namespace scvet::metrics {
namespace {

constexpr std::int32_t kLabels = 12;

struct Cells {
  std::vector<float> values;
  MatrixView<const float> x;
  Groups labels;

  Cells(std::int64_t n, std::int64_t d) {
    Stream stream(1);
    std::vector<float> centres;
    for (std::int64_t at = 0; at < kLabels * d; ++at) centres.push_back(static_cast<float>(stream.unit() - .5));
    std::vector<std::string> texts;
    for (std::int64_t cell = 0; cell < n; ++cell) {
      const auto label = static_cast<std::int64_t>(stream.below(kLabels));
      texts.push_back("label " + std::to_string(10 + label));
      for (std::int64_t col = 0; col < d; ++col)
        values.push_back(centres[static_cast<std::size_t>(label * d + col)] +
                         static_cast<float>(stream.unit() + stream.unit() + stream.unit() - 1.5));
    }
    x = {values.data(), n, d};
    labels = make_groups(texts);
  }
  Cells(const Cells&) = delete;
};

void use_workers() {
  const char* number = std::getenv("SCVET_BENCH_WORKERS");
  set_workers(number ? std::atoi(number) : 1);
}

void silhouette(benchmark::State& state) {
  use_workers();
  const Cells cells(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(silhouettes(cells.x, cells.labels));
  state.SetLabel(simd_name(simd_target()));
}

void k_means(benchmark::State& state) {
  use_workers();
  const Cells cells(state.range(0), state.range(1));
  double inertia = 0;
  for (auto _ : state) inertia = numeric::kmeans(cells.x, kLabels).inertia;
  state.counters["inertia"] = inertia;
  state.SetLabel(simd_name(simd_target()));
}

void lisi_of_lists(benchmark::State& state) {
  use_workers();
  const Cells cells(state.range(0), state.range(1));
  const auto lists = graph::exact_neighbours(cells.x, 90);
  for (auto _ : state) benchmark::DoNotOptimize(lisi(lists, cells.labels.of_cell, kLabels));
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t d : {50, 512})
    for (const std::int64_t n : {2'000, 8'000, 20'000}) bench->Args({n, d});
  bench->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK(silhouette)->Apply(sizes);
BENCHMARK(lisi_of_lists)->Apply(sizes);
BENCHMARK(k_means)->Apply(sizes);
// The largest tissue of Tabula Sapiens v2.
BENCHMARK(silhouette)
    ->Args({72'290, 50})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace scvet::metrics

BENCHMARK_MAIN();
