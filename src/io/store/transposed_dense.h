// Dense matrices in HDF5 with cells in columns.
#pragma once

#include <memory>

#include "hdf5/hdf5_file.h"
#include "scvet/data/cells.h"

namespace scvet::io {

// `dataset` is genes x cells. Cells are read a band of whole chunks at a time, so that no chunk is decoded twice where
// ranges ascend. info gives the shape that is expected; its dtype and stored are filled in.
std::unique_ptr<CellSource> transposed_dense_source(hdf5::Dataset dataset, MatrixInfo info,
                                                    std::shared_ptr<const Table> var);

}  // namespace scvet::io
