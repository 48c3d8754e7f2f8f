// AnnData on disk (h5ad), as written by anndata 0.5 to 0.13 and by its many converters.
#include "anndata/anndata_file.h"
#include "hdf5/hdf5_store.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

bool recognises_h5ad(const std::string& path) {
  if (!hdf5::has_signature(path)) return false;
  try {
    return anndata::is_anndata(*hdf5::open_store(path));
  } catch (const Error&) {
    return false;
  }
}

std::unique_ptr<CellFile> open_h5ad(const std::string& path, const OpenOptions&) {
  return anndata::open_file(path, "h5ad", hdf5::open_store(path));
}

}  // namespace

extern const FormatRecord h5ad_format;
const FormatRecord h5ad_format = {"h5ad", "AnnData file (anndata 0.5 to 0.13)", "h5ad,h5", recognises_h5ad, open_h5ad};

}  // namespace scvet::io
