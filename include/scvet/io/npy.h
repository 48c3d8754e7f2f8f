// NumPy's .npy arrays (NEP 1, format versions 1 to 3) as cells x dimensions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet::io {

bool looks_like_npy(const std::string& path);  // by its first bytes; never throws

// A matrix of float32 or float64, rows or columns first. DataError when it is of another type or shape, holds pickled
// objects, or is shorter than its header says.
std::unique_ptr<CellSource> open_npy(const std::string& path);

struct NpyMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;  // row-major
};
NpyMatrix read_npy(const std::string& path);  // the whole of it

// A row-major float64 matrix of this shape; appears whole or not at all.
void write_npy(const std::string& path, const double* values, std::int64_t rows, std::int64_t columns);

}  // namespace scvet::io
