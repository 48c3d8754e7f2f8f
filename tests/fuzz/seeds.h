// Parts of make_seeds, which writes valid inputs to FOLDER/<target>/ for the fuzz targets to change.
#pragma once

#include <string>

namespace scvet {

// AnnData of every age, 10x, MuData and loom, made with the HDF5 layer of the writer.
void hdf5_seeds(const std::string& folder);

}  // namespace scvet
