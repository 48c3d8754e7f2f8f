#include "read_everything.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "forked.h"

namespace scvet::fuzz {
namespace {

void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "promise broken: %s\n", promise);
  std::abort();
}

void check_table(const Table& table) {
  std::vector<std::int32_t> codes;
  for (const Column& column : table.columns) {
    require(column.size() == table.rows(), "columns have as many rows as their table");
    require(column.missing.empty() || static_cast<std::int64_t>(column.missing.size()) == column.size(),
            "the mask is as long as the column");
    const auto levels = column.levels(codes);
    for (const std::int32_t code : codes)
      require(code >= -1 && code < static_cast<std::int32_t>(levels.size()), "codes lie within the categories");
  }
}

void check_chunk(const CellChunk& chunk, const MatrixInfo& info, std::int64_t first, std::int64_t count) {
  require(chunk.first_cell == first && chunk.n_cells == count, "the chunk is the one asked for");
  require(static_cast<std::int64_t>(chunk.indptr.size()) == count + 1 && chunk.indptr[0] == 0, "indptr starts at 0");
  require(
      static_cast<std::size_t>(chunk.indptr.back()) == chunk.genes.size() && chunk.genes.size() == chunk.values.size(),
      "indptr ends at the number of values");
  for (std::int64_t cell = 0; cell < count; ++cell) {
    const auto begin = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell)]);
    const auto end = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell) + 1]);
    require(begin <= end, "indptr never falls");
    for (std::size_t at = begin; at < end; ++at) {
      require(chunk.genes[at] < info.n_genes, "genes lie within the matrix");
      require(at == begin || chunk.genes[at - 1] < chunk.genes[at], "genes ascend without repeats");
    }
  }
}

void read_matrix(CellSource& source) {
  const MatrixInfo& info = source.info();
  require(info.n_cells >= 0 && info.n_genes >= 0, "sizes are not negative");
  check_table(source.var());
  const std::int64_t step = source.chunk_cells();
  require(step > 0, "chunk_cells is positive");
  CellChunk chunk;
  // A file may rightly claim many rows, so only the first chunks and the last cell are read.
  for (std::int64_t first = 0; first < std::min(info.n_cells, 3 * step); first += step) {
    const std::int64_t count = std::min(step, info.n_cells - first);
    source.read(first, count, chunk);
    check_chunk(chunk, info, first, count);
  }
  if (info.n_cells > 0) {
    source.read(info.n_cells - 1, 1, chunk);
    check_chunk(chunk, info, info.n_cells - 1, 1);
  }
}

}  // namespace

void read_everything(CellFile& file) {
  check_table(file.obs());
  check_table(file.var());
  file.varm();
  file.obsp();
  file.uns_keys();
  file.notes();
  for (const MatrixInfo& info : file.matrices()) expect_own_errors([&] { read_matrix(*file.open_matrix(info.name)); });
  for (const NamedShape& shape : file.obsm())
    expect_own_errors([&] {
      const Embedding embedding = file.read_obsm(shape.name);
      require(embedding.n_cells >= 0 && embedding.n_dims >= 0 &&
                  static_cast<std::int64_t>(embedding.values.size()) == embedding.n_cells * embedding.n_dims,
              "an embedding has cells x dimensions values");
    });
}

}  // namespace scvet::fuzz
