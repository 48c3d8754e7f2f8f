// make_synthetic_corpus N GENES OUT [SEED]: a store of N synthetic cells of about GENES genes, for measurements at scale.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/sketch/corpus_writer.h"
#include "synthetic_cells.h"

namespace scvet::sketch {
namespace {

void make(std::int64_t n_cells, int n_genes, const std::string& out, std::uint64_t seed) {
  constexpr std::int64_t kBatch = 8192;
  const SyntheticCells cells(n_genes, seed);
  CorpusCard card;
  card.name = "synthetic";
  const auto writer = CorpusWriter::create(out, {}, card);
  CorpusSource source;
  source.file = source.dataset = "synthetic";
  writer->begin_source(source, synthetic_panel());
  RankedCells ranked;
  RankLosses losses;
  std::int64_t n_entries = 0;
  std::chrono::duration<double> storing{0};
  double cpu = 0;  // of all threads
  ProgressScope progress("cells", n_cells);
  for (std::int64_t first = 0; first < n_cells; first += kBatch) {
    throw_if_stopped();
    const std::int64_t count = std::min(kBatch, n_cells - first);
    const CellBatch batch = cells.batch(first, count);
    CellNames names;
    for (std::int64_t cell = first; cell < first + count; ++cell) names.cells.push_back("cell" + std::to_string(cell));
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    rank_cells(batch, {}, ranked, losses);
    writer->add(ranked, names);
    storing += std::chrono::steady_clock::now() - start;
    cpu += static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    n_entries += static_cast<std::int64_t>(batch.tokens.size());
    progress.advance(count);
  }
  writer->end_source({}, losses);
  writer->finish();
  std::printf("%lld cells, %.0f genes a cell; ranked and stored in %.1f s (%.0f cells/s; %.0f a CPU second)\n",
              static_cast<long long>(n_cells), static_cast<double>(n_entries) / static_cast<double>(n_cells),
              storing.count(), static_cast<double>(n_cells) / storing.count(), static_cast<double>(n_cells) / cpu);
}

}  // namespace
}  // namespace scvet::sketch

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "make_synthetic_corpus N GENES OUT [SEED]\n");
    return 2;
  }
  try {
    scvet::install_stop_handler();
    scvet::sketch::make(std::atoll(argv[1]), std::atoi(argv[2]), argv[3],
                        argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
