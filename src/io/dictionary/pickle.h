// A pickle machine that runs nothing: the opcodes of protocols 2 to 5 that plain data need, read into a tree of values.
// Names are never looked up: a policy says which ones may stand in the file and what a call of one means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace scvet::io {

using PickleRef = std::uint32_t;  // a value of the tree

struct PickleValue {
  // kObject: what a policy made of a call, and left as it is.
  enum class Kind : std::uint8_t { kNone, kBoolean, kInteger, kReal, kText, kBytes, kTuple, kDict, kGlobal, kObject };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;  // also of booleans; of objects as the policy likes
  double real = 0;
  std::string text = {};              // of texts and bytes; "module name" of globals and objects
  std::vector<PickleRef> items = {};  // of tuples; key, value, key, value, ... of dicts
};

// Values refer to one another by position, so that shared and circular ones need no care.
struct PickleTree {
  std::vector<PickleValue> values;
  PickleRef root = 0;
  int protocol = 0;
  const PickleValue& operator[](PickleRef at) const { return values[at]; }
};

// Thrown by a policy; the machine adds file and byte offset.
struct PickleRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class PicklePolicy {
 public:
  virtual ~PicklePolicy() = default;
  // Whether the file may name this global; nothing is imported.
  virtual bool allows(std::string_view module, std::string_view name) const = 0;
  // The value of callable(*arguments): a global that was allowed, and a tuple. PickleRefusal when it cannot be.
  virtual PickleValue call(const PickleTree& tree, PickleRef callable, PickleRef arguments) const = 0;
  // object.__setstate__(state) of an object that call() made.
  virtual void build(PickleTree& tree, PickleRef object, PickleRef state) const = 0;
};

// DataError naming the opcode or global, file and byte offset. Memory is bounded by the file's length and a fixed limit,
// whatever lengths it claims; nothing recurses.
PickleTree read_pickle(std::span<const std::byte> bytes, const std::string& file, const PicklePolicy& policy);

// The largest file worth reading here; real dictionaries are near 1 MB.
constexpr std::uint64_t kMostPickleBytes = std::uint64_t{64} << 20;

}  // namespace scvet::io
