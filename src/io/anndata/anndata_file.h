// AnnData in any store: the layout that h5ad, zarr and the modalities of h5mu share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "store/store.h"

namespace scvet::io::anndata {

// `root` holds obs, var, X and the rest; `path` is the file's, `format` the name of its format record,
// `notes` what the format has to tell beside the file's own.
std::unique_ptr<CellFile> open_file(const std::string& path, const char* format, store::GroupPtr root,
                                    const std::vector<std::string>& notes = {});

// True when `root` looks like AnnData: obs and var, or one of them and X, or the encoding said so. MuData is not.
bool is_anndata(const store::Group& root);

}  // namespace scvet::io::anndata
