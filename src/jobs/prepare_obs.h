// obs barcode and batch_id by the benchmark's protocol (specification 1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/table.h"
#include "scvet/jobs/prepare.h"

namespace scvet::jobs {

// What becomes of a column: kAbsent: it can and need not be made.
enum class ColumnFate { kAbsent, kAdded, kSame, kReplaced };
const char* column_fate_name(ColumnFate fate);  // absent, added, same, replaced

struct ObsChoice {
  std::vector<Column> columns;  // to be written
  ColumnFate barcode = ColumnFate::kAdded, batch = ColumnFate::kAbsent;
  std::vector<std::string> batches;  // in code-point order; of a batch_id that stays, too
  std::int64_t n_batch_missing = 0;  // cells
  std::vector<std::string> notes;
};
// DataError: two cells have one name, or a column of that name holds something else (unless overwritten). UsageError: a
// column of --batch-from is not there.
ObsChoice choose_obs_columns(const Table& obs, const PrepareOptions& options, const std::string& file);

// Rows whose texts differ; the lengths must be equal.
std::int64_t count_differing(const Column& a, const Column& b);

}  // namespace scvet::jobs
