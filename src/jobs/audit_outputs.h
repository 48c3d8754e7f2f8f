// The audit's tables: one row a cell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/data/table.h"
#include "scvet/jobs/audit_report.h"

namespace scvet::jobs {

// The origin of each cell's match: of the identical cell where there is one, else of the nearest.
struct AuditedCells {
  std::vector<std::string> names;
  std::vector<MatchOrigin> match;
  // Rows over all corpus files in the order given, -1 none: of the nearest entry, of the containment maximum and of
  // identical content.
  std::vector<std::int64_t> nearest_row, containment_row, identical_set, identical_counts, identical_order;
};

// Columns of cells.csv in the order of docs/audit.md; several data sets follow one another.
Table cells_table(const std::vector<audit::DatasetAudit>& datasets, const std::vector<AuditedCells>& cells,
                  const std::vector<std::string>& panels);

// The columns that the annotated h5ad gets, for the cells [0, n) of one data set.
std::vector<Column> annotation_columns(const audit::DatasetAudit& dataset, const AuditedCells& cells);

// "found nothing", never "proven absent": head lines state power and sampled share, then one cell name a line.
std::string clean_cells_text(const std::vector<audit::DatasetAudit>& datasets, const std::vector<AuditedCells>& cells);

}  // namespace scvet::jobs
