#include "scvet/data/cells.h"

#include <gtest/gtest.h>

#include <limits>

#include "scvet/base/error.h"

namespace scvet {
namespace {

TEST(Cells, AChunkStartsEmptyWhateverItHeld) {
  CellChunk chunk{7, 1, {0, 1}, {3}, {2.0}};
  start_chunk({.name = "X", .kind = "csr_matrix", .dtype = "int32", .n_cells = 10}, 4, 6, chunk);
  EXPECT_EQ(chunk.first_cell, 4);
  EXPECT_EQ(chunk.n_cells, 6);
  EXPECT_EQ(chunk.indptr, std::vector<std::int64_t>{0});
  EXPECT_TRUE(chunk.genes.empty() && chunk.values.empty());
}

TEST(Cells, CellsBeyondTheMatrixAreRefusedAlsoWhereTheirSumOverflows) {
  const MatrixInfo info{.name = "X", .kind = "csr_matrix", .dtype = "int32", .n_cells = 10};
  CellChunk chunk;
  EXPECT_THROW(start_chunk(info, 4, 7, chunk), InternalError);
  EXPECT_THROW(start_chunk(info, -1, 2, chunk), InternalError);
  EXPECT_THROW(start_chunk(info, 4, -1, chunk), InternalError);
  EXPECT_THROW(start_chunk(info, 4, std::numeric_limits<std::int64_t>::max(), chunk), InternalError);
}

}  // namespace
}  // namespace scvet
