// Groups, arrays and attributes of a file of arrays, whatever its container: what the readers of AnnData's encodings
// are written against. HDF5 (hdf5_store.h) and zarr (zarr_store.h) implement it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scvet/base/error.h"

namespace scvet::io::store {

struct Member;
struct ElementType {
  enum class Kind { kInteger, kReal, kBoolean, kText, kCompound, kArray, kReference, kOther };
  Kind kind = Kind::kOther;
  std::size_t bytes = 0;
  bool is_signed = false;          // kInteger
  bool variable_length = false;    // kText
  std::string dtype;               // as NumPy names it: int32, float16, bool, object (text), void (compound)
  std::vector<Member> members;     // kCompound, in the file's order; HDF5 only
  std::vector<std::int64_t> dims;  // kArray of numbers: its inner shape, dtype that of its elements

  bool is_number() const { return kind == Kind::kInteger || kind == Kind::kReal || kind == Kind::kBoolean; }
  const Member* find(const std::string& member) const;
};
struct Member {
  std::string name;
  ElementType type;
};

enum class LinkKind { kMissing, kGroup, kDataset, kType, kExternal, kBroken };

class Dataset;
class Group;
using DatasetPtr = std::unique_ptr<const Dataset>;
using GroupPtr = std::unique_ptr<const Group>;

// What groups and data sets have in common.
class Object {
 public:
  virtual ~Object() = default;
  virtual const std::string& file() const = 0;
  virtual std::uint64_t file_bytes() const = 0;  // of the whole file (or folder), on opening
  virtual const std::string& name() const = 0;   // path in the file, "obs/cell_type"; "/" for the root

  // These give nothing when the attribute is absent, empty or of another type.
  virtual std::optional<std::string> text_attribute(const std::string& attribute) const = 0;
  virtual std::optional<std::vector<std::string>> texts_attribute(const std::string& attribute) const = 0;
  virtual std::optional<std::vector<std::int64_t>> integers_attribute(const std::string& attribute) const = 0;
  // The data set that a reference points to; null when it points nowhere.
  virtual DatasetPtr dataset_attribute(const std::string& attribute) const = 0;

  // "<file>: <object>: <what>" with the facts filled in.
  DataError error(const std::string& what, const std::string& reason = {}, std::int64_t row = -1) const;
};

// An array: its shape is known on opening, its values are read on demand.
class Dataset : public Object {
 public:
  const ElementType& type() const { return layout_.type; }
  bool is_null() const { return layout_.null; }                             // no elements and no shape
  const std::vector<std::int64_t>& shape() const { return layout_.shape; }  // empty for a scalar
  std::int64_t size() const { return layout_.size; }                        // elements
  std::int64_t rows() const { return shape().empty() ? size() : shape()[0]; }
  std::int64_t row_size() const { return layout_.row_size; }                // elements of one row
  const std::vector<std::int64_t>& chunk() const { return layout_.chunk; }  // empty when not chunked

  // Everything, in row-major order; a scalar gives one. `member` picks a field of a compound type.
  // Integers: booleans give 0 and 1, uint64 wraps, floats must be whole. Numbers as text are an error.
  virtual std::vector<double> read_reals(const std::string& member = {}) const = 0;
  virtual std::vector<std::int64_t> read_integers(const std::string& member = {}) const = 0;
  virtual std::vector<std::string> read_texts(const std::string& member = {}) const = 0;
  // A compound field that is an array of numbers: rows() * product of its dims values.
  virtual std::vector<double> read_array_field(const std::string& member) const = 0;

  // Rows [first, first + count) of the first dimension, other dimensions whole: count * row_size() values.
  virtual void read_rows(std::int64_t first, std::int64_t count, std::span<double> out) const = 0;
  virtual void read_rows(std::int64_t first, std::int64_t count, std::span<float> out) const = 0;
  virtual void read_rows(std::int64_t first, std::int64_t count, std::span<std::int64_t> out) const = 0;
  // Indices; numbers that are none, below 0 or above 2^32 - 2, give kNoIndex (convert.h).
  virtual void read_indices(std::int64_t first, std::int64_t count, std::span<std::uint32_t> out) const;

  // DataError when the data cannot be decoded here, or cannot be as many as claimed; `bytes_each` is what one value
  // will take in memory. The readers of whole arrays call it themselves.
  virtual void check_claim(std::size_t bytes_each) const = 0;

 protected:
  struct Layout {
    ElementType type;
    std::vector<std::int64_t> shape, chunk;
    std::int64_t size = 0, row_size = 1;
    bool null = false;
  };
  explicit Dataset(Layout layout) : layout_(std::move(layout)) {}

 private:
  Layout layout_;
};

class Group : public Object {
 public:
  virtual std::vector<std::string> members() const = 0;  // in name order
  // `member` may be a path such as "raw/X", here and below.
  virtual LinkKind kind(const std::string& member) const = 0;
  bool has(const std::string& member) const;  // a group or data set
  // DataError when missing or of another kind.
  virtual GroupPtr group(const std::string& member) const = 0;
  virtual DatasetPtr dataset(const std::string& member) const = 0;
  // The same, prepared for reading ranges of rows in ascending order: no chunk is decoded twice.
  virtual DatasetPtr streamed_dataset(const std::string& member) const = 0;
};

// "nothing of that name", "a group", ...: what was found where another kind was expected.
std::string describe(LinkKind kind);

}  // namespace scvet::io::store
