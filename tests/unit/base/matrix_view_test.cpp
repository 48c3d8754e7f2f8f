#include "scvet/base/matrix_view.h"

#include <gtest/gtest.h>

#include <vector>

#include "scvet/base/aligned_buffer.h"

namespace scvet {
namespace {

TEST(MatrixView, RowsAreAStrideApart) {
  std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const MatrixView<int> left(numbers.data(), 3, 2, 3);
  EXPECT_EQ(left(2, 1), 7);
  EXPECT_EQ(left.row_span(1).size(), 2u);
  EXPECT_EQ(left.row_span(1)[1], 4);
  left(1, 0) = 30;
  const MatrixView<const int> fixed = left;
  EXPECT_EQ(*fixed.row(1), 30);
  EXPECT_EQ(MatrixView<int>(numbers.data(), 3, 3).stride, 3);
}

TEST(AlignedBuffer, BeginsAtACacheLineWithZeros) {
  for (const std::int64_t size : {1, 16, 17, 1000}) {
    AlignedBuffer<float> buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    for (std::int64_t at = 0; at < size; ++at) EXPECT_EQ(buffer[at], 0.0f);
    buffer[size - 1] = 2;
    buffer.resize(2 * size);
    EXPECT_EQ(buffer[size - 1], 2.0f);
    EXPECT_EQ(buffer[2 * size - 1], 0.0f);
  }
}

}  // namespace
}  // namespace scvet
