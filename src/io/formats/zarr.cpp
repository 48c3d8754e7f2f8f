// AnnData in a zarr store: a folder, or a zip archive read in place.
#include "anndata/anndata_file.h"
#include "scvet/io/format.h"
#include "zarr/zarr_store.h"

namespace scvet::io {
namespace {

bool recognises_zarr(const std::string& path) {
  try {
    return zarr::is_store(path) && anndata::is_anndata(*zarr::open_store(path));
  } catch (const Error&) {
    return false;
  }
}

std::unique_ptr<CellFile> open_zarr(const std::string& path, const OpenOptions&) {
  return anndata::open_file(path, "zarr", zarr::open_store(path));
}

}  // namespace

extern const FormatRecord zarr_format;
const FormatRecord zarr_format = {"zarr", "AnnData in a zarr store of version 2 or 3, a folder or a zip archive",
                                  "zarr,zarr.zip", recognises_zarr, open_zarr};

}  // namespace scvet::io
