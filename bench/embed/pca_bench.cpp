// The method `pca` from counts in memory to scores: 20,000 genes, 2,000 molecules a cell (about 1,700 genes), ten kinds of
// cells. By default 2,000 and 8,000 cells; SCVET_BENCH_FULL=1 adds 20,000 and 72,290. SCVET_BENCH_CELLS gives one size,
// SCVET_BENCH_WORKERS the number of workers.
// Memory is the peak of the whole process, the counts (8 bytes a value) included.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "../usage.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/embed/method.h"

namespace scvet::embed {
namespace {

constexpr std::int64_t kGenes = 20'000;

CsrMatrix simulate(std::int64_t n_cells) {
  constexpr int kMolecules = 2'000;
  CsrMatrix made;
  made.n_cells = n_cells;
  made.n_genes = kGenes;
  made.genes.reserve(static_cast<std::size_t>(n_cells * kMolecules));  // pages never touched take no memory
  made.values.reserve(static_cast<std::size_t>(n_cells * kMolecules));
  std::vector<std::uint32_t> drawn(kMolecules);
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    Stream stream(stream_key(1, static_cast<std::uint64_t>(cell) + 1));
    const auto kind = static_cast<std::uint32_t>(cell % 10);
    for (std::uint32_t& gene : drawn) {
      const double place = stream.unit();
      gene = static_cast<std::uint32_t>(kGenes * place * place * place);
      if (stream.below(5) == 0) gene = (gene * (2 * kind + 3) + 41 * kind) % kGenes;
    }
    std::sort(drawn.begin(), drawn.end());
    for (std::size_t at = 0; at < drawn.size();) {
      const std::size_t first = at;
      while (at < drawn.size() && drawn[at] == drawn[first]) ++at;
      made.genes.push_back(drawn[first]);
      made.values.push_back(static_cast<float>(at - first));
    }
    made.indptr.push_back(static_cast<std::int64_t>(made.genes.size()));
  }
  return made;
}

void pca(benchmark::State& state) {
  if (const char* number = std::getenv("SCVET_BENCH_WORKERS")) set_workers(std::atoi(number));
  const std::int64_t n_cells = state.range(0);
  const CsrMatrix counts = simulate(n_cells);
  std::vector<std::string> cells(static_cast<std::size_t>(n_cells)), genes(kGenes);
  const MethodRecord& record = method("pca");
  MethodInput input;
  input.counts = counts.view();
  input.cell_names = cells;
  input.gene_names = genes;
  double cpu = 0;
  for (auto _ : state) {
    const double before = cpu_seconds();
    benchmark::DoNotOptimize(record.embed(input).values.data());
    cpu = cpu_seconds() - before;
  }
  const std::int64_t stored = counts.view().stored();
  state.counters["genes_a_cell"] = static_cast<double>(stored) / static_cast<double>(n_cells);
  state.counters["cpu_s"] = cpu;
  state.counters["estimated_s"] = record.estimate_seconds(n_cells, kGenes, stored);
  state.counters["peak_MB"] = peak_mb();
  state.counters["estimated_MB"] = record.estimate_bytes(n_cells, kGenes, stored) / 1048576;
  state.counters["workers"] = workers();
}

void sizes(benchmark::internal::Benchmark* bench) {
  if (const char* one = std::getenv("SCVET_BENCH_CELLS")) {
    bench->Arg(std::atoll(one));
    return;
  }
  bench->Arg(2'000)->Arg(8'000);
  if (const char* all = std::getenv("SCVET_BENCH_FULL"); all && *all) bench->Arg(20'000)->Arg(72'290);
}
BENCHMARK(pca)->Apply(sizes)->Name("pca/cells")->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace scvet::embed

BENCHMARK_MAIN();
