#include "temporary_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace scvet::fuzz {
namespace {
constexpr std::string_view kBorder = "\n--8<--\n";
}

TemporaryFolder::TemporaryFolder() {
  const bool memory = access("/dev/shm", W_OK) == 0;
  std::string name = std::string(memory ? "/dev/shm" : "/tmp") + "/scvet_fuzz_XXXXXX";
  if (!mkdtemp(name.data())) {
    std::perror("mkdtemp");
    std::abort();
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::put(const std::string& name, const std::uint8_t* data, std::size_t size) const {
  const std::string file = path_ + "/" + name;
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (!out || std::fwrite(data, 1, size, out) != size || std::fclose(out) != 0) {
    std::perror(file.c_str());
    std::abort();
  }
  return file;
}

void TemporaryFolder::remove(const std::string& name) const {
  std::error_code ignored;
  std::filesystem::remove_all(path_ + "/" + name, ignored);
}

std::vector<std::vector<std::uint8_t>> split_parts(const std::uint8_t* data, std::size_t size, std::size_t count) {
  std::vector<std::vector<std::uint8_t>> parts;
  const std::uint8_t* const end = data + size;
  while (parts.size() + 1 < count) {
    const std::uint8_t* const border = std::search(data, end, kBorder.begin(), kBorder.end());
    parts.emplace_back(data, border);
    data = border == end ? end : border + kBorder.size();
  }
  parts.emplace_back(data, end);
  return parts;
}

std::string join_parts(const std::vector<std::string>& parts) {
  std::string joined;
  for (std::size_t part = 0; part < parts.size(); ++part) joined += (part ? std::string(kBorder) : "") + parts[part];
  return joined;
}

}  // namespace scvet::fuzz
