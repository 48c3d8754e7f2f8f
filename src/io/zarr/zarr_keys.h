// Where a zarr store's bytes lie: a folder, or a zip archive read in place. Keys are paths with '/' below the store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace scvet::io::zarr {

class Keys {
 public:
  virtual ~Keys() = default;
  virtual const std::string& path() const = 0;
  // Of the whole store; a folder's is counted at each call.
  virtual std::uint64_t bytes() const = 0;
  bool has(const std::string& key) const { return size(key).has_value(); }
  virtual std::optional<std::uint64_t> size(const std::string& key) const = 0;
  // Nothing when there is no such key; DataError when it is longer than `most`, or damaged.
  virtual std::optional<std::vector<std::byte>> read(const std::string& key, std::uint64_t most) const = 0;
  // A part of a key that exists; DataError when it does not reach that far.
  virtual std::vector<std::byte> read_range(const std::string& key, std::uint64_t offset,
                                            std::uint64_t count) const = 0;
  // Names one level below `folder` ("" is the root), files and folders, sorted.
  virtual std::vector<std::string> children(const std::string& folder) const = 0;
  // Bytes of everything below `folder`.
  virtual std::uint64_t stored_below(const std::string& folder) const = 0;
};

// Null when `path` is neither a folder nor a zip archive, or holds no zarr metadata at its root (of a zip: nor in a
// single folder at its root). DataError when a zip is damaged.
std::shared_ptr<const Keys> open_keys(const std::string& path);

std::string join_key(const std::string& folder, const std::string& name);

}  // namespace scvet::io::zarr
