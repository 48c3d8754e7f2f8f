// Small sparse matrices of counts for the tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "scvet/base/csr_view.h"
#include "scvet/base/random.h"

namespace scvet::numeric {

struct SparseRows {
  std::int64_t n_cols;
  std::vector<std::int64_t> indptr = {0};
  std::vector<std::uint32_t> columns = {};
  std::vector<float> values = {};

  explicit SparseRows(std::int64_t cols) : n_cols(cols) {}
  void add(const std::vector<std::pair<std::uint32_t, float>>& entries) {
    for (const auto& [column, value] : entries) {
      columns.push_back(column);
      values.push_back(value);
    }
    indptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  CsrView view() const {
    return {static_cast<std::int64_t>(indptr.size()) - 1, n_cols, indptr.data(), columns.data(), values.data()};
  }
  std::vector<double> dense() const {
    std::vector<double> made((indptr.size() - 1) * static_cast<std::size_t>(n_cols), 0.0);
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row)
      for (auto at = static_cast<std::size_t>(indptr[row]); at < static_cast<std::size_t>(indptr[row + 1]); ++at)
        made[row * static_cast<std::size_t>(n_cols) + columns[at]] = values[at];
    return made;
  }

  // Counts of three kinds of cells: genes differ in how often and how strongly they occur. `often` scales the first.
  static SparseRows random(std::int64_t rows, std::int64_t cols, std::uint64_t seed, double often = 1) {
    SparseRows made(cols);
    Stream stream(stream_key(seed, 1));
    std::vector<double> chance, size;
    for (std::int64_t col = 0; col < cols; ++col) {
      chance.push_back(often * stream.unit());
      size.push_back(std::exp(3 * stream.unit()));
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<std::pair<std::uint32_t, float>> entries;
      for (std::int64_t col = 0; col < cols; ++col) {
        const double kind = (row + col) % 3 == 0 ? 2.5 : 1;
        if (stream.unit() < chance[static_cast<std::size_t>(col)])
          entries.emplace_back(static_cast<std::uint32_t>(col),
                               static_cast<float>(1 + std::floor(-kind * size[static_cast<std::size_t>(col)] *
                                                                 std::log(1 - stream.unit()))));
      }
      made.add(entries);
    }
    return made;
  }
};

}  // namespace scvet::numeric
