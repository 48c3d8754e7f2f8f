// HDF5 files behind the interface of store.h.
#pragma once

#include "hdf5/hdf5_file.h"
#include "store/store.h"

namespace scvet::io::hdf5 {

store::GroupPtr as_store(Group group);
store::GroupPtr open_store(const std::string& path);

}  // namespace scvet::io::hdf5
