// Which matrix of a file holds the counts.
#pragma once

#include <memory>
#include <string>

#include "scvet/data/cells.h"
#include "scvet/jobs/cell_input.h"

namespace scvet::jobs {

struct ChosenMatrix {
  std::unique_ptr<CellSource> source;
  std::string name, why;
  bool counts = true;
};
// The layer that was asked for; else a token list where the file is one, raw/X if its values are counts, X if they are.
// Judged on the first rows. DataError with the share and examples of what is no count, and the layers that hold counts.
ChosenMatrix choose_matrix(CellFile& file, const CellInputOptions& options);

// Throws the full DataError for a matrix in which a value that is no count was met.
void explain_values(CellFile& file, const std::string& matrix);

}  // namespace scvet::jobs
