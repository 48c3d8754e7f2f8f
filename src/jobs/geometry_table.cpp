#include "geometry_table.h"

#include <cmath>

#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

std::string field(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

struct FieldOf {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return std::isnan(value) ? "" : format_python(value); }
  std::string operator()(const std::string& value) const { return csv_field(value); }
};

}  // namespace

std::string geometry_header() {
  std::string line = "dataset_id,method,embedding_file,n_cells_total,n_cells_used,embedding_dim,zero_var_dims";
  for (const metrics::ProbeRecord* record : metrics::ordered_probes())
    for (const char* column : record->columns) line += std::string(",") + column;
  return line + ",probe_status,failure_reason,notes\n";
}

std::string geometry_line(const GeometryRow& row) {
  std::string line = csv_field(row.dataset_id) + "," + csv_field(row.method) + "," + csv_field(row.embedding_file);
  for (const std::int64_t count : {row.n_cells_total, row.n_cells_used, row.embedding_dim, row.zero_var_dims})
    line += "," + field(count);
  std::size_t n_columns = 0;
  for (const metrics::ProbeRecord* record : metrics::ordered_probes()) n_columns += record->columns.size();
  for (std::size_t at = 0; at < n_columns; ++at)
    line += "," + (at < row.probes.values.size() ? std::visit(FieldOf{}, row.probes.values[at]) : std::string());
  const bool failed = !row.probes.failure.empty();
  return line + (failed ? ",failed," : ",completed,") + csv_field(row.probes.failure) + "," +
         csv_field(failed ? "" : row.probes.notes) + "\n";
}

std::string rnx_batches_table(const GeometryRow& row) {
  std::string text = "dataset_id,method,batch,n_cells,k,RNX,embedding_knn_backend\n";
  for (const metrics::RnxBatch& batch : row.probes.batches)
    text += csv_field(row.dataset_id) + "," + csv_field(row.method) + "," + csv_field(batch.batch) + "," +
            std::to_string(batch.n_cells) + "," + std::to_string(batch.k) + "," + format_python(batch.rnx) + ",exact\n";
  return text;
}

}  // namespace scvet::jobs
