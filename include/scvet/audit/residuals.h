// J* after what depth and cell type explain of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/outcome.h"

namespace scvet::audit {

// Residuals of J* on 1, ln|S|, ln^2|S| and cell type by least squares. The fit and the 95 % and 99 % points are those of
// the benchmark's own unflagged cells (there is no calibration data here), so about 5 % and 1 % of these lie above by
// construction; the flagged cells are what the line is about.
struct ResidualLine {
  std::int64_t n_fitted = 0, n_flagged = 0;
  double explained = kNaN;                  // R^2 among the fitted cells
  double q95 = kNaN, q99 = kNaN;            // of their residuals
  double max = kNaN;                        // over all cells
  double above_95 = kNaN, above_99 = kNaN;  // shares of all cells with a residual
  double mean_flagged = kNaN, above_95_flagged = kNaN, above_99_flagged = kNaN;
  std::string reason;  // why there is none, else ""
};
// Cells of at least `min_genes` genes; fewer than 30 unflagged ones: no line. Without labels the type is left out.
ResidualLine residual_line(const std::vector<CellOutcome>& cells, const CellAnnotations& annotations, int min_genes);

}  // namespace scvet::audit
