// Fuzz input as a file: readers take paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scvet::fuzz {

// A folder in memory that lives as long as the process.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  // Writes (again) the file `name` and returns its path.
  std::string put(const std::string& name, const std::uint8_t* data, std::size_t size) const;
  void remove(const std::string& name) const;

 private:
  std::string path_;
};

// Parts of one input, as join_parts made them: several files for one reader. Always `count` of them.
std::vector<std::vector<std::uint8_t>> split_parts(const std::uint8_t* data, std::size_t size, std::size_t count);
std::string join_parts(const std::vector<std::string>& parts);

}  // namespace scvet::fuzz
