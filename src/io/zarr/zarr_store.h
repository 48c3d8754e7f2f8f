// Zarr stores, versions 2 and 3, folders and zip archives, behind the interface of store.h.
#pragma once

#include <string>

#include "store/store.h"

namespace scvet::io::zarr {

// True for a folder or a zip archive with zarr metadata at its root; never throws.
bool is_store(const std::string& path);

// The root group. DataError when there is none, or its metadata are broken.
store::GroupPtr open_store(const std::string& path);

// "it is a zarr store (version 3) that holds x, y".
std::string describe_store(const std::string& path);

}  // namespace scvet::io::zarr
