// What is special to 10x HDF5 files.
#pragma once

#include <string>
#include <vector>

namespace scvet::io {

// The matrices of a 10x HDF5 file: {"matrix"} in layout 3, one a genome in layout 2; empty when it is no such file.
// Never throws on foreign or broken files.
std::vector<std::string> tenx_matrices(const std::string& path);

}  // namespace scvet::io
