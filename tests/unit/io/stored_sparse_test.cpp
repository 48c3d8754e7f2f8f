#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "hdf5/hdf5_store.h"
#include "hdf5_builder.h"
#include "scvet/base/random.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {
using testing::HasSubstr;

MatrixInfo info_of(const char* kind, std::int64_t n_cells, std::int64_t n_genes) {
  MatrixInfo info{.name = "X", .kind = kind, .dtype = {}};
  info.n_cells = n_cells;
  info.n_genes = n_genes;
  return info;
}

std::unique_ptr<CellSource> open_sparse(Hdf5Builder& builder, const char* kind, std::int64_t n_cells,
                                        std::int64_t n_genes) {
  return sparse_source(*hdf5::open_store(builder.path())->group("X"), info_of(kind, n_cells, n_genes),
                       std::make_shared<const Table>());
}

// Opens and reads everything; the message of what is wrong.
std::string complaint(Hdf5Builder& builder, const char* kind, std::int64_t n_cells, std::int64_t n_genes) {
  return message_of([&] {
    const auto source = open_sparse(builder, kind, n_cells, n_genes);
    CellChunk chunk;
    source->read(0, n_cells, chunk);
  });
}

TEST(StoredSparse, UnsortedAndRepeatedGenesAreSortedAndSummed) {
  Hdf5Builder builder;
  builder.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {3, 5}, {1, 2, 3, 4, 5, 6, 7},
                                                    {4, 0, 4, 2, 1, 3, 3}, {0, 3, 5, 7});
  const auto source = open_sparse(builder, "csr_matrix", 3, 5);
  CellChunk chunk;
  source->read(0, 3, chunk);
  EXPECT_EQ(chunk.indptr, (std::vector<std::int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(chunk.genes, (std::vector<std::uint32_t>{0, 4, 1, 2, 3}));
  EXPECT_EQ(chunk.values, (std::vector<double>{2, 4, 5, 4, 13}));
  EXPECT_EQ(source->info().stored, 7);
  EXPECT_EQ(source->info().dtype, "float32");
}

TEST(StoredSparse, StoredZerosAndMissingValuesPassThrough) {
  Hdf5Builder builder;
  builder.sparse<double, std::int64_t, std::int64_t>(
      "X", "csr_matrix", {2, 3}, {0, std::numeric_limits<double>::quiet_NaN(), -1}, {0, 1, 2}, {0, 2, 3});
  CellChunk chunk;
  open_sparse(builder, "csr_matrix", 2, 3)->read(0, 2, chunk);
  ASSERT_EQ(chunk.values.size(), 3u);
  EXPECT_EQ(chunk.values[0], 0);
  EXPECT_TRUE(std::isnan(chunk.values[1]));
  EXPECT_EQ(chunk.values[2], -1);
}

TEST(StoredSparse, EveryWidthOfPointersAndIndicesReadsAlike) {
  const auto check = [](auto value, auto index, auto pointer, const char* dtype) {
    using Value = decltype(value);
    using Index = decltype(index);
    using Pointer = decltype(pointer);
    Hdf5Builder builder;
    builder.sparse<Value, Index, Pointer>("X", "csr_matrix", {2, 4}, {1, 2, 3}, {3, 0, 2}, {0, 1, 3});
    CellChunk chunk;
    const auto source = open_sparse(builder, "csr_matrix", 2, 4);
    source->read(0, 2, chunk);
    EXPECT_EQ(source->info().dtype, dtype);
    EXPECT_EQ(chunk.genes, (std::vector<std::uint32_t>{3, 0, 2}));
    EXPECT_EQ(chunk.values, (std::vector<double>{1, 2, 3}));
  };
  check(float{}, std::int32_t{}, std::int32_t{}, "float32");
  check(double{}, std::uint32_t{}, std::uint32_t{}, "float64");
  check(std::int64_t{}, std::int64_t{}, std::uint64_t{}, "int64");
  check(std::uint8_t{}, std::uint16_t{}, std::int64_t{}, "uint8");
  check(std::int16_t{}, std::int8_t{}, std::int16_t{}, "int16");
  check(std::uint64_t{}, std::uint64_t{}, std::int32_t{}, "uint64");
}

TEST(StoredSparse, BooleanValuesAreOnes) {
  Hdf5Builder builder;
  builder.booleans("X/data", {1, 1})
      .numbers<std::int32_t>("X/indices", {0, 1})
      .numbers<std::int32_t>("X/indptr", {0, 2});
  CellChunk chunk;
  const auto source = open_sparse(builder, "csr_matrix", 1, 2);
  source->read(0, 1, chunk);
  EXPECT_EQ(source->info().dtype, "bool");
  EXPECT_EQ(chunk.values, (std::vector<double>{1, 1}));
}

TEST(StoredSparse, FallingPointersNameTheFirstBadRow) {
  Hdf5Builder builder;
  builder.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {4, 5}, {1, 2, 3}, {0, 1, 2}, {0, 2, 1, 0, 3});
  const std::string message = complaint(builder, "csr_matrix", 4, 5);
  EXPECT_THAT(message, HasSubstr("X/indptr: row pointers fall from 2 to 1 at cell 1"));
}

TEST(StoredSparse, WrappedNegativePointersAreNamed) {
  Hdf5Builder builder;
  builder.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {2, 5}, {1, 2, 3}, {0, 1, 2},
                                                    {0, 3, -2147483646});
  EXPECT_THAT(complaint(builder, "csr_matrix", 2, 5), HasSubstr("row pointer -2147483646 is negative at cell 1"));
}

TEST(StoredSparse, PointersThatDoNotEndAtTheStoredValuesAreRefused) {
  Hdf5Builder low, high;
  low.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {2, 5}, {1, 2, 3}, {0, 1, 2}, {0, 1, 2});
  EXPECT_THAT(complaint(low, "csr_matrix", 2, 5), HasSubstr("row pointers end at 2, but 3 values are stored"));
  high.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {2, 5}, {1, 2, 3}, {0, 1, 2}, {0, 7, 9});
  EXPECT_THAT(complaint(high, "csr_matrix", 2, 5), HasSubstr("row pointer 7 is beyond the 3 stored values at cell 0"));
}

TEST(StoredSparse, WrongNumberOfPointersOrValuesIsRefused) {
  Hdf5Builder pointers, values, start;
  pointers.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {3, 5}, {1}, {0}, {0, 1});
  EXPECT_THAT(complaint(pointers, "csr_matrix", 3, 5), HasSubstr("expected 4 row pointers"));
  values.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {1, 5}, {1, 2}, {0}, {0, 1});
  EXPECT_THAT(complaint(values, "csr_matrix", 1, 5), HasSubstr("2 values and 1 indices"));
  start.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {1, 5}, {1, 2}, {0, 1}, {1, 2});
  EXPECT_THAT(complaint(start, "csr_matrix", 1, 5), HasSubstr("first row pointer to be 0, found 1"));
}

TEST(StoredSparse, AnIndexOutOfRangeNamesCellAndGene) {
  Hdf5Builder by_cell, by_gene, negative;
  by_cell.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {3, 5}, {1, 2, 3}, {0, 1, 5}, {0, 1, 1, 3});
  EXPECT_THAT(complaint(by_cell, "csr_matrix", 3, 5), HasSubstr("gene number 5 of cell 2 is not among the 5 genes"));
  by_gene.sparse<float, std::int32_t, std::int32_t>("X", "csc_matrix", {3, 2}, {1, 2, 3}, {0, 1, 7}, {0, 1, 3});
  EXPECT_THAT(complaint(by_gene, "csc_matrix", 3, 2), HasSubstr("cell number 7 of gene 1 is not among the 3 cells"));
  negative.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {1, 5}, {1}, {-1}, {0, 1});
  EXPECT_THAT(complaint(negative, "csr_matrix", 1, 5), HasSubstr("gene number -1 of cell 0"));
}

TEST(StoredSparse, ErrorsCarryFileObjectAndRow) {
  Hdf5Builder builder;
  builder.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {3, 5}, {1, 2, 3}, {0, 1, 5}, {0, 1, 1, 3});
  const auto source = open_sparse(builder, "csr_matrix", 3, 5);
  CellChunk chunk;
  try {
    source->read(1, 2, chunk);
    FAIL() << "read an index out of range";
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().row, 2);
    EXPECT_EQ(error.facts().field, "X/indices");
    EXPECT_EQ(error.facts().reason, "bad_index");
    EXPECT_THAT(error.facts().file, HasSubstr("test.h5ad"));
  }
}

TEST(StoredSparse, EmptyRowsAndNoCellsAtAllRead) {
  Hdf5Builder empty, none;
  empty.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {3, 5}, {}, {}, {0, 0, 0, 0});
  CellChunk chunk;
  open_sparse(empty, "csr_matrix", 3, 5)->read(0, 3, chunk);
  EXPECT_EQ(chunk.indptr, (std::vector<std::int64_t>{0, 0, 0, 0}));
  none.sparse<float, std::int32_t, std::int32_t>("X", "csr_matrix", {0, 5}, {}, {}, {0});
  const auto source = open_sparse(none, "csr_matrix", 0, 5);
  EXPECT_EQ(source->chunk_cells(), 1);
  source->read(0, 0, chunk);
  EXPECT_EQ(chunk.indptr, std::vector<std::int64_t>{0});
}

struct RandomMatrix {
  std::vector<std::map<std::uint32_t, double>> rows;
  std::vector<float> data;
  std::vector<std::int32_t> indices, pointers{0};
};

// By cell, or by gene; rows always by cell.
RandomMatrix random_matrix(std::int64_t n_cells, std::int64_t n_genes, bool by_gene) {
  RandomMatrix matrix;
  Stream stream(mix(17));
  matrix.rows.resize(static_cast<std::size_t>(n_cells));
  for (auto& row : matrix.rows)
    for (std::uint32_t gene = 0; gene < n_genes; ++gene)
      if (stream.below(5) == 0) row[gene] = static_cast<double>(1 + stream.below(100));
  if (!by_gene) {
    for (const auto& row : matrix.rows) {
      for (const auto& [gene, value] : row) {
        matrix.indices.push_back(static_cast<std::int32_t>(gene));
        matrix.data.push_back(static_cast<float>(value));
      }
      matrix.pointers.push_back(static_cast<std::int32_t>(matrix.data.size()));
    }
    return matrix;
  }
  for (std::uint32_t gene = 0; gene < n_genes; ++gene) {
    for (std::size_t cell = 0; cell < matrix.rows.size(); ++cell)
      if (const auto found = matrix.rows[cell].find(gene); found != matrix.rows[cell].end()) {
        matrix.indices.push_back(static_cast<std::int32_t>(cell));
        matrix.data.push_back(static_cast<float>(found->second));
      }
    matrix.pointers.push_back(static_cast<std::int32_t>(matrix.data.size()));
  }
  return matrix;
}

void expect_rows(CellSource& source, const RandomMatrix& matrix, std::int64_t first, std::int64_t count) {
  CellChunk chunk;
  source.read(first, count, chunk);
  for (std::int64_t cell = 0; cell < count; ++cell) {
    std::map<std::uint32_t, double> row;
    for (auto at = chunk.indptr[static_cast<std::size_t>(cell)]; at < chunk.indptr[static_cast<std::size_t>(cell) + 1];
         ++at)
      row[chunk.genes[static_cast<std::size_t>(at)]] = chunk.values[static_cast<std::size_t>(at)];
    ASSERT_EQ(row, matrix.rows[static_cast<std::size_t>(first + cell)]) << "cell " << first + cell;
  }
}

TEST(StoredSparse, ByGeneGivesTheSameCellsAsByCellInOnePassAndInMany) {
  const RandomMatrix by_cell = random_matrix(120, 30, false), by_gene = random_matrix(120, 30, true);
  Hdf5Builder cells, genes;
  cells.sparse("X", "csr_matrix", {120, 30}, by_cell.data, by_cell.indices, by_cell.pointers);
  genes.sparse("X", "csc_matrix", {120, 30}, by_gene.data, by_gene.indices, by_gene.pointers);
  const auto csr = open_sparse(cells, "csr_matrix", 120, 30);
  const store::GroupPtr root = hdf5::open_store(genes.path());
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{500}, kTransposeBytes}) {
    const auto csc =
        csc_source(*root->group("X"), info_of("csc_matrix", 120, 30), std::make_shared<const Table>(), bytes);
    for (const auto& [first, count] :
         {std::pair<int, int>{0, 120}, {0, 50}, {50, 70}, {7, 1}, {119, 1}, {30, 60}, {4, 0}}) {
      expect_rows(*csr, by_cell, first, count);
      expect_rows(*csc, by_cell, first, count);
    }
  }
}

TEST(StoredSparse, RepeatedCellsOfAGeneAreSummed) {
  Hdf5Builder builder;
  builder.sparse<float, std::int32_t, std::int32_t>("X", "csc_matrix", {3, 2}, {1, 2, 3, 4}, {2, 0, 2, 1}, {0, 3, 4});
  CellChunk chunk;
  open_sparse(builder, "csc_matrix", 3, 2)->read(0, 3, chunk);
  EXPECT_EQ(chunk.indptr, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(chunk.values, (std::vector<double>{2, 4, 4}));
}

TEST(StoredSparse, AClaimOfTerabytesIsAnErrorAtOpening) {
  Hdf5Builder builder;
  const hdf5::Handle list(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk = 1024;
  H5Pset_chunk(list.get(), 1, &chunk);
  const hsize_t claimed = hsize_t{1} << 40;
  builder.raw("X/data", H5T_NATIVE_FLOAT, {claimed}, nullptr, list.get())
      .raw("X/indices", H5T_NATIVE_INT32, {claimed}, nullptr, list.get())
      .numbers<std::int64_t>("X/indptr", {0, std::int64_t{1} << 40});
  EXPECT_THAT(complaint(builder, "csr_matrix", 1, 5), HasSubstr("its header is broken"));
}

TEST(StoredSparse, ARowLongerThanAnyMatrixAllowsIsRefused) {
  Hdf5Builder builder;
  const std::int64_t length = (1 << 20) + 1;
  builder.sparse<std::uint8_t, std::uint8_t, std::int64_t>(
      "X", "csr_matrix", {2, 5}, std::vector<std::uint8_t>(static_cast<std::size_t>(length), 1),
      std::vector<std::uint8_t>(static_cast<std::size_t>(length), 3), {0, 0, length});
  EXPECT_THAT(complaint(builder, "csr_matrix", 2, 5), HasSubstr("cell 1 has 1,048,577 stored values for 5 genes"));
}

}  // namespace
}  // namespace scvet::io
