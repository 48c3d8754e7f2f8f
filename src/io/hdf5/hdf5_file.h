// HDF5 files, groups, data sets and attributes, read without locks and without following links out of the file.
// Every failure is a DataError that names the file, the object and HDF5's own reason. Sizes that a file claims are
// checked before memory is taken for them.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scvet/base/error.h"
#include "store/store.h"

namespace scvet::io::hdf5 {

// Owner of any HDF5 id: file, group, data set, attribute, type, space, property list.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  // Closes now; false when HDF5 reports a failure (a file's last bytes did not reach the disk).
  bool reset();

 private:
  hid_t id_ = -1;
};

// Silences HDF5's own printing for this thread and registers our filters; call before any use of the C API.
void start_library();

// Why the last HDF5 call of this thread failed, in HDF5's words, innermost first; clears it.
struct LibraryError {
  std::string text;
  bool storage = false;  // the file system failed, not the file's content
};
LibraryError take_error();

// How often a read is tried; waits before the next try when the storage failed. False: it was the last.
constexpr int kReadTries = 3;
bool wait_to_retry(int attempt, bool storage);

using store::ElementType;
using store::LinkKind;
using store::Member;
ElementType element_type(hid_t type);

class GlobalHeap;
class RawReader;
struct FileInfo {
  std::string path;
  std::uint64_t bytes = 0;  // on opening
  // Texts of variable length. None for a file that is being written: HDF5 itself reads those of its attributes.
  std::shared_ptr<GlobalHeap> heap = {};
};

class Dataset;

// A part of a data set of one or two dimensions.
struct Window {
  std::int64_t first = 0, count = 0;  // rows
  std::int64_t left = 0, width = 0;   // numbers of each of them
  std::int64_t end() const { return first + count; }
};

// What groups and data sets have in common.
class Object {
 public:
  Object(Handle handle, std::shared_ptr<const FileInfo> file, std::string name)
      : handle_(std::move(handle)), file_(std::move(file)), name_(std::move(name)) {}
  hid_t id() const { return handle_.get(); }
  const std::string& file() const { return file_->path; }
  std::uint64_t file_bytes() const { return file_->bytes; }
  const std::string& name() const { return name_; }  // path in the file, "obs/cell_type"; "/" for the root

  std::vector<std::string> attribute_names() const;
  bool has_attribute(const std::string& attribute) const;
  // These give nothing when the attribute is absent, empty (null space) or of another type.
  std::optional<std::string> text_attribute(const std::string& attribute) const;
  std::optional<std::vector<std::string>> texts_attribute(const std::string& attribute) const;
  std::optional<std::vector<std::int64_t>> integers_attribute(const std::string& attribute) const;
  // The data set that an object reference points to; nothing when it points nowhere.
  std::optional<Dataset> dataset_attribute(const std::string& attribute) const;

  // "<file>: <object>: <what>" with the facts filled in.
  DataError error(const std::string& what, const std::string& reason = {}, std::int64_t row = -1) const;

 protected:
  Handle handle_;
  std::shared_ptr<const FileInfo> file_;
  std::string name_;
};

class Dataset : public Object {
 public:
  Dataset(Handle handle, std::shared_ptr<const FileInfo> file, std::string name);
  ~Dataset();
  Dataset(Dataset&& other) noexcept;
  Dataset& operator=(Dataset&& other) noexcept;
  const ElementType& type() const { return type_; }
  bool is_null() const { return null_; }                             // a null space: no elements, no shape
  const std::vector<std::int64_t>& shape() const { return shape_; }  // empty for a scalar
  std::int64_t size() const { return size_; }                        // elements
  std::int64_t rows() const { return shape_.empty() ? size_ : shape_[0]; }
  std::int64_t row_size() const { return row_size_; }                // elements of one row
  const std::vector<std::int64_t>& chunk() const { return chunk_; }  // empty when not chunked

  // Everything, in row-major order; a scalar gives one. `member` picks a field of a compound type.
  // Integers: booleans give 0 and 1, uint64 wraps, floats must be whole. Numbers as text are an error.
  std::vector<double> read_reals(const std::string& member = {}) const;
  std::vector<std::int64_t> read_integers(const std::string& member = {}) const;
  std::vector<std::string> read_texts(const std::string& member = {}) const;
  // A compound field that is an array of numbers: rows() * product of its dims values.
  std::vector<double> read_array_field(const std::string& member) const;

  // Rows [first, first + count) of the first dimension, other dimensions whole: count * row_size() values.
  void read_rows(std::int64_t first, std::int64_t count, std::span<double> out) const;
  void read_rows(std::int64_t first, std::int64_t count, std::span<float> out) const;
  void read_rows(std::int64_t first, std::int64_t count, std::span<std::int64_t> out) const;
  // Numbers that are no index, below 0 or above 2^32 - 2, give kNoIndex (convert.h).
  void read_indices(std::int64_t first, std::int64_t count, std::span<std::uint32_t> out) const;

  // A part of a matrix of two dimensions, row after row.
  void read_window(const Window& window, std::span<double> out) const;

  // DataError when the data lie outside the file, need a filter that is missing, or cannot be as many as claimed;
  // `bytes_each` is what one value will take in memory. The readers of whole arrays call it themselves.
  void check_claim(std::size_t bytes_each) const;

  // Rows that could not be read after all tries, and a number that should be whole; `row` counts from 0.
  DataError unreadable(std::int64_t first, std::int64_t count, const LibraryError& failure) const;
  DataError not_whole(double value, std::int64_t row) const;
  void check_not_shrunk() const;  // DataError when the file has fewer bytes than on opening

 private:
  Window rows_window(std::int64_t first, std::int64_t count) const { return {first, count, 0, row_size_}; }
  void read_memory(const Window& window, hid_t memory_type, void* out) const;
  template <typename T>
  void read_numbers(const Window& window, const std::string& member, T* out) const;
  template <typename T>
  bool read_raw(const Window& window, T* out) const;
  std::vector<std::string> read_fixed_texts(hid_t memory_type, std::size_t width) const;
  std::vector<std::string> read_variable_texts(const std::string& member) const;
  void check_decodable() const;
  void check_rows(std::int64_t first, std::int64_t count, std::size_t room) const;
  const ElementType& field(const std::string& member) const;

  ElementType type_;
  std::vector<std::int64_t> shape_, chunk_;
  std::int64_t size_ = 0, row_size_ = 1;
  bool null_ = false;
  // The way around HDF5's pipeline, made on the first read of numbers; null where there is none.
  mutable std::unique_ptr<RawReader> raw_;
  mutable bool raw_planned_ = false;
};

class Group : public Object {
 public:
  using Object::Object;
  std::vector<std::string> members() const;  // in name order
  LinkKind kind(const std::string& member) const;
  bool has(const std::string& member) const;  // a group or data set
  // DataError when missing or of another kind. `member` may be a path such as "raw/X".
  Group group(const std::string& member) const;
  Dataset dataset(const std::string& member) const;
  // The same, with HDF5's cache of decoded chunks large enough for reading ranges of rows in ascending order.
  Dataset streamed_dataset(const std::string& member) const;
};

// Opens read-only, without a lock. DataError when missing, not HDF5, or shorter than its own header says.
Group open_file(const std::string& path);

// True when the file has HDF5's signature (at byte 0 or after a user block); never throws.
bool has_signature(const std::string& path);

}  // namespace scvet::io::hdf5
