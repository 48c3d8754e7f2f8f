#include "scvet/jobs/paths.h"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t path = 0; path < found.gl_pathc; ++path) paths.emplace_back(found.gl_pathv[path]);
  globfree(&found);
  return paths;
}

// Folders that are one data set: zarr's and 10x's marker files.
bool is_data_set(const fs::path& folder) {
  for (const char* marker : {".zgroup", ".zattrs", "zarr.json", "matrix.mtx", "matrix.mtx.gz", "dataset_info.json"})
    if (fs::exists(folder / marker)) return true;
  return false;
}

void add_folder(const std::string& folder, const std::string& flag, const std::string& extension,
                std::vector<std::string>& paths) {
  if (is_data_set(folder)) return paths.push_back(folder);
  const std::size_t before = paths.size();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    // Names that begin with a dot are files in the making, or another system's litter.
    if (name.ends_with(extension) && !name.starts_with(".")) paths.push_back((fs::path(folder) / name).string());
  }
  if (paths.size() == before)
    throw UsageError(flag + " " + folder + ": the folder has no " + extension + " file",
                     {.file = folder, .field = flag, .reason = "empty_folder"});
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& arguments, const std::string& flag,
                                      const std::string& extension) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    std::vector<std::string> found{argument};
    const bool exists = fs::exists(argument);
    if (!exists && argument.find_first_of("*?[") != std::string::npos) {
      found = matches(argument);
      if (found.empty())
        throw UsageError(flag + " '" + argument + "': no file matches this pattern",
                         {.file = argument, .field = flag, .reason = "no_match"});
    } else if (!exists) {
      throw UsageError(flag + " " + argument + ": no such file or folder",
                       {.file = argument, .field = flag, .reason = "missing"});
    }
    for (const std::string& path : found) {
      if (fs::is_directory(path))
        add_folder(path, flag, extension, paths);
      else
        paths.push_back(path);
    }
  }
  return sorted_distinct(paths);
}

std::vector<SampleFile> sample_files(const std::vector<std::string>& arguments, const std::string& flag,
                                     const std::string& extension) {
  std::vector<SampleFile> samples;
  std::map<std::string, std::string> seen;
  for (const std::string& path : expand_paths(arguments, flag, extension)) {
    samples.push_back({path, stem(path)});
    const auto [earlier, is_new] = seen.emplace(samples.back().sample_id, path);
    if (!is_new)
      throw UsageError(flag + ": " + earlier->second + " and " + path + " are both sample '" + earlier->first +
                           "', so their outputs would overwrite each other; rename one, or run them with two --outdir",
                       {.file = path, .field = flag, .reason = "same_name"});
  }
  return samples;
}

std::string clean_name(const std::string& name) {
  const std::string text = name.ends_with(".h5ad") ? name.substr(0, name.size() - 5) : name;
  std::string clean;
  bool replacing = false;
  for (const char letter : text) {
    const bool kept =
        std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' || letter == '-';
    if (kept)
      clean += letter;
    else if (!replacing)
      clean += '-';
    replacing = !kept;
  }
  const std::size_t first = clean.find_first_not_of("-.");
  if (first == std::string::npos) return "";
  return clean.substr(first, clean.find_last_not_of("-.") - first + 1);
}

}  // namespace scvet::jobs
