#include "scvet/numeric/log_normalise.h"

#include <algorithm>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/numeric/exact_log.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kRows = 256;  // of a task

}  // namespace

std::vector<double> row_sums(CsrView counts) {
  std::vector<double> sums(static_cast<std::size_t>(counts.rows));
  parallel_for((counts.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    for (std::int64_t row = task * kRows; row < std::min(counts.rows, (task + 1) * kRows); ++row) {
      double sum = 0;
      for (const float value : counts.row_values(row)) {
        if (!(value >= 0) || std::isinf(value))
          throw DataError("counts are expected, and cell number " + std::to_string(row + 1) + " has the value " +
                              format_number(value) + "; give raw counts",
                          {.row = row, .reason = "not_counts"});
        sum += value;
      }
      sums[static_cast<std::size_t>(row)] = sum;
    }
  });
  return sums;
}

void RowLogarithms::start(double row_sum) {
  known_.fill(-1);
  per_ = row_sum / kCountsPerCell;
}

double RowLogarithms::at(float count) {
  if (count == 0) return 0;
  const auto whole = count < static_cast<float>(known_.size()) ? static_cast<std::size_t>(count) : 0;
  if (whole == 0 || static_cast<float>(whole) != count) return exact_log1p(count / per_);
  double& value = known_[whole];
  if (value < 0) value = exact_log1p(count / per_);
  return value;
}

std::vector<float> log_normalise(CsrView counts) {
  const std::vector<double> sums = row_sums(counts);
  std::vector<float> logs(static_cast<std::size_t>(counts.stored()));
  parallel_for((counts.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    RowLogarithms logarithms;
    for (std::int64_t row = task * kRows; row < std::min(counts.rows, (task + 1) * kRows); ++row) {
      logarithms.start(sums[static_cast<std::size_t>(row)]);
      auto to = logs.begin() + (counts.indptr[row] - counts.indptr[0]);
      for (const float value : counts.row_values(row)) *to++ = static_cast<float>(logarithms.at(value));
    }
  });
  return logs;
}

}  // namespace scvet::numeric
