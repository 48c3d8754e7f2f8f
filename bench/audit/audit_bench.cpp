// What an audit costs besides its searches: hashes, spacings, lift, plants, rare types, donors. The time of every search
// is taken out by a wrapper around the engine. Seconds of processor time, all threads together, so that a loaded machine
// does not matter. Arguments: benchmark cells; the reference has twice as many.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "scvet/audit/audit.h"
#include "scvet/base/log.h"
#include "scvet/base/random.h"
#include "scvet/base/registry.h"

namespace {

using namespace scvet;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double g_search_seconds = 0;

const sketch::EngineRecord& exact() {
  static const sketch::EngineRecord& engine = find_variant(sketch::engines(), "exact", "engine");
  return engine;
}

class TimedReference : public sketch::PreparedReference {
 public:
  explicit TimedReference(std::unique_ptr<sketch::PreparedReference> prepared) : prepared_(std::move(prepared)) {}
  sketch::SearchResult search(const sketch::CellSets& queries, const sketch::SearchOptions& options) override {
    const double start = processor_seconds();
    sketch::SearchResult result = prepared_->search(queries, options);
    g_search_seconds += processor_seconds() - start;
    return result;
  }

 private:
  std::unique_ptr<sketch::PreparedReference> prepared_;
};

const sketch::EngineRecord kTimed = [] {
  sketch::EngineRecord engine = exact();
  engine.name = "timed";
  engine.prepare = [](const sketch::SetSource& reference, std::uint64_t seed) {
    return std::unique_ptr<sketch::PreparedReference>(
        std::make_unique<TimedReference>(exact().prepare(reference, seed)));
  };
  return engine;
}();

constexpr std::uint32_t kGenes = 20000;
constexpr int kTypes = 25;

// About 800 genes a cell: every gene is there with a chance that falls with its number, and types shift it.
sketch::CellSet simulated_cell(std::uint64_t index) {
  Stream stream(mix(index));
  const std::uint64_t type = index % kTypes;
  sketch::CellSet cell;
  for (std::uint32_t gene = 0; gene < kGenes; ++gene) {
    const bool marker = mix(gene * 64 + type) % 10 == 0;
    const double chance = std::min(.95, (marker ? 600. : 150.) / (gene + 150.));
    if (stream.unit() >= chance) continue;
    cell.tokens.push_back(static_cast<std::uint16_t>(gene));
    cell.counts.push_back(static_cast<std::uint32_t>(1 + stream.below(6)));
  }
  return cell;
}

void audit_dataset_cost(benchmark::State& state) {
  set_log_options({.level = LogLevel::kQuiet});
  const auto n = static_cast<std::uint64_t>(state.range(0));
  sketch::CellSets benchmark(kGenes), reference(kGenes);
  audit::CellAnnotations annotations;
  for (int type = 0; type < kTypes; ++type) annotations.label_levels.push_back(std::to_string(type));
  annotations.donor_levels = {"a", "b", "c", "d"};
  for (std::uint64_t cell = 0; cell < n; ++cell) {
    benchmark.add(simulated_cell(cell));
    annotations.label.push_back(static_cast<std::int32_t>(cell % kTypes));
    annotations.donor.push_back(static_cast<std::int32_t>(cell / kTypes % 4));
  }
  for (std::uint64_t cell = 0; cell < 2 * n; ++cell) reference.add(simulated_cell(n + cell));
  audit::AuditOptions options;
  options.engine = &kTimed;
  for (auto _ : state) {
    g_search_seconds = 0;
    const double start = processor_seconds();
    benchmark::DoNotOptimize(audit::audit_dataset("bench", {{"all", &benchmark, &reference}}, annotations, options));
    const double all = processor_seconds() - start;
    state.counters["search_s"] = g_search_seconds;
    state.counters["rest_s"] = all - g_search_seconds;
  }
}
BENCHMARK(audit_dataset_cost)->Arg(2000)->Arg(10000)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
