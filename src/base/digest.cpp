#include "scvet/base/digest.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"

namespace scvet {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (!state_->context || EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1)
    throw InternalError("SHA-256 is not available in this OpenSSL");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) { EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()); }
void Sha256::update(std::string_view text) { EVP_DigestUpdate(state_->context, text.data(), text.size()); }

std::string Sha256::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_DigestFinal_ex(state_->context, digest, &length);
  static const char* const kHex = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.update(text);
  return digest.finish();
}

Sha256Bytes sha256_bytes(std::span<const std::byte> bytes) {
  Sha256Bytes digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

namespace {

std::string sha256_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) throw DataError("cannot read " + path + ": no such file, or no permission", {.file = path});
  Sha256 digest;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::size_t got;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) {
    digest.update(std::span<const std::byte>(buffer.data(), got));
    if (stop_requested()) break;
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  throw_if_stopped();
  if (failed) throw DataError("reading " + path + " failed half-way: the storage is the likely cause", {.file = path});
  return digest.finish();
}

}  // namespace

std::string sha256_path(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return sha256_file(path);
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), path).generic_string());
  std::sort(files.begin(), files.end());
  Sha256 digest;
  for (const std::string& file : files) {
    digest.update(file);
    digest.update(std::string_view("\0", 1));
    digest.update(sha256_file(path + "/" + file) + "\n");
  }
  return digest.finish();
}

}  // namespace scvet
