#include "scaled_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gene_moments.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/log_normalise.h"

namespace scvet::numeric {
namespace {

constexpr double kClip = 10;
constexpr std::int64_t kRows = 256;  // of a task

template <class Body>
void for_rows(std::int64_t n_rows, const Body& body) {
  parallel_for((n_rows + kRows - 1) / kRows,
               [&](std::int64_t task, int) { body(task * kRows, std::min(n_rows, (task + 1) * kRows)); });
}

// The logarithms of the chosen genes; offsets are not filled.
ScaledCounts chosen_logarithms(CsrView counts, const std::vector<std::int64_t>& genes) {
  constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(static_cast<std::size_t>(counts.cols), kLeftOut);
  for (std::size_t at = 0; at < genes.size(); ++at)
    number[static_cast<std::size_t>(genes[at])] = static_cast<std::uint32_t>(at);
  ScaledCounts made{
      counts.rows, std::ssize(genes), std::vector<std::int64_t>(static_cast<std::size_t>(counts.rows) + 1, 0), {}, {},
      {}};
  const std::vector<double> sums = row_sums(counts);
  for_rows(counts.rows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      for (const std::uint32_t gene : counts.row_columns(row))
        made.indptr[static_cast<std::size_t>(row) + 1] += number[gene] != kLeftOut;
  });
  std::partial_sum(made.indptr.begin(), made.indptr.end(), made.indptr.begin());
  made.columns.resize(static_cast<std::size_t>(made.indptr.back()));
  made.values.resize(made.columns.size());
  for_rows(counts.rows, [&](std::int64_t first, std::int64_t last) {
    RowLogarithms logarithms;
    for (std::int64_t row = first; row < last; ++row) {
      logarithms.start(sums[static_cast<std::size_t>(row)]);
      std::size_t to = made.begin_of(row);
      for (std::int64_t entry = counts.indptr[row]; entry < counts.indptr[row + 1]; ++entry) {
        const std::uint32_t column = number[counts.columns[entry]];
        if (column == kLeftOut) continue;
        made.columns[to] = column;
        made.values[to++] = logarithms.at(counts.values[entry]);
      }
    }
  });
  return made;
}

double clipped(double value, const CountScaling& scaling, std::size_t column) {
  return std::clamp((value - scaling.mean[column]) / scaling.sd[column], -kClip, kClip);
}

// Logarithms to clipped values less that of no count.
void standardise(ScaledCounts& matrix, const CountScaling& scaling) {
  std::vector<double> absent(static_cast<std::size_t>(matrix.n_cols));
  for (std::size_t column = 0; column < absent.size(); ++column) absent[column] = clipped(0, scaling, column);
  for_rows(matrix.n_rows, [&](std::int64_t first, std::int64_t last) {
    for (std::size_t entry = matrix.begin_of(first); entry < matrix.begin_of(last); ++entry) {
      const std::size_t column = matrix.columns[entry];
      matrix.values[entry] = clipped(matrix.values[entry], scaling, column) - absent[column];
    }
  });
}

// Means and standard deviations of the logarithms, zeros included.
void fit_moments(const ScaledCounts& matrix, CountScaling& scaling) {
  const auto n = static_cast<double>(matrix.n_rows);
  const auto n_cols = static_cast<std::size_t>(matrix.n_cols);
  const std::vector<double> sums = sum_rows(matrix.n_rows, 2 * matrix.n_cols, [&](std::int64_t row, double* to) {
    for (std::size_t entry = matrix.begin_of(row); entry < matrix.end_of(row); ++entry) {
      to[matrix.columns[entry]] += matrix.values[entry];
      to[n_cols + matrix.columns[entry]] += 1;
    }
  });
  scaling.mean.resize(n_cols);
  for (std::size_t column = 0; column < n_cols; ++column) scaling.mean[column] = sums[column] / n;
  const std::vector<double> squares = sum_rows(matrix.n_rows, matrix.n_cols, [&](std::int64_t row, double* to) {
    for (std::size_t entry = matrix.begin_of(row); entry < matrix.end_of(row); ++entry) {
      const double beside = matrix.values[entry] - scaling.mean[matrix.columns[entry]];
      to[matrix.columns[entry]] += beside * beside;
    }
  });
  scaling.sd.resize(n_cols);
  for (std::size_t column = 0; column < n_cols; ++column) {
    const double absent = n - sums[n_cols + column], mean = scaling.mean[column];
    const double variance = (squares[column] + absent * mean * mean) / (n - 1);
    scaling.sd[column] = variance > 0 ? std::sqrt(variance) : 1;
  }
}

}  // namespace

ScaledCounts scale_counts(CsrView counts, const CountScaling& scaling) {
  ScaledCounts made = chosen_logarithms(counts, scaling.genes);
  standardise(made, scaling);
  for (std::size_t column = 0; column < scaling.genes.size(); ++column)
    made.offset.push_back(scaling.shift[column] - clipped(0, scaling, column));
  return made;
}

ScaledCounts fit_scaling(CsrView counts, CountScaling& scaling) {
  ScaledCounts made = chosen_logarithms(counts, scaling.genes);
  fit_moments(made, scaling);
  standardise(made, scaling);
  made.offset = sum_rows(made.n_rows, made.n_cols, [&](std::int64_t row, double* to) {
    for (std::size_t entry = made.begin_of(row); entry < made.end_of(row); ++entry)
      to[made.columns[entry]] += made.values[entry];
  });
  for (std::size_t column = 0; column < made.offset.size(); ++column) {
    made.offset[column] /= static_cast<double>(made.n_rows);
    scaling.shift.push_back(clipped(0, scaling, column) + made.offset[column]);
  }
  return made;
}

}  // namespace scvet::numeric
