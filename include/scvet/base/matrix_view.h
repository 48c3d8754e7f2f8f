// A matrix that lies elsewhere: row-major, rows `stride` values apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace scvet {

template <typename T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;

  MatrixView() = default;
  MatrixView(T* data_in, std::int64_t rows_in, std::int64_t cols_in)
      : data(data_in), rows(rows_in), cols(cols_in), stride(cols_in) {}
  MatrixView(T* data_in, std::int64_t rows_in, std::int64_t cols_in, std::int64_t stride_in)
      : data(data_in), rows(rows_in), cols(cols_in), stride(stride_in) {}
  T* row(std::int64_t row) const { return data + row * stride; }
  std::span<T> row_span(std::int64_t row_number) const {
    return {row(row_number), static_cast<std::size_t>(cols)};
  }
  operator MatrixView<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, rows, cols, stride};
  }
};

}  // namespace scvet
