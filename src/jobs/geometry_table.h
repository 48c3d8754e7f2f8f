// The two tables of geometry as text.
#pragma once

#include <cstdint>
#include <string>

#include "scvet/metrics/geometry.h"

namespace scvet::jobs {

struct GeometryRow {
  std::string dataset_id, method, embedding_file;
  std::int64_t n_cells_total = -1, n_cells_used = -1, embedding_dim = -1, zero_var_dims = -1;  // -1: empty
  metrics::GeometryValues probes = {};
};

// The 35 column names, and one row, each with its line end.
std::string geometry_header();
std::string geometry_line(const GeometryRow& row);

// Header and rows of the table of batches.
std::string rnx_batches_table(const GeometryRow& row);

}  // namespace scvet::jobs
