#include "hdf5/hdf5_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "file_kind.h"
#include "hdf5/filters.h"
#include "hdf5/hdf5_heap.h"
#include "scvet/base/text.h"

namespace scvet::io::hdf5 {
namespace {

herr_t collect_error(unsigned, const H5E_error2_t* entry, void* target) {
  auto& error = *static_cast<LibraryError*>(target);
  if (entry->maj_num == H5E_VFL || std::strstr(entry->desc ? entry->desc : "", "file read failed"))
    error.storage = true;
  // The innermost two say what went wrong; the rest only repeats the call chain.
  if (entry->desc && std::count(error.text.begin(), error.text.end(), ';') < 1) {
    if (!error.text.empty()) error.text += "; ";
    error.text += entry->desc;
  }
  return 0;
}
// A little-endian unsigned of up to 8 bytes.
std::uint64_t little_endian(const unsigned char* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned at = 0; at < count; ++at) value |= static_cast<std::uint64_t>(bytes[at]) << (8 * at);
  return value;
}

constexpr unsigned char kSignature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

// Where the superblock starts: 0, or a power of two from 512 on when a user block stands before it. -1: nowhere.
std::int64_t find_superblock(std::ifstream& file, std::uint64_t bytes) {
  unsigned char found[8];
  for (std::uint64_t at = 0; at + 8 <= bytes; at = at == 0 ? 512 : at * 2) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    if (file.read(reinterpret_cast<char*>(found), 8) && std::memcmp(found, kSignature, 8) == 0)
      return static_cast<std::int64_t>(at);
  }
  return -1;
}

// The size that the superblock gives, 0 when it cannot be read. Fields: HDF5 file format specification, II.A.
std::uint64_t size_in_superblock(std::ifstream& file, std::int64_t at) {
  unsigned char block[64] = {};
  file.clear();
  file.seekg(at);
  file.read(reinterpret_cast<char*>(block), sizeof block);
  const auto got = static_cast<unsigned>(file.gcount());
  const unsigned version = block[8];
  const unsigned width = version < 2 ? block[13] : block[9];
  const unsigned fields = version == 0 ? 24 : version == 1 ? 28 : 12;
  if (version > 3 || (width != 2 && width != 4 && width != 8) || fields + 3 * width > got) return 0;
  return little_endian(block + fields + 2 * width, width);  // counted from byte 0, a user block included
}

std::uint64_t file_size(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw DataError("cannot read " + path + ": expected an HDF5 file, found a folder",
                    {.file = path, .reason = "folder"});
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw DataError("cannot read " + path + ": " + error.message(), {.file = path, .reason = "missing"});
  return size;
}

// What is wrong with the outside of a file, before HDF5 sees it.
void check_outside(const std::string& path, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError("cannot read " + path + ": no permission?", {.file = path, .reason = "unreadable"});
  const std::int64_t at = find_superblock(file, bytes);
  if (at < 0)
    throw DataError(path + ": expected an HDF5 file, but " + describe_bytes(path),
                    {.file = path, .reason = "not_hdf5"});
  const std::uint64_t expected = size_in_superblock(file, at);
  if (expected > bytes)
    throw DataError(path + " is truncated: expected " + format_count(static_cast<std::int64_t>(expected)) +
                        " bytes (by its own header), found " + format_count(static_cast<std::int64_t>(bytes)) +
                        "; copy or download it again",
                    {.file = path, .reason = "truncated"});
}
}  // namespace

bool Handle::reset() {
  const hid_t id = std::exchange(id_, -1);
  if (id < 0) return true;
  return (H5Iget_type(id) == H5I_FILE ? H5Fclose(id) : H5Idec_ref(id)) >= 0;
}

void start_library() {
  thread_local bool silent = false;
  if (silent) return;
  silent = true;
  static std::once_flag once;
  std::call_once(once, [] {
    H5open();
    // A file names filters by number; code is loaded for one only from a folder that the user has set.
    if (!std::getenv("HDF5_PLUGIN_PATH")) H5PLset_loading_state(0);
    register_filters();
    register_heap_references();
  });
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

LibraryError take_error() {
  LibraryError error;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_error, &error);
  H5Eclear2(H5E_DEFAULT);
  return error;
}

bool has_signature(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const auto bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  return !error && file && find_superblock(file, bytes) >= 0;
}

Group open_file(const std::string& path) {
  start_library();
  auto info = std::make_shared<FileInfo>(FileInfo{path, file_size(path), nullptr});
  check_outside(path, info->bytes);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  // Clusters mount file systems that have no locks; reading needs none.
  H5Pset_file_locking(access.get(), false, true);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file) throw DataError(path + ": HDF5 cannot open it: " + take_error().text, {.file = path, .reason = "damaged"});
  info->heap = std::make_shared<GlobalHeap>(path, info->bytes, file.get());
  Handle root(H5Gopen2(file.get(), "/", H5P_DEFAULT));
  if (!root)
    throw DataError(path + ": the root group cannot be read: " + take_error().text,
                    {.file = path, .reason = "damaged"});
  // The group keeps the file open; HDF5 closes it with its last object.
  return Group(std::move(root), std::move(info), "/");
}

}  // namespace scvet::io::hdf5
