// Cells a second into a store: ranking, hashing, sketching, packing, checksums and the disk; files are not read here.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>

#include "scvet/sketch/corpus_writer.h"
#include "synthetic_cells.h"

namespace scvet::sketch {
namespace {

CellNames names_of(std::int64_t first, std::int64_t count) {
  CellNames names;
  for (std::int64_t cell = first; cell < first + count; ++cell) {
    names.cells.push_back("CELL" + std::to_string(cell) + "-1");
    names.donors.push_back("donor" + std::to_string(cell % 20));
  }
  return names;
}

constexpr std::int64_t kBatch = 4096;

void store_building(benchmark::State& state) {
  const SyntheticCells cells(static_cast<int>(state.range(0)), 42);
  const GenePanel panel = synthetic_panel();
  const CellBatch batch = cells.batch(0, kBatch);
  const auto path = (std::filesystem::temp_directory_path() / "scvet_bench.corpus").string();
  std::int64_t n_cells = 0;
  for (auto _ : state) {
    const auto writer = CorpusWriter::create(path, {}, {});
    CorpusSource source;
    source.file = "synthetic";
    writer->begin_source(source, panel);
    RankedCells ranked;
    RankLosses losses;
    for (int step = 0; step < 8; ++step) {
      rank_cells(batch, {}, ranked, losses);
      writer->add(ranked, names_of(step * kBatch, kBatch));
    }
    writer->end_source({}, losses);
    writer->finish();
    n_cells += 8 * kBatch;
  }
  std::filesystem::remove(path);
  state.counters["cells/s"] = benchmark::Counter(static_cast<double>(n_cells), benchmark::Counter::kIsRate);
  state.counters["genes/cell"] = static_cast<double>(batch.tokens.size()) / kBatch;
}
BENCHMARK(store_building)->Arg(300)->Arg(1100)->Arg(3000)->UseRealTime()->Unit(benchmark::kMillisecond);

// MinHash alone, one thread.
void sketching(benchmark::State& state) {
  const SyntheticCells cells(static_cast<int>(state.range(0)), 42);
  const CellBatch batch = cells.batch(0, 512);
  const MinHasher hasher(gene_keys(synthetic_panel()), kStoreSeed);
  MinHasher::Scratch scratch;
  Sketch sketch;
  for (auto _ : state)
    for (std::size_t cell = 0; cell < 512; ++cell) {
      const auto first = static_cast<std::size_t>(batch.indptr[cell]),
                 last = static_cast<std::size_t>(batch.indptr[cell + 1]);
      hasher.sketch({batch.tokens.data() + first, last - first}, scratch, sketch);
      benchmark::DoNotOptimize(sketch);
    }
  state.counters["cells/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 512, benchmark::Counter::kIsRate);
}
BENCHMARK(sketching)->Arg(100)->Arg(300)->Arg(1100)->Arg(3000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scvet::sketch

BENCHMARK_MAIN();
