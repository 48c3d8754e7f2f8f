// make_synthetic_benchmark N GENES STORED FOLDER [SEED]: a 10x mtx folder of N cells to audit against the store of STORED
// cells that make_synthetic_corpus made with the same GENES and SEED. One cell in twenty is a cell of the store.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "synthetic_cells.h"

namespace scvet::sketch {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) throw ResourceError("cannot write " + path, {.file = path});
  return file;
}

void make(std::int64_t n_cells, int n_genes, std::int64_t n_stored, const std::string& folder, std::uint64_t seed) {
  const SyntheticCells cells(n_genes, seed);
  const GenePanel panel = synthetic_panel();
  make_folders(folder);
  const File features = open_file(folder + "/features.tsv"), barcodes = open_file(folder + "/barcodes.tsv");
  for (std::uint32_t gene = 0; gene < panel.size(); ++gene) {
    const char* const name = panel.gene(gene).ensembl.c_str();
    std::fprintf(features.get(), "%s\t%s\tGene Expression\n", name, name);
  }
  CellBatch all;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    const bool copy = cell % 20 == 0;
    const CellBatch one = cells.batch(copy ? cell * n_stored / n_cells : n_stored + cell, 1);
    all.tokens.insert(all.tokens.end(), one.tokens.begin(), one.tokens.end());
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.indptr.push_back(static_cast<std::int64_t>(all.tokens.size()));
    std::fprintf(barcodes.get(), "%s%lld\n", copy ? "stored" : "fresh", static_cast<long long>(cell));
  }
  const File matrix = open_file(folder + "/matrix.mtx");
  std::fprintf(matrix.get(), "%%%%MatrixMarket matrix coordinate integer general\n%u %lld %zu\n", panel.size(),
               static_cast<long long>(n_cells), all.tokens.size());
  for (std::int64_t cell = 0; cell < n_cells; ++cell)
    for (auto at = static_cast<std::size_t>(all.indptr[static_cast<std::size_t>(cell)]);
         at < static_cast<std::size_t>(all.indptr[static_cast<std::size_t>(cell) + 1]); ++at)
      std::fprintf(matrix.get(), "%u %lld %.0f\n", all.tokens[at] + 1, static_cast<long long>(cell + 1),
                   all.values[at]);
}

}  // namespace
}  // namespace scvet::sketch

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "make_synthetic_benchmark N GENES STORED FOLDER [SEED]\n");
    return 2;
  }
  try {
    scvet::sketch::make(std::atoll(argv[1]), std::atoi(argv[2]), std::atoll(argv[3]), argv[4],
                        argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1);
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
