// What `scvet corpus build` is given: files and folders.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/jobs/corpus.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

bool recognised(const std::string& path) {
  const auto table = io::formats();
  return std::any_of(table.begin(), table.end(),
                     [&](const io::FormatRecord* record) { return record->recognises(path); });
}

// A file that bears the name of a format is taken even when it cannot be read: its fault must be heard of. Text files
// (csv, tsv, mtx) are taken only by their content, since folders of cells hold such tables about other things; a
// gene_metadata table names the genes of the files beside it.
bool named_like_cells(const fs::path& path) {
  const std::string name = lower(path.filename().string());
  if (name.starts_with("gene_metadata")) return false;
  std::vector<std::string> extensions = {"corpus", "hdf5"};
  for (const io::FormatRecord* format : io::formats())
    for (const std::string& extension : split(format->extensions, ','))
      if (extension != "mtx") extensions.push_back(extension);
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const std::string& extension) { return name.ends_with("." + extension); });
}

void add_folder(const fs::path& folder, std::vector<std::string>& found) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& path : entries) {
    if (path.filename().string().starts_with('.')) continue;
    if (fs::is_directory(path)) {
      if (named_like_cells(path) || recognised(path.string()))
        found.push_back(path.string());
      else if (path.extension() != ".run")  // our own records
        add_folder(path, found);
    } else if (named_like_cells(path) || recognised(path.string())) {
      found.push_back(path.string());
    } else {
      log_verbose(path.string() + " is no file of cells and was passed over");
    }
  }
}

}  // namespace

std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> found;
  for (const std::string& input : inputs) {
    if (!fs::exists(input)) throw DataError(input + ": no such file or folder", {.file = input, .reason = "missing"});
    if (!fs::is_directory(input) || recognised(input)) {
      found.push_back(input);
      continue;
    }
    const std::size_t before = found.size();
    add_folder(input, found);
    if (found.size() == before)
      throw DataError(input + ": no file of cells in this folder (h5ad, zarr, 10x h5, 10x mtx folders, ...)",
                      {.file = input, .reason = "empty_folder"});
  }
  if (found.empty()) throw UsageError("name at least one file or folder of cells");
  return found;
}

}  // namespace scvet::jobs
