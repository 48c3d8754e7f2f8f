#include "zarr/zarr_keys.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "file_bytes.h"
#include "scvet/base/text.h"
#include "zip/zip_file.h"

namespace scvet::io::zarr {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostKept = 512u << 20;

bool has_root_metadata(const Keys& keys) { return keys.has("zarr.json") || keys.has(".zgroup") || keys.has(".zarray"); }

class FolderKeys : public Keys {
 public:
  explicit FolderKeys(std::string path) : path_(std::move(path)) {}
  const std::string& path() const override { return path_; }
  std::uint64_t bytes() const override { return stored_below(""); }

  std::optional<std::uint64_t> size(const std::string& key) const override {
    std::error_code error;
    const fs::path file = place(key);
    if (!fs::is_regular_file(file, error)) return std::nullopt;
    const auto found = fs::file_size(file, error);
    return error ? std::nullopt : std::optional<std::uint64_t>(found);
  }

  std::optional<std::vector<std::byte>> read(const std::string& key, std::uint64_t most) const override {
    if (!has(key)) return std::nullopt;
    const FileBytes file(place(key).string());
    if (file.size() > most)
      throw DataError(file.path() + ": it is " + format_count(static_cast<std::int64_t>(file.size())) +
                          " bytes, where at most " + format_count(static_cast<std::int64_t>(most)) + " make sense",
                      {.file = path_, .field = key, .reason = "damaged"});
    std::vector<std::byte> bytes(static_cast<std::size_t>(file.size()));
    file.read(0, bytes);
    return bytes;
  }

  std::vector<std::byte> read_range(const std::string& key, std::uint64_t offset, std::uint64_t count) const override {
    const FileBytes file(place(key).string());
    if (offset > file.size() || count > file.size() - offset)
      throw DataError(file.path() + ": it is cut short: bytes up to " +
                          format_count(static_cast<std::int64_t>(offset + count)) + " are wanted, it has " +
                          format_count(static_cast<std::int64_t>(file.size())),
                      {.file = path_, .field = key, .reason = "truncated"});
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    file.read(offset, bytes);
    return bytes;
  }

  std::vector<std::string> children(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(place(folder), error), end; !error && entry != end; entry.increment(error))
      names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::uint64_t stored_below(const std::string& folder) const override {
    std::uint64_t total = 0;
    std::error_code error, ignored;
    for (fs::recursive_directory_iterator entry(place(folder), error), end; !error && entry != end;
         entry.increment(error))
      if (entry->is_regular_file(ignored)) total += entry->file_size(ignored);
    return total;
  }

 private:
  fs::path place(const std::string& key) const { return key.empty() ? fs::path(path_) : fs::path(path_) / key; }
  std::string path_;
};

class ZipKeys : public Keys {
 public:
  explicit ZipKeys(const std::string& path) : zip_(path) {}
  const std::string& path() const override { return zip_.path(); }
  std::uint64_t bytes() const override { return zip_.file_bytes(); }

  std::optional<std::uint64_t> size(const std::string& key) const override {
    const ZipMember* member = zip_.find(root_ + key);
    return member ? std::optional<std::uint64_t>(member->bytes) : std::nullopt;
  }

  std::optional<std::vector<std::byte>> read(const std::string& key, std::uint64_t most) const override {
    const ZipMember* member = zip_.find(root_ + key);
    if (!member) return std::nullopt;
    return zip_.read(*member, most);
  }

  std::vector<std::byte> read_range(const std::string& key, std::uint64_t offset, std::uint64_t count) const override {
    const ZipMember* member = zip_.find(root_ + key);
    if (!member)
      throw DataError(path() + " has no member " + root_ + key, {.file = path(), .field = key, .reason = "missing"});
    // Parts of a compressed member are asked for one after another: it is unpacked once, when it is not too long.
    if (member->method == 0 || member->bytes > kMostKept) return zip_.read_range(*member, offset, count);
    const std::lock_guard lock(mutex_);
    if (unpacked_name_ != key) {
      unpacked_ = zip_.read(*member, kMostKept);
      unpacked_name_ = key;
    }
    if (offset > unpacked_.size() || count > unpacked_.size() - offset) return zip_.read_range(*member, offset, count);
    const auto from = unpacked_.begin() + static_cast<std::ptrdiff_t>(offset);
    return {from, from + static_cast<std::ptrdiff_t>(count)};
  }

  std::vector<std::string> children(const std::string& folder) const override {
    const std::string prefix = root_ + (folder.empty() ? "" : folder + "/");
    std::vector<std::string> names;
    const auto& members = zip_.members();
    for (auto at = members.lower_bound(prefix); at != members.end() && at->first.starts_with(prefix);) {
      const std::size_t slash = at->first.find('/', prefix.size());
      names.push_back(at->first.substr(prefix.size(), slash - prefix.size()));
      // '0' follows '/': past everything below this folder.
      at = slash == std::string::npos ? std::next(at) : members.lower_bound(at->first.substr(0, slash) + '0');
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  std::uint64_t stored_below(const std::string& folder) const override {
    const std::string prefix = root_ + (folder.empty() ? "" : folder + "/");
    std::uint64_t total = 0;
    const auto& members = zip_.members();
    for (auto at = members.lower_bound(prefix); at != members.end() && at->first.starts_with(prefix); ++at)
      total += std::min(at->second.bytes, at->second.stored * 1032);
    return total;
  }

  // Looks for the metadata at the root, else in the one folder that has them. False when there are none.
  bool find_root() {
    if (has_root_metadata(*this)) return true;
    std::vector<std::string> found;
    for (const std::string& name : children("")) {
      root_ = name + "/";
      if (has_root_metadata(*this)) found.push_back(root_);
      root_.clear();
    }
    if (found.size() == 1) root_ = found.front();
    return found.size() == 1;
  }

 private:
  ZipFile zip_;
  std::string root_;
  mutable std::mutex mutex_;
  mutable std::string unpacked_name_;
  mutable std::vector<std::byte> unpacked_;
};

}  // namespace

std::string join_key(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

std::shared_ptr<const Keys> open_keys(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    auto keys = std::make_shared<FolderKeys>(path);
    return has_root_metadata(*keys) ? keys : nullptr;
  }
  if (!is_zip(path)) return nullptr;
  auto keys = std::make_shared<ZipKeys>(path);
  return keys->find_root() ? keys : nullptr;
}

}  // namespace scvet::io::zarr
