// From the counts of a screen to features, weak labels and digests, in streaming passes. Specification 3, 4 and 14.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/trial/design.h"

namespace scvet::trial {

struct ScreenOptions {
  int min_cells = 10;
  // For the counts of the rows in work; what does not fit is read in another pass over the file.
  std::int64_t memory_bytes = std::int64_t{2500} << 20;
  bool labels = true;  // false: no label is computed
};

struct ScreenRow {
  std::int64_t n_finite = 0;  // genes with an Anderson-Darling statistic
  bool eligible = false;
  std::string reason;                                     // "", min_cells, no_finite_statistic
  double y = std::numeric_limits<double>::quiet_NaN();    // weak label; NaN unless labels were asked for
  double d15 = std::numeric_limits<double>::quiet_NaN();  // the per-batch diagnostic; NaN where no batch gives one
};

struct Screen {
  std::vector<ScreenRow> rows;         // one a row of the design
  std::vector<std::int64_t> eligible;  // of these, in table order
  std::int64_t n_genes = 0;
  std::vector<double> x_delta;  // eligible rows x genes, row-major
  std::string counts_digest, gene_list_sha256;
  std::vector<std::string> cell_sketch;
  std::vector<std::uint64_t> record_hash;  // one a cell: of its counts without its name
};

// DataError not_counts, duplicate_names (genes).
Screen scan_screen(CellSource& counts, const Design& design, const ScreenOptions& options, const std::string& file);

struct Features {
  std::vector<double> x_unit_delta;  // rows x genes, each row of length 1; a zero row stays zero
  std::vector<double> mag;           // rows x 4: mean, length / sqrt(genes), signed maximum, std (ddof 0)
};
Features make_features(std::span<const double> x_delta, std::int64_t n_rows, std::int64_t n_genes);

}  // namespace scvet::trial
