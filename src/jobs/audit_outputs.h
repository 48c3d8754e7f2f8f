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

// Columns of cells.csv and cells.parquet in the order of docs/audit.md; several data sets follow one another. What is
// undefined or was not asked for is missing.
Table cells_table(const std::vector<audit::DatasetAudit>& datasets, const std::vector<AuditedCells>& cells);

// The columns that the annotated copy gets: one outcome and one match a cell, in the file's order.
std::vector<Column> annotation_columns(const std::vector<const audit::CellOutcome*>& outcomes,
                                       const std::vector<const MatchOrigin*>& matches);

// "found nothing", never "proven absent": head lines state power and sampled share, then one cell name a line.
std::string clean_cells_text(const std::vector<audit::DatasetAudit>& datasets, const std::vector<AuditedCells>& cells);

}  // namespace scvet::jobs
