// The engines over sketches, beside a bare loop over the same sketches in the same program. 2,700 queries against 50,000
// simulated references of 1,100 genes, or with SCVET_BENCH_FULL=1 against 1,000,000 (2.5 GB of disk in SCVET_BENCH_DIR,
// default /tmp; SCVET_BENCH_REFERENCES=N: another number). Times are wall time; CPU time beside it.
//   sketch8/.../end_to_end   reference made ready (sketches as a store keeps them), search and re-ranking
//   sketch8/.../search       the search of a reference that is ready
//   bare_loop                equal bytes of every pair by the widest byte comparison, row by row, and the maximum a query
#include <benchmark/benchmark.h>
#include <immintrin.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "scvet/base/log.h"
#include "simulated_corpus.h"
#include "sketch_search.h"

namespace scvet::sketch {
namespace {

constexpr std::int64_t kQueries = 2700;
constexpr int kGenes = 1100;
constexpr std::uint64_t kSeed = 7;

std::int64_t n_references() {
  if (const char* number = std::getenv("SCVET_BENCH_REFERENCES")) return std::atoll(number);
  const char* full = std::getenv("SCVET_BENCH_FULL");
  return full && *full ? 1'000'000 : 50'000;
}

// Written on first use and removed at the end.
struct Input {
  Input() {
    const char* folder = std::getenv("SCVET_BENCH_DIR");
    const std::string stem =
        std::string(folder ? folder : "/tmp") + "/scvet_sketch_bench_" + std::to_string(n_references());
    sets = stem + ".sets";
    sketches = stem + ".sketches";
    const bench::CellSimulator simulator(kGenes, kSeed);
    bench::FileSets::write(sets, simulator, n_references());
    bench::FileSketches::write(sketches, bench::FileSets(sets, bench::kUniverse));
    reference = std::make_unique<bench::FileSketches>(sets, sketches, bench::kUniverse);
    queries = simulator.cells(n_references(), kQueries);
  }
  ~Input() {
    std::filesystem::remove(sets);
    std::filesystem::remove(sketches);
  }
  std::string sets, sketches;
  std::unique_ptr<bench::FileSketches> reference;
  CellSets queries{bench::kUniverse};
};
const Input& input() {
  static const Input all;
  return all;
}

void count_pairs(benchmark::State& state) {
  state.counters["cpu_per_pair"] =
      benchmark::Counter(static_cast<double>(n_references()) * kQueries,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_workers(0);
}

using Prepare = std::unique_ptr<PreparedReference> (*)(const SetSource&, std::uint64_t, const SketchSettings&);

void end_to_end(benchmark::State& state, Prepare prepare, const SketchSettings& settings, int threads) {
  const Input& all = input();
  set_workers(threads);
  for (auto _ : state)
    benchmark::DoNotOptimize(prepare(*all.reference, 42, settings)->search(all.queries, {.containment = false}));
  count_pairs(state);
}

void search(benchmark::State& state, Prepare prepare, const SketchSettings& settings, int threads) {
  const Input& all = input();
  const auto prepared = prepare(*all.reference, 42, settings);
  set_workers(threads);
  for (auto _ : state) benchmark::DoNotOptimize(prepared->search(all.queries, {.containment = false}));
  count_pairs(state);
}

// Most equal bytes of any row of a tile with the query.
using BareLoop = std::uint32_t (*)(const std::uint8_t* query, const std::uint8_t* rows, std::int64_t n_rows);

std::uint32_t bare_scalar(const std::uint8_t* query, const std::uint8_t* rows, std::int64_t n_rows) {
  std::uint32_t most = 0;
  for (std::int64_t row = 0; row < n_rows; ++row, rows += kSlots) {
    std::uint32_t equal = 0;
    for (int slot = 0; slot < kSlots; ++slot) equal += query[slot] == rows[slot];
    most = std::max(most, equal);
  }
  return most;
}

__attribute__((target("avx2,popcnt"))) std::uint32_t bare_avx2(const std::uint8_t* query, const std::uint8_t* rows,
                                                               std::int64_t n_rows) {
  std::uint32_t most = 0;
  const auto* const own = reinterpret_cast<const __m256i*>(query);
  for (std::int64_t row = 0; row < n_rows; ++row, rows += kSlots) {
    const auto* const other = reinterpret_cast<const __m256i*>(rows);
    std::uint32_t equal = 0;
    for (int part = 0; part < 4; ++part)
      equal += static_cast<std::uint32_t>(__builtin_popcount(static_cast<unsigned>(
          _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(own + part), _mm256_loadu_si256(other + part))))));
    most = equal > most ? equal : most;
  }
  return most;
}

__attribute__((target("avx512f,avx512bw,popcnt"))) std::uint32_t bare_avx512(const std::uint8_t* query,
                                                                             const std::uint8_t* rows,
                                                                             std::int64_t n_rows) {
  std::uint32_t most = 0;
  const __m512i first = _mm512_loadu_si512(query), second = _mm512_loadu_si512(query + 64);
  for (std::int64_t row = 0; row < n_rows; ++row, rows += kSlots) {
    const auto equal =
        static_cast<std::uint32_t>(__builtin_popcountll(_mm512_cmpeq_epi8_mask(first, _mm512_loadu_si512(rows))) +
                                   __builtin_popcountll(_mm512_cmpeq_epi8_mask(second, _mm512_loadu_si512(rows + 64))));
    most = equal > most ? equal : most;
  }
  return most;
}

void bare_loop(benchmark::State& state, BareLoop loop, int threads) {
  const Input& all = input();
  const SketchReference reference(*all.reference, 42, SlotForm::kLowBytes, true);
  const QuerySketches queries = reference.sketch(all.queries);
  constexpr std::int64_t kTile = 256;  // rows in the first-level cache
  const std::vector<SketchPiece> tiles = reference.pieces(kTile);
  set_workers(threads);
  for (auto _ : state) {
    std::vector<std::vector<std::uint32_t>> most(static_cast<std::size_t>(threads),
                                                 std::vector<std::uint32_t>(kQueries, 0));
    parallel_for(static_cast<std::int64_t>(tiles.size()), [&](std::int64_t tile, int worker) {
      const SketchPiece& piece = tiles[static_cast<std::size_t>(tile)];
      std::vector<std::uint32_t>& own = most[static_cast<std::size_t>(worker)];
      for (std::int64_t query = 0; query < kQueries; ++query) {
        std::uint32_t& best = own[static_cast<std::size_t>(query)];
        best = std::max(best, loop(queries.planes.low(query), piece.low, piece.count));
      }
    });
    benchmark::DoNotOptimize(most);
  }
  count_pairs(state);
}

template <typename Body>
void add(const std::string& name, SimdTarget target, int threads, const Body& body) {
  benchmark::RegisterBenchmark((name + "/" + simd_name(target) + "/threads:" + std::to_string(threads)).c_str(), body)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void add_all(SimdTarget target, int threads) {
  const SketchSettings settings{.target = target};
  const BareLoop loop = target == SimdTarget::kAvx512 ? bare_avx512
                        : target == SimdTarget::kAvx2 ? bare_avx2
                                                      : bare_scalar;
  add("bare_loop", target, threads, [=](benchmark::State& state) { bare_loop(state, loop, threads); });
  const std::pair<const char*, Prepare> engines[] = {
      {"sketch8", prepare_sketch8}, {"minhash", prepare_minhash}, {"lsh", prepare_lsh}};
  for (const auto& [name, prepare] : engines) {
    const Prepare made = prepare;
    add(std::string(name) + "/search", target, threads,
        [=](benchmark::State& state) { search(state, made, settings, threads); });
    add(std::string(name) + "/end_to_end", target, threads,
        [=](benchmark::State& state) { end_to_end(state, made, settings, threads); });
  }
}

}  // namespace
}  // namespace scvet::sketch

int main(int argc, char** argv) {
  using namespace scvet;
  using namespace scvet::sketch;
  set_log_options({.level = LogLevel::kQuiet});
  for (const SimdTarget target : available_simd_targets())
    for (const int threads : {1, 2}) add_all(target, threads);
  benchmark::AddCustomContext("processor", cpu_model());
  benchmark::AddCustomContext("references", std::to_string(n_references()));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
