// Parquet: count lists in the layout of Tahoe-100M, or token lists; one file, or a folder of files in order of name.
#include <algorithm>
#include <filesystem>

#include "columnar/columnar_cells.h"
#include "columnar/gene_metadata.h"
#include "scvet/base/error.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> parquet_files_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".parquet") && !name.starts_with(".") && !is_gene_metadata_name(name) &&
        entry.is_regular_file(error))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A folder with a matrix of another kind beside a parquet table is not ours.
bool holds_other_cells(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".mtx") || name.ends_with(".mtx.gz") || name == ".zgroup" || name == "zarr.json") return true;
  }
  return false;
}

bool recognises(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return looks_like_parquet(path);
  return !parquet_files_in(path).empty() && !holds_other_cells(path);
}

std::unique_ptr<CellFile> open_parquet(const std::string& path, const OpenOptions& options) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return open_columnar_cells("parquet", path, {path}, options, {});
  std::vector<std::string> files = parquet_files_in(path);
  for (const std::string& file : files)
    if (!looks_like_parquet(file))
      throw DataError(file + ": expected parquet as its name says, found other bytes",
                      {.file = file, .reason = "broken_parquet"});
  return open_columnar_cells("parquet", path, std::move(files), options, {});
}

}  // namespace

extern const FormatRecord parquet_format = {
    "parquet", "parquet of count lists (Tahoe-100M) or token lists: a file, or a folder of them", "parquet", recognises,
    open_parquet};

}  // namespace scvet::io
