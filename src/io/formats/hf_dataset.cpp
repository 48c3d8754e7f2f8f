// Hugging Face data sets as save_to_disk leaves them: state.json, dataset_info.json and Arrow files; or one Arrow file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "columnar/columnar_cells.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMostJson = std::uintmax_t{64} << 20;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<std::string> arrow_files_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && entry.path().extension() == ".arrow")
      found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

// An object, or null when there is no such file.
json read_json(const fs::path& path) {
  if (!is_file(path)) return nullptr;
  std::error_code error;
  if (fs::file_size(path, error) > kMostJson)
    throw DataError(path.string() + " is larger than 64 MB: no description of a data set is",
                    {.file = path.string(), .reason = "bad_size"});
  try {
    json content = json::parse(read_file(path.string()));
    if (content.is_object()) return content;
  } catch (const json::exception& fault) {
    throw DataError(fmt::format("{}: broken JSON: {}", path.string(), fault.what()),
                    {.file = path.string(), .reason = "bad_json"});
  }
  throw DataError(path.string() + ": expected a JSON object", {.file = path.string(), .reason = "bad_json"});
}

// True for names that stay in the folder.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

std::vector<std::string> files_of_state(const std::string& folder, const json& state) {
  const std::string where = (fs::path(folder) / "state.json").string();
  const auto bad = [&](const std::string& what) {
    return DataError(where + ": " + what, {.file = where, .field = "_data_files", .reason = "bad_state"});
  };
  if (const auto indices = state.find("_indices_data_files");
      indices != state.end() && !indices->is_null() && !(indices->is_array() && indices->empty()))
    throw DataError(where +
                        ": _indices_data_files is set: the rows are chosen and ordered by an index (after select, "
                        "shuffle or filter). Write them out in Python first: "
                        "load_from_disk(FOLDER).flatten_indices().save_to_disk(OTHER)",
                    {.file = where, .field = "_indices_data_files", .reason = "indices"});
  const auto listed = state.find("_data_files");
  if (listed == state.end() || !listed->is_array()) throw bad("expected a list _data_files, found none");
  std::vector<std::string> files;
  for (const json& entry : *listed) {
    if (!entry.is_object() || !entry.contains("filename") || !entry["filename"].is_string())
      throw bad("an entry of _data_files has no filename");
    const std::string name = entry["filename"];
    if (!is_plain_name(name)) throw bad("'" + name + "' is no name of a file in this folder");
    const fs::path path = fs::path(folder) / name;
    if (!is_file(path)) throw bad("it names " + name + ", which is not there: an incomplete copy?");
    files.push_back(path.string());
  }
  if (files.empty()) throw bad("_data_files is empty: the data set has no data");
  return files;
}

// What dataset_info.json says of the columns, where that tells more than the Arrow files do.
std::vector<std::string> describe_info(const json& info) {
  if (!info.is_object() || !info.contains("features") || !info["features"].is_object()) return {};
  const json& features = info["features"];
  if (!features.contains("input_ids") || !features["input_ids"].is_object()) return {};
  const json& feature = features["input_ids"];
  const std::string type =
      feature.contains("_type") && feature["_type"].is_string() ? std::string(feature["_type"]) : "";
  if (type == "Sequence" || type == "List" || type == "LargeList") return {};
  return {"dataset_info.json calls input_ids '" + type + "', expected Sequence or List"};
}

bool recognises(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return looks_like_arrow(path);
  const fs::path folder(path);
  if (is_file(folder / "dataset_dict.json")) return true;
  return (is_file(folder / "state.json") || is_file(folder / "dataset_info.json")) && !arrow_files_in(path).empty();
}

std::vector<std::string> files_of(const std::string& path) {
  const fs::path folder(path);
  const json splits = read_json(folder / "dataset_dict.json");
  const json state = read_json(folder / "state.json");
  if (!splits.is_null() && state.is_null())
    throw DataError(fmt::format("{} holds several splits ({}): give the folder of one", path,
                                splits.contains("splits") ? splits["splits"].dump() : "see dataset_dict.json"),
                    {.file = path, .reason = "splits"});
  if (!state.is_null()) return files_of_state(path, state);
  const std::vector<std::string> found = arrow_files_in(path);
  if (found.size() != 1)
    throw DataError(
        fmt::format("{}: state.json, which orders the {} Arrow files ({}), is not there: an incomplete copy?", path,
                    found.size(), join_some(found, 4)),
        {.file = path, .reason = "missing_file"});
  return {(folder / found.front()).string()};
}

std::unique_ptr<CellFile> open_dataset(const std::string& path, const OpenOptions& options) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return open_columnar_cells("hf_dataset", path, {path}, options, {});
  std::vector<std::string> files = files_of(path);
  return open_columnar_cells("hf_dataset", path, std::move(files), options,
                             describe_info(read_json(fs::path(path) / "dataset_info.json")));
}

}  // namespace

extern const FormatRecord hf_dataset_format = {
    "hf_dataset", "Hugging Face data set of token lists: a save_to_disk folder, or one Arrow file", "arrow", recognises,
    open_dataset};

}  // namespace scvet::io
