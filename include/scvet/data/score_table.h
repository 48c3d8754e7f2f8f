// Scores of embeddings as rows: what the benchmark writes, and reports and ranks read.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace scvet {

struct ScoreRow {
  std::string sample_id, method, metric;
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string note;
  std::string metric_group;  // bio_conservation, batch_mixing, extra
  std::int64_t n_cells = 0, n_dims = 0, n_labels = 0;
  std::int64_t n_batches = -1;  // -1: not counted, an empty field
};

// sample_id,method,metric,value,note,metric_group,n_cells,n_dims,n_labels,n_batches; a missing value is an empty field,
// numbers are the shortest decimals that read back the same.
std::string scores_to_csv(std::span<const ScoreRow> rows);

// One line a sample (in the order of their first rows) and method, one column a metric in code-point order.
// `drop_undefined` leaves out samples without any value.
std::string scores_to_wide_csv(std::span<const ScoreRow> rows, bool drop_undefined);

}  // namespace scvet
