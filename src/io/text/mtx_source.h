// Matrix Market coordinate files as a stream of cells.
#pragma once

#include <memory>
#include <string>

#include "scvet/data/cells.h"

namespace scvet::io {

struct MtxHeader {
  std::int64_t rows = 0, columns = 0, entries = 0;
  std::string dtype;       // int64, float64, or bool for a pattern
  std::int64_t lines = 0;  // of the header, its size line included
};
MtxHeader read_mtx_header(const std::string& path);

// `cells_in_rows`: the file's rows are cells; 10x writes genes in rows. The first read checks every entry: a number out
// of range, a line that is no entry, too few or too many entries are a DataError with the line. Entries sorted by cell
// are streamed; others are gathered in memory.
std::unique_ptr<CellSource> mtx_source(const std::string& path, bool cells_in_rows, std::shared_ptr<const Table> var);

}  // namespace scvet::io
