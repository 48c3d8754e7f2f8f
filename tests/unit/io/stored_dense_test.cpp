#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hdf5/hdf5_store.h"
#include "hdf5_builder.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {
using testing::HasSubstr;

MatrixInfo info_of(std::int64_t n_cells, std::int64_t n_genes) {
  MatrixInfo info{.name = "X", .kind = "ndarray", .dtype = {}};
  info.n_cells = n_cells;
  info.n_genes = n_genes;
  return info;
}

std::unique_ptr<CellSource> open_dense(Hdf5Builder& builder, std::int64_t n_cells, std::int64_t n_genes) {
  return dense_source(*hdf5::open_store(builder.path()), "X", info_of(n_cells, n_genes),
                      std::make_shared<const Table>());
}

hdf5::Handle chunked(std::vector<hsize_t> chunk) {
  hdf5::Handle list(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_deflate(list.get(), 1);
  return list;
}

TEST(StoredDense, ZerosAreLeftOutAndMissingValuesKept) {
  Hdf5Builder builder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  builder.numbers<float>("X", {0, 2, nan, -0.0f, 0, 0, 1, 0, -3}, {3, 3});
  const auto source = open_dense(builder, 3, 3);
  CellChunk chunk;
  source->read(0, 3, chunk);
  EXPECT_EQ(chunk.indptr, (std::vector<std::int64_t>{0, 2, 2, 4}));
  EXPECT_EQ(chunk.genes, (std::vector<std::uint32_t>{1, 2, 0, 2}));
  EXPECT_TRUE(std::isnan(chunk.values[1]));
  EXPECT_EQ(chunk.values[3], -3);
  EXPECT_EQ(source->info().stored, 9);
  EXPECT_EQ(source->info().dtype, "float32");
}

TEST(StoredDense, AnyChunkShapeGivesTheSameRows) {
  const hsize_t n_cells = 37, n_genes = 23;
  std::vector<std::int32_t> values(n_cells * n_genes);
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<std::int32_t>(at % 7);
  for (const std::vector<hsize_t>& shape : {std::vector<hsize_t>{5, 4}, {37, 1}, {1, 23}, {37, 23}}) {
    Hdf5Builder builder;
    const hdf5::Handle list = chunked(shape);
    builder.numbers("X", values, {n_cells, n_genes}, list.get());
    const auto source = open_dense(builder, n_cells, n_genes);
    CellChunk chunk;
    for (const std::int64_t step : {1, 4, 37}) {
      for (std::int64_t first = 0; first < 37; first += step) {
        source->read(first, std::min<std::int64_t>(step, 37 - first), chunk);
        for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell)
          for (auto at = chunk.indptr[static_cast<std::size_t>(cell)];
               at < chunk.indptr[static_cast<std::size_t>(cell) + 1]; ++at) {
            const auto place =
                static_cast<std::size_t>(first + cell) * n_genes + chunk.genes[static_cast<std::size_t>(at)];
            ASSERT_EQ(chunk.values[static_cast<std::size_t>(at)], values[place]);
          }
      }
    }
  }
}

TEST(StoredDense, ChunksHoldWholeHdf5ChunksWithinTheMemoryGoal) {
  Hdf5Builder builder;
  const hdf5::Handle list = chunked({1000, 100});
  builder.raw("X", H5T_NATIVE_FLOAT, {20000, 1000}, nullptr, list.get());
  const auto source = open_dense(builder, 20000, 1000);
  EXPECT_EQ(source->chunk_cells(), 2000);  // 16 MiB hold 2,097 rows of doubles
}

TEST(StoredDense, AMatrixOfOneGeneMayBeAList) {
  Hdf5Builder builder;
  builder.numbers<double>("X", {5, 0, 7});
  CellChunk chunk;
  open_dense(builder, 3, 1)->read(1, 2, chunk);
  EXPECT_EQ(chunk.indptr, (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(chunk.values, std::vector<double>{7});
}

TEST(StoredDense, AnotherShapeOrTypeIsRefused) {
  Hdf5Builder builder;
  builder.numbers<double>("X", {1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_THAT(message_of([&] { open_dense(builder, 3, 2); }), HasSubstr("expected 3 cells x 2 genes"));
  Hdf5Builder texts;
  texts.texts("X", {"a", "b"});
  EXPECT_THAT(message_of([&] { open_dense(texts, 2, 1); }), HasSubstr("expected numbers"));
}

TEST(StoredDense, AClaimOfTerabytesIsAnErrorAtOpening) {
  Hdf5Builder builder;
  const hdf5::Handle list = chunked({1024, 1});
  builder.raw("X", H5T_NATIVE_FLOAT, {hsize_t{1} << 40, 4}, nullptr, list.get());
  EXPECT_THAT(message_of([&] { open_dense(builder, std::int64_t{1} << 40, 4); }), HasSubstr("its header is broken"));
}

}  // namespace
}  // namespace scvet::io
