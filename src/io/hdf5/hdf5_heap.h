// Texts of variable length, read from the file's global heaps by ourselves: HDF5 1.10 follows a broken heap out of its
// memory, so a damaged file would end the program instead of giving an error. Everything here is checked.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <fstream>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace scvet::io::hdf5 {

// Registers the conversion under which HDF5 hands out references to the heap as they stand in the file.
void register_heap_references();

class GlobalHeap {
 public:
  GlobalHeap(const std::string& path, std::uint64_t file_bytes, hid_t file);
  // Bytes of one reference: length 4, address, index 4.
  std::size_t reference_bytes() const { return 8 + address_bytes_; }
  // Memory type for reading references; the caller closes it.
  hid_t reference_type() const;
  // The text that a reference points to; false when it leads nowhere (why then says how).
  bool read(const unsigned char* reference, std::string& text, std::string& why);

 private:
  struct Item {
    std::size_t offset = 0, bytes = 0;
  };
  struct Collection {
    std::string bytes;
    std::unordered_map<unsigned, Item> items;
  };
  const Collection* find(std::uint64_t address, std::string& why);
  bool load(std::uint64_t address, Collection& collection, std::string& why);

  std::mutex mutex_;
  std::ifstream file_;
  std::uint64_t file_bytes_ = 0, base_ = 0;
  unsigned address_bytes_ = 8, length_bytes_ = 8;
  // The collections used last, newest first.
  std::list<std::pair<std::uint64_t, Collection>> recent_;
  std::size_t recent_bytes_ = 0;
};

}  // namespace scvet::io::hdf5
