#include "text/text_source.h"

#include <algorithm>

#include "scvet/base/text.h"
#include "zip/zip_file.h"

namespace scvet::io {
namespace {

bool added_by_system(const std::string& name) {
  const std::vector<std::string> parts = split(name, '/');
  return std::any_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return part.starts_with('.') || part == "__MACOSX"; });
}

}  // namespace

std::unique_ptr<TextFile> open_text(const std::string& path) {
  if (!is_zip(path)) return std::make_unique<TextFile>(path);
  const ZipFile zip(path);
  std::vector<std::string> names;
  for (const auto& [name, member] : zip.members())
    if (!added_by_system(name)) names.push_back(name);
  if (names.size() != 1)
    throw DataError(path + ": expected a zip archive with one table of text, found one that holds " +
                        (names.empty() ? "none" : join_some(names)) + "; unpack it and name the file",
                    {.file = path, .reason = "several_members"});
  return std::make_unique<TextFile>(path, zip.stream(*zip.find(names.front())));
}

}  // namespace scvet::io
