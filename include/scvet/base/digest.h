// SHA-256 of bytes and files, as 64 lower-case hexadecimal digits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace scvet {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  std::string finish();  // call once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view text);

using Sha256Bytes = std::array<std::uint8_t, 32>;
Sha256Bytes sha256_bytes(std::span<const std::byte> bytes);

// Digest of a file's bytes; of a folder: the digest of "<relative path>\0<file digest>\n" over its files in path order.
// Throws DataError when it cannot be read.
std::string sha256_path(const std::string& path);

}  // namespace scvet
