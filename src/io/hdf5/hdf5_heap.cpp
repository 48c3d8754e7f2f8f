// Layout of global heaps: HDF5 file format specification, III.E.
#include "hdf5/hdf5_heap.h"

#include <algorithm>
#include <cstring>

namespace scvet::io::hdf5 {
namespace {

constexpr const char* kTag = "scvet heap reference";
constexpr std::size_t kCacheBytes = 16 << 20;

std::uint64_t little_endian(const unsigned char* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned at = 0; at < count; ++at) value |= static_cast<std::uint64_t>(bytes[at]) << (8 * at);
  return value;
}

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

// Leaves the bytes as they are: what arrives is what stands in the file.
herr_t keep_reference(hid_t source, hid_t target, H5T_cdata_t* data, std::size_t, std::size_t, std::size_t, void*,
                      void*, hid_t) {
  if (data->command != H5T_CONV_INIT) return 0;
  data->need_bkg = H5T_BKG_NO;
  if (H5Tis_variable_str(source) <= 0 || H5Tget_class(target) != H5T_OPAQUE) return -1;
  char* tag = H5Tget_tag(target);
  const bool ours = tag && std::strcmp(tag, kTag) == 0;
  H5free_memory(tag);
  return ours ? 0 : -1;
}

}  // namespace

void register_heap_references() {
  const hid_t text = H5Tcopy(H5T_C_S1), opaque = H5Tcreate(H5T_OPAQUE, 16);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_tag(opaque, kTag);
  H5Tregister(H5T_PERS_SOFT, "heap reference", text, opaque, keep_reference);
  H5Tclose(opaque);
  H5Tclose(text);
}

GlobalHeap::GlobalHeap(const std::string& path, std::uint64_t file_bytes, hid_t file)
    : file_(path, std::ios::binary), file_bytes_(file_bytes) {
  const hid_t creation = H5Fget_create_plist(file);
  std::size_t address_bytes = 8, length_bytes = 8;
  hsize_t user_block = 0;
  H5Pget_sizes(creation, &address_bytes, &length_bytes);
  H5Pget_userblock(creation, &user_block);
  H5Pclose(creation);
  address_bytes_ = static_cast<unsigned>(std::min<std::size_t>(address_bytes, 8));
  length_bytes_ = static_cast<unsigned>(std::min<std::size_t>(length_bytes, 8));
  base_ = user_block;
}

hid_t GlobalHeap::reference_type() const {
  const hid_t type = H5Tcreate(H5T_OPAQUE, reference_bytes());
  H5Tset_tag(type, kTag);
  return type;
}

bool GlobalHeap::load(std::uint64_t address, Collection& collection, std::string& why) {
  const std::size_t header = padded(8 + length_bytes_);
  unsigned char head[24];
  if (address > file_bytes_ || base_ > file_bytes_ - address || file_bytes_ - address - base_ < header) {
    why = "it points beyond the end of the file";
    return false;
  }
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(base_ + address));
  if (!file_.read(reinterpret_cast<char*>(head), static_cast<std::streamsize>(header))) {
    why = "the heap cannot be read; the storage is the likely cause";
    return false;
  }
  const std::uint64_t bytes = little_endian(head + 8, length_bytes_);
  if (std::memcmp(head, "GCOL", 4) != 0 || head[4] != 1 || bytes < header || bytes > file_bytes_ - base_ - address) {
    why = "there is no sound heap where it points";
    return false;
  }
  collection.bytes.resize(bytes);
  std::memcpy(collection.bytes.data(), head, header);
  if (!file_.read(collection.bytes.data() + header, static_cast<std::streamsize>(bytes - header))) {
    why = "the heap cannot be read; the storage is the likely cause";
    return false;
  }
  const auto* data = reinterpret_cast<const unsigned char*>(collection.bytes.data());
  const std::size_t item_header = padded(8 + length_bytes_);
  for (std::uint64_t at = header; at + item_header <= bytes;) {
    const auto index = static_cast<unsigned>(little_endian(data + at, 2));
    const std::uint64_t size = little_endian(data + at + 8, length_bytes_);
    if (index == 0) break;  // the free rest
    if (size > bytes - at - item_header) {
      why = "an item of the heap is longer than the heap";
      return false;
    }
    collection.items[index] = {at + item_header, size};
    at += item_header + std::min(padded(size), bytes - at - item_header);
  }
  return true;
}

const GlobalHeap::Collection* GlobalHeap::find(std::uint64_t address, std::string& why) {
  for (auto entry = recent_.begin(); entry != recent_.end(); ++entry)
    if (entry->first == address) {
      recent_.splice(recent_.begin(), recent_, entry);
      return &recent_.front().second;
    }
  Collection collection;
  if (!load(address, collection, why)) return nullptr;
  recent_bytes_ += collection.bytes.size();
  recent_.emplace_front(address, std::move(collection));
  while (recent_.size() > 1 && (recent_bytes_ > kCacheBytes || recent_.size() > 64)) {
    recent_bytes_ -= recent_.back().second.bytes.size();
    recent_.pop_back();
  }
  return &recent_.front().second;
}

bool GlobalHeap::read(const unsigned char* reference, std::string& text, std::string& why) {
  const std::lock_guard lock(mutex_);
  text.clear();
  const std::uint64_t length = little_endian(reference, 4);
  const std::uint64_t address = little_endian(reference + 4, address_bytes_);
  const auto index = static_cast<unsigned>(little_endian(reference + 4 + address_bytes_, 4));
  if (address == 0 || length == 0) return true;  // a text that was never written, or is empty
  const Collection* collection = find(address, why);
  if (!collection) return false;
  const auto item = collection->items.find(index);
  if (item == collection->items.end() || item->second.bytes < length) {
    why = item == collection->items.end() ? "the heap has no item of its number" : "the heap's item is shorter";
    return false;
  }
  text.assign(collection->bytes, item->second.offset, length);
  text.resize(std::strlen(text.c_str()));
  return true;
}

}  // namespace scvet::io::hdf5
