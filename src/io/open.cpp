#include <filesystem>
#include <vector>

#include "file_kind.h"
#include "hdf5/hdf5_file.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "zarr/zarr_store.h"

namespace scvet::io {
namespace {

std::string wanted() {
  std::vector<std::string> names;
  for (const FormatRecord* format : formats())
    names.push_back(std::string(format->name) + " (" + format->summary + ")");
  return "scvet reads " + join(names, "; ");
}

[[noreturn]] void refuse(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw DataError(path + ": the folder is of no format that scvet knows" +
                        (zarr::is_store(path) ? ": " + zarr::describe_store(path) : "") + "; " + wanted(),
                    {.file = path, .reason = "unknown_format"});
  const std::string what = hdf5::has_signature(path) ? describe_hdf5(path) : describe_bytes(path);
  throw DataError(path + " holds no cells that scvet can read: " + what + ". " + wanted(),
                  {.file = path, .reason = "unknown_format"});
}

}  // namespace

std::unique_ptr<CellFile> open_cells(const std::string& path, const OpenOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw DataError("cannot read " + path + ": " + (error ? error.message() : "no such file or folder"),
                    {.file = path, .reason = "missing"});
  for (const FormatRecord* format : formats())
    if (format->recognises(path)) return format->open(path, options);
  refuse(path);
}

}  // namespace scvet::io
