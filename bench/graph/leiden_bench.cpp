// The 30 resolutions of the scan on the graph of 15 neighbours of simulated cells: 20 groups of unequal closeness in 30
// dimensions. SCVET_BENCH_FULL=1 adds 72,290 cells.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "../usage.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/graph/leiden.h"

namespace scvet::graph {
namespace {

WeightedGraph sample_graph(std::int64_t n) {
  constexpr std::int64_t kDims = 30;
  Stream random(3);
  std::vector<double> centres(20 * kDims);
  for (double& value : centres) value = 2 * random.unit() - 1;
  std::vector<float> x;
  for (std::int64_t row = 0; row < n; ++row) {
    const std::uint64_t group = random.below(20);
    for (std::int64_t col = 0; col < kDims; ++col)
      x.push_back(static_cast<float>(centres[group * kDims + static_cast<std::uint64_t>(col)] + random.unit() +
                                     random.unit() + random.unit()));
  }
  return fuzzy_graph(exact_neighbours(MatrixView<const float>(x.data(), n, kDims), 15), 15);
}

void scan(benchmark::State& state) {
  const WeightedGraph graph = sample_graph(state.range(0));
  set_workers(static_cast<int>(state.range(1)));
  std::vector<double> resolutions;
  for (int at = 1; at <= 30; ++at) resolutions.push_back(.1 * at);
  std::vector<Partition> found;
  for (auto _ : state) found = leiden(graph, resolutions);
  state.counters["edges"] = static_cast<double>(graph.cells.size()) / 2;
  state.counters["clusters_first"] = found.front().n_clusters;
  state.counters["clusters_last"] = found.back().n_clusters;
  state.counters["peak_MB"] = peak_mb();
  set_workers(0);
}

// One resolution in the process itself.
void one(benchmark::State& state) {
  const WeightedGraph graph = sample_graph(20'000);
  const double resolution = .1 * static_cast<double>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(leiden(graph, {&resolution, 1}));
}

BENCHMARK(one)->Name("leiden/tenths_of_resolution")->Arg(1)->Arg(10)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK(scan)
    ->Name("scan/cells/workers")
    ->Apply([](benchmark::internal::Benchmark* sizes) {
      const char* all = std::getenv("SCVET_BENCH_FULL");
      for (const std::int64_t n : {2'000, 20'000, 72'290})
        if (n <= 20'000 || (all && *all)) sizes->Args({n, 1})->Args({n, 2});
    })
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace
}  // namespace scvet::graph

BENCHMARK_MAIN();
