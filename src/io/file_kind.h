// What a file is, for messages about files that are not what was expected.
#pragma once

#include <string>

namespace scvet::io {

// Judged by the first bytes: "it is a web page: ...", "it is gzip-compressed: ...", "it is a text file that starts
// with '...'", "it is empty". Never throws; says so when the file cannot be read.
std::string describe_bytes(const std::string& path);

// For files with HDF5's signature: "it is a 10x molecule_info file: ...", else what lies at its
// root. Throws DataError when HDF5 cannot open it, truncation named.
std::string describe_hdf5(const std::string& path);

}  // namespace scvet::io
