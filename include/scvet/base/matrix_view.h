// A row-major matrix that somebody else owns.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

namespace scvet {

template <typename T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;  // elements from one row to the next, at least cols

  MatrixView() = default;
  MatrixView(T* first, std::int64_t n_rows, std::int64_t n_cols) : MatrixView(first, n_rows, n_cols, n_cols) {}
  MatrixView(T* first, std::int64_t n_rows, std::int64_t n_cols, std::int64_t row_stride)
      : data(first), rows(n_rows), cols(n_cols), stride(row_stride) {}

  T* row(std::int64_t at) const { return data + at * stride; }
  T& operator()(std::int64_t at_row, std::int64_t at_col) const { return data[at_row * stride + at_col]; }
  std::span<T> row_span(std::int64_t at) const { return {row(at), static_cast<std::size_t>(cols)}; }

  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }
};

}  // namespace scvet
