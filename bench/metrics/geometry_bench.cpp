// The geometry probes, each apart and all of them, on simulated cells of 8 types in 2 batches: embeddings of 50 and 512
// dimensions, counts of 3,000 genes. By default 2,000 and 5,000 cells; SCVET_BENCH_FULL=1: 8,000 and 20,000 as well.
// SCVET_BENCH_WORKERS (2) chooses the workers. R_NX works inside the batches, of 70 and 30 % of the cells.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "../usage.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/metrics/geometry.h"

namespace scvet::metrics {
namespace {

constexpr std::uint32_t kGenes = 3000;

struct Cells {
  std::vector<float> z;
  Standardised standard;
  Groups labels, batches;
  CsrMatrix counts;
  std::vector<std::string> genes;
  GeometryInput input;
};

// Of a gene the mean count rises with its number; each type has some of its own.
void add_counts(CsrMatrix& counts, std::int64_t type, Stream& stream) {
  for (std::uint32_t gene = 0; gene < kGenes; ++gene) {
    const double mean = 0.05 + 0.5 * gene / kGenes + (gene % 8 == type ? 0.6 : 0);
    const double count = std::floor(-std::log(1 - stream.unit()) * mean * 1.6);
    if (count <= 0) continue;
    counts.genes.push_back(gene);
    counts.values.push_back(static_cast<float>(count));
  }
  counts.indptr.push_back(std::ssize(counts.genes));
}

std::unique_ptr<Cells> simulate(std::int64_t n, std::int64_t d) {
  auto made = std::make_unique<Cells>();
  Stream stream(static_cast<std::uint64_t>(n * 1000 + d));
  std::vector<std::string> labels, batches;
  made->counts.n_cells = n;
  made->counts.n_genes = kGenes;
  for (std::uint32_t gene = 0; gene < kGenes; ++gene) made->genes.push_back("GENE" + std::to_string(gene));
  for (std::int64_t cell = 0; cell < n; ++cell) {
    const auto type = static_cast<std::int64_t>(stream.below(8));
    labels.push_back("type" + std::to_string(type));
    batches.push_back(stream.unit() < 0.7 ? "one" : "two");
    for (std::int64_t col = 0; col < d; ++col)
      made->z.push_back(
          static_cast<float>(std::sqrt(-2 * std::log(1 - stream.unit())) * std::cos(6.283185307179586 * stream.unit()) +
                             (col % 8 == type ? 1.5 : 0)));
    add_counts(made->counts, type, stream);
  }
  made->labels = make_groups(labels);
  made->batches = make_groups(batches);
  GeometryInput& input = made->input;
  input.z = {made->z.data(), n, d};
  made->standard = standardise(input.z);
  input.standard = {made->standard.values.data(), n, d};
  input.labels = &made->labels;
  input.batches = &made->batches;
  input.counts = made->counts.view();
  input.genes = made->genes;
  return made;
}

int n_workers() {
  const char* const number = std::getenv("SCVET_BENCH_WORKERS");
  return number ? std::atoi(number) : 2;
}

void report(benchmark::State& state) {
  state.counters["cells"] = static_cast<double>(state.range(0));
  state.counters["dimensions"] = static_cast<double>(state.range(1));
  state.counters["peak_mb"] = peak_mb();
}

void one_probe(benchmark::State& state, const ProbeRecord* record) {
  set_workers(n_workers());
  const auto cells = simulate(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(record->compute(cells->input));
  report(state);
}

void whole_row(benchmark::State& state) {
  set_workers(n_workers());
  const auto cells = simulate(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(measure_geometry(cells->input));
  report(state);
}

void sizes(benchmark::internal::Benchmark* bench) {
  const char* const full = std::getenv("SCVET_BENCH_FULL");
  for (const std::int64_t n : {2000, 5000, 8000, 20000}) {
    if (n > 5000 && !(full && *full)) continue;
    for (const std::int64_t d : {50, 512}) bench->Args({n, d});
  }
  bench->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime()->MeasureProcessCPUTime();
}

const int registered = [] {
  for (const ProbeRecord* record : ordered_probes())
    benchmark::RegisterBenchmark(record->name, [record](benchmark::State& state) {
      one_probe(state, record);
    })->Apply(sizes);
  benchmark::RegisterBenchmark("row", whole_row)->Apply(sizes);
  return 0;
}();

}  // namespace
}  // namespace scvet::metrics

BENCHMARK_MAIN();
