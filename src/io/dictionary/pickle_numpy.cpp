#include "dictionary/pickle_numpy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace scvet::io {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kScalars[] = {"numpy.core.multiarray scalar", "numpy._core.multiarray scalar"};
constexpr std::string_view kDtype = "numpy dtype", kEncode = "_codecs encode";
constexpr std::size_t kMostEncoded = 16;  // bytes of one scalar are at most 8

const PickleValue& argument(const PickleTree& tree, PickleRef arguments, std::size_t at, Kind kind, const char* what) {
  const std::vector<PickleRef>& items = tree[arguments].items;
  if (at >= items.size() || tree[items[at]].kind != kind) throw PickleRefusal(what);
  return tree[items[at]];
}

// dtype('i2', False, True): the code alone matters; the byte order comes with the state.
PickleValue make_dtype(const PickleTree& tree, PickleRef arguments) {
  const std::string& code = argument(tree, arguments, 0, Kind::kText, "a dtype without a code").text;
  static constexpr std::string_view kKnown[] = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"};
  if (std::find(std::begin(kKnown), std::end(kKnown), code) == std::end(kKnown))
    throw PickleRefusal(fmt::format("dtype '{}': only i1 to i8, u1 to u8, f4 and f8 can be read",
                                    code.size() < 20 ? code : code.substr(0, 20) + "..."));
  return {.kind = Kind::kObject, .text = std::string(kDtype) + " " + code, .items = {}};
}

// Bytes of protocol 2: text whose code points are the bytes. Short, as text may be used again and again.
PickleValue encode(const PickleTree& tree, PickleRef arguments) {
  const std::string& text = argument(tree, arguments, 0, Kind::kText, "encode of something that is no text").text;
  if (argument(tree, arguments, 1, Kind::kText, "encode without a codec").text != "latin1")
    throw PickleRefusal("encode to something other than latin1");
  PickleValue bytes{.kind = Kind::kBytes};
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      if ((byte != 0xc2 && byte != 0xc3) || at + 1 == text.size()) throw PickleRefusal("encoded bytes beyond latin1");
      byte = static_cast<unsigned char>((byte & 3) << 6 | (text[++at] & 0x3f));
    }
    bytes.text.push_back(static_cast<char>(byte));
    if (bytes.text.size() > kMostEncoded) throw PickleRefusal("encoded bytes longer than a number");
  }
  return bytes;
}

PickleValue scalar(const PickleTree& tree, PickleRef arguments) {
  const PickleValue& dtype = argument(tree, arguments, 0, Kind::kObject, "a scalar without a dtype");
  const std::string& stored = argument(tree, arguments, 1, Kind::kBytes, "a scalar without bytes").text;
  const char family = dtype.text[dtype.text.size() - 2];
  const auto width = static_cast<std::size_t>(dtype.text.back() - '0');
  if (stored.size() != width)
    throw PickleRefusal(fmt::format("a scalar of dtype {}{} with {} bytes", family, width, stored.size()));
  std::string bytes = stored;
  if (dtype.integer == 0) std::reverse(bytes.begin(), bytes.end());  // most significant first
  std::uint64_t bits = 0;
  for (const char byte : bytes) bits = bits << 8 | static_cast<unsigned char>(byte);
  if (family == 'f')
    return {.kind = Kind::kReal,
            .real = width == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits)};
  if (family == 'u' && bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw PickleRefusal(fmt::format("the number {} is larger than any token", bits));
  const int shift = family == 'i' ? static_cast<int>(64 - 8 * width) : 0;
  return {.kind = Kind::kInteger, .integer = static_cast<std::int64_t>(bits << shift) >> shift};
}

class NumpyScalars : public PicklePolicy {
 public:
  bool allows(std::string_view module, std::string_view name) const override {
    const std::string full = std::string(module) + " " + std::string(name);
    return full == kDtype || full == kEncode || is_scalar(full);
  }
  PickleValue call(const PickleTree& tree, PickleRef callable, PickleRef arguments) const override {
    const std::string& name = tree[callable].text;
    if (is_scalar(name)) return scalar(tree, arguments);
    return name == kDtype ? make_dtype(tree, arguments) : encode(tree, arguments);
  }
  // (version, byte order, None, None, None, -1, -1, 0)
  void build(PickleTree& tree, PickleRef object, PickleRef state) const override {
    if (tree[state].kind != Kind::kTuple) throw PickleRefusal("the state of a dtype is no tuple");
    const std::string& order = argument(tree, state, 1, Kind::kText, "the state of a dtype has no byte order").text;
    if (order != "<" && order != ">" && order != "|" && order != "=")
      throw PickleRefusal("byte order of a dtype: expected one of < > | =");
    tree.values[object].integer = order == ">";
  }

 private:
  static bool is_scalar(std::string_view name) {
    return std::find(std::begin(kScalars), std::end(kScalars), name) != std::end(kScalars);
  }
};

}  // namespace

const PicklePolicy& numpy_scalars() {
  static const NumpyScalars policy;
  return policy;
}

}  // namespace scvet::io
