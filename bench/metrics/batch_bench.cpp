// The batch metrics on Gaussian labels and batches: cells x dimensions, 12 labels of falling sizes, 5 batches. Neighbours
// and graph are made beforehand, as the benchmark shares them. SCVET_BENCH_FULL=1 adds 72,290 x 50, the largest tissue of
// Tabula Sapiens v2.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "../usage.h"
#include "scvet/base/random.h"
#include "scvet/metrics/metric.h"

namespace scvet::metrics {
namespace {

constexpr int kLabels = 12, kBatches = 5;

struct Cells {
  std::int64_t n = 0, n_dims = 0;
  std::vector<float> x;
  Groups labels, batches;
  graph::Neighbours neighbours;
  graph::WeightedGraph fuzzy;

  MetricInput input() const {
    MetricInput made;
    made.x = {x.data(), n, n_dims};
    made.labels = &labels;
    made.batches = &batches;
    made.neighbours = &neighbours;
    made.fuzzy = &fuzzy;
    return made;
  }
};

double normal(Stream& stream) {
  return std::sqrt(-2 * std::log(1 - stream.unit())) * std::cos(2 * std::numbers::pi * stream.unit());
}

std::unique_ptr<Cells> make_cells(std::int64_t n, std::int64_t n_dims) {
  auto cells = std::make_unique<Cells>();
  cells->n = n;
  cells->n_dims = n_dims;
  Stream stream(stream_key(1, 1));
  std::vector<double> centres(static_cast<std::size_t>((kLabels + kBatches) * n_dims));
  for (double& value : centres) value = normal(stream);
  std::vector<std::string> label, batch;
  for (std::int64_t cell = 0; cell < n; ++cell) {
    const auto of_label = static_cast<std::int64_t>(stream.unit() * stream.unit() * kLabels);
    const auto of_batch = static_cast<std::int64_t>(stream.below(kBatches));
    label.push_back("label " + std::to_string(of_label));
    batch.push_back("batch " + std::to_string(of_batch));
    for (std::int64_t dim = 0; dim < n_dims; ++dim)
      cells->x.push_back(static_cast<float>(
          1.5 * centres[static_cast<std::size_t>(of_label * n_dims + dim)] +
          0.3 * centres[static_cast<std::size_t>((kLabels + of_batch) * n_dims + dim)] + normal(stream)));
  }
  cells->labels = make_groups(label);
  cells->batches = make_groups(batch);
  return cells;
}

// Kept between the metrics of a size: the neighbours take longer than most of them.
const Cells& cells_of(std::int64_t n, std::int64_t n_dims, bool with_neighbours) {
  static std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<Cells>> kept;
  std::unique_ptr<Cells>& cells = kept[{n, n_dims}];
  if (!cells) cells = make_cells(n, n_dims);
  if (with_neighbours && cells->neighbours.n_cells == 0) {
    cells->neighbours = graph::exact_neighbours(cells->input().x, 90);
    cells->fuzzy = graph::fuzzy_graph(cells->neighbours, 50);
  }
  return *cells;
}

const MetricRecord& record(const std::string& name) {
  for (const MetricRecord* each : metrics_of("batch_mixing"))
    if (each->name == name) return *each;
  throw std::out_of_range(name);
}

void measure(benchmark::State& state, const char* name) {
  const MetricRecord& metric = record(name);
  const bool with_neighbours = (metric.needs & (kNeedsNeighbours | kNeedsFuzzy)) != 0;
  const Cells& cells = cells_of(state.range(0), state.range(1), with_neighbours);
  double value = 0, cpu = cpu_seconds();
  for (auto _ : state) value = metric.compute(cells.input()).value;
  state.counters["cpu_s"] = (cpu_seconds() - cpu) / static_cast<double>(state.iterations());
  state.counters["peak_mb"] = peak_mb();
  state.counters["value"] = value;
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t n : {2'000, 8'000, 20'000}) bench->Args({n, 50});
  const char* full = std::getenv("SCVET_BENCH_FULL");
  if (full && *full) bench->Args({72'290, 50});
  bench->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
}

void wide_sizes(benchmark::internal::Benchmark* bench) {
  sizes(bench);
  for (const std::int64_t n : {2'000, 8'000, 20'000}) bench->Args({n, 512});
}

BENCHMARK_CAPTURE(measure, bras, "BRAS")->Apply(wide_sizes);
BENCHMARK_CAPTURE(measure, cilisi, "CiLISI")->Apply(sizes);
BENCHMARK_CAPTURE(measure, ilisi, "iLISI")->Apply(sizes);
BENCHMARK_CAPTURE(measure, kbet, "kBET")->Apply(sizes)->Iterations(1);

}  // namespace
}  // namespace scvet::metrics

BENCHMARK_MAIN();
