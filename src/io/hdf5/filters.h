// HDF5 compression filters beyond those of the library: lzf, blosc, lz4, bitshuffle and zstd; and the names of others.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace scvet::io {

constexpr H5Z_filter_t kLzfFilter = 32000, kBloscFilter = 32001, kLz4Filter = 32004, kBitshuffleFilter = 32008,
                       kZstdFilter = 32015;

// Registers them in the running HDF5 library (lzf and zstd for writing too); calling it again does nothing.
void register_filters();

// Adds zstd to a data set creation list; `level` as zstd counts it. False when HDF5 refuses.
bool add_zstd(hid_t creation_list, unsigned level);

// "32001 (blosc)"; the bare number when nobody registered it.
std::string filter_name(H5Z_filter_t filter);

// How many bytes one stored byte can stand for at most, under the filters of a data set creation list.
double most_expansion(hid_t creation_list);

// Filters of a data set creation list that this build cannot decode, as filter_name gives them.
std::vector<std::string> missing_filters(hid_t creation_list);

}  // namespace scvet::io
