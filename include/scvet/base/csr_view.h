// A sparse row-major matrix that somebody else owns.
#pragma once

#include <cstdint>
#include <span>

namespace scvet {

// Row r has entries indptr[r] .. indptr[r + 1]; columns ascend within a row, none twice. Stored zeros may occur.
struct CsrView {
  std::int64_t rows = 0, cols = 0;
  const std::int64_t* indptr = nullptr;  // rows + 1
  const std::uint32_t* columns = nullptr;
  const float* values = nullptr;

  std::int64_t stored() const { return rows == 0 ? 0 : indptr[rows] - indptr[0]; }
  std::span<const std::uint32_t> row_columns(std::int64_t row) const {
    return {columns + indptr[row], static_cast<std::size_t>(indptr[row + 1] - indptr[row])};
  }
  std::span<const float> row_values(std::int64_t row) const {
    return {values + indptr[row], static_cast<std::size_t>(indptr[row + 1] - indptr[row])};
  }
};

}  // namespace scvet
