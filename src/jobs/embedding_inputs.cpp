#include "embedding_inputs.h"

#include <algorithm>
#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

std::string folder_name(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().parent_path().filename().string();
}

}  // namespace

std::string method_label(const std::string& given, const std::vector<SampleFile>& embeddings) {
  std::string label = given;
  if (label.empty()) {
    label = folder_name(embeddings.front().path);
    for (const SampleFile& embedding : embeddings)
      if (folder_name(embedding.path) != label)
        throw UsageError("the embeddings lie in several folders (" + label + ", " + folder_name(embedding.path) +
                             "); --method names them all",
                         {.field = "--method"});
  }
  if (label.empty() || label == "." || label == ".." || label.find('/') != std::string::npos)
    throw UsageError("--method '" + label + "': expected a name that can stand in a file's name",
                     {.field = "--method"});
  return label;
}

std::vector<SampleFile> data_of(const std::vector<SampleFile>& embeddings, const std::vector<SampleFile>& data) {
  if (embeddings.size() == 1 && data.size() == 1) return data;
  std::vector<SampleFile> found;
  std::vector<std::string> without;
  for (const SampleFile& embedding : embeddings) {
    const auto own = std::find_if(data.begin(), data.end(),
                                  [&](const SampleFile& file) { return file.sample_id == embedding.sample_id; });
    if (own == data.end())
      without.push_back(embedding.sample_id);
    else
      found.push_back(*own);
  }
  if (!without.empty())
    throw UsageError("--data has no file of the name of " + std::to_string(without.size()) + " of " +
                         std::to_string(embeddings.size()) + " embeddings (" + join_some(without) +
                         "); pass the counts they were made from under the same names, or one pair alone",
                     {.field = "--data", .reason = "no_pair"});
  return found;
}

}  // namespace scvet::jobs
