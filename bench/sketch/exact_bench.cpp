// The exact engine: time a pair of cells at several sizes on each SIMD target, beside the plain way (a bitset a cell, AND
// and popcount), and with SCVET_BENCH_FULL=1 the whole search of 2,700 cells in 1,000,000 with its peak memory
// (2.3 GB of disk in SCVET_BENCH_DIR, default /tmp). Method and numbers: bench/README.md.
#include "../usage.h"
#include "exact_search.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "scvet/base/log.h"
#include "simulated_corpus.h"

namespace scvet::sketch {
namespace {

constexpr std::int64_t kQueries = 2700, kShort = 50'000, kLong = 1'000'000;
constexpr std::uint64_t kSeed = 7;

// The simulated references of one size, written on first use and removed at the end.
class Files {
 public:
  ~Files() {
    for (const auto& [key, path] : paths_) std::filesystem::remove(path);
  }
  const std::string& get(std::int64_t n_cells, int genes) {
    std::string& path = paths_[{n_cells, genes}];
    if (path.empty()) {
      const char* folder = std::getenv("SCVET_BENCH_DIR");
      const std::string name = std::string(folder ? folder : "/tmp") + "/scvet_bench_" + std::to_string(n_cells) + "_" +
                               std::to_string(genes) + ".sets";
      bench::FileSets::write(name, bench::CellSimulator(genes, kSeed), n_cells);
      path = name;
    }
    return path;
  }

 private:
  std::map<std::pair<std::int64_t, int>, std::string> paths_;
};
Files& files() {
  static Files all;
  return all;
}

// What peak_mb() tells is since the last reset.
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

void search(benchmark::State& state, SimdTarget target, std::int64_t n_reference, int genes, int threads) {
  const std::string path = files().get(n_reference, genes);
  const CellSets queries = bench::CellSimulator(genes, kSeed).cells(n_reference, kQueries);
  const bench::FileSets reference(path, bench::kUniverse);
  set_workers(threads);
  reset_peak_memory();
  for (auto _ : state) benchmark::DoNotOptimize(search_exact(queries, reference, {}, {.target = target}));
  state.counters["peak_MB"] = peak_mb();
  state.counters["cpu_per_pair"] =
      benchmark::Counter(static_cast<double>(n_reference) * kQueries,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_workers(0);
}

// The rival: every cell a bitset over the universe.
__attribute__((target("popcnt"))) std::int64_t shared_genes(const std::uint64_t* a, const std::uint64_t* b,
                                                            std::size_t n) {
  std::int64_t shared = 0;
  for (std::size_t word = 0; word < n; ++word) shared += __builtin_popcountll(a[word] & b[word]);
  return shared;
}

void plain_bitsets(benchmark::State& state, int genes) {
  constexpr std::size_t kWords = (bench::kUniverse + 63) / 64;
  constexpr std::int64_t kFew = 100, kMany = 1000;
  const bench::CellSimulator simulator(genes, kSeed);
  const auto bitsets = [&](std::int64_t first, std::int64_t count) {
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(count) * kWords, 0);
    std::vector<std::uint16_t> tokens;
    for (std::int64_t row = 0; row < count; ++row) {
      simulator.cell(first + row, tokens);
      for (const std::uint16_t token : tokens)
        bits[static_cast<std::size_t>(row) * kWords + token / 64] |= std::uint64_t{1} << token % 64;
    }
    return bits;
  };
  const auto queries = bitsets(kMany, kFew), reference = bitsets(0, kMany);
  for (auto _ : state)
    for (std::size_t row = 0; row < kMany; ++row)
      for (std::size_t query = 0; query < kFew; ++query)
        benchmark::DoNotOptimize(
            shared_genes(queries.data() + query * kWords, reference.data() + row * kWords, kWords));
  state.counters["cpu_per_pair"] = benchmark::Counter(
      static_cast<double>(kFew * kMany), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add(const std::string& name, SimdTarget target, std::int64_t n_reference, int genes, int threads) {
  benchmark::RegisterBenchmark(
      (name + "/" + simd_name(target) + "/genes:" + std::to_string(genes) + "/threads:" + std::to_string(threads))
          .c_str(),
      [=](benchmark::State& state) { search(state, target, n_reference, genes, threads); })
      ->MeasureProcessCPUTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace scvet::sketch

int main(int argc, char** argv) {
  using namespace scvet;
  using namespace scvet::sketch;
  set_log_options({.level = LogLevel::kQuiet});
  for (const SimdTarget target : available_simd_targets())
    for (const int genes : {800, 1200, 2048}) add("exact_2700x50000", target, kShort, genes, 1);
  for (const int genes : {800, 2048})
    benchmark::RegisterBenchmark(("plain_bitsets/genes:" + std::to_string(genes)).c_str(),
                                 [genes](benchmark::State& state) { plain_bitsets(state, genes); })
        ->Unit(benchmark::kMillisecond);
  if (const char* full = std::getenv("SCVET_BENCH_FULL"); full && *full)
    for (const SimdTarget target : available_simd_targets())
      for (const int threads : {1, 2}) add("exact_2700x1000000", target, kLong, 1100, threads);
  benchmark::AddCustomContext("processor", cpu_model());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
