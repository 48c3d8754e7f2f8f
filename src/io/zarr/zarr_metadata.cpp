#include "zarr/zarr_metadata.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "zarr/zarr_chunk.h"

namespace scvet::io::zarr {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLongest = 64u << 20;
constexpr int kDeepest = 32;
constexpr std::size_t kMostDimensions = 32;
constexpr std::int64_t kMostChunkBytes = std::int64_t{1} << 31;

json parse(const std::vector<std::byte>& bytes) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const auto wanted = [](int depth, json::parse_event_t event, json& parsed) {
    return depth < kDeepest && !(event == json::parse_event_t::key && parsed == "consolidated_metadata");
  };
  json object = json::parse(text, text + bytes.size(), wanted, false);
  if (!object.is_object()) throw BadMetadata("its metadata are no JSON object");
  return object;
}

json read_json(const Keys& keys, const std::string& path, const char* name) {
  const auto bytes = keys.read(join_key(path, name), kLongest);
  return bytes ? parse(*bytes) : json(json::value_t::discarded);
}

void read_v2(const Keys& keys, const std::string& path, Node& node) {
  const json attributes = read_json(keys, path, ".zattrs");
  node.attributes = attributes.is_discarded() ? json::object() : attributes;
  const json zarray = read_json(keys, path, ".zarray");
  node.is_array = !zarray.is_discarded();
  if (node.is_array) parse_array_v2(zarray, node.array);
}

void read_v3(const Keys& keys, const std::string& path, Node& node) {
  const json zarr = read_json(keys, path, "zarr.json");
  const json type = zarr.value("node_type", json());
  if (type != "array" && type != "group")
    throw BadMetadata("its node_type is " + type.dump(-1, ' ', false, json::error_handler_t::replace) +
                      " (known: array, group)");
  node.attributes = zarr.value("attributes", json::object());
  if (!node.attributes.is_object()) throw BadMetadata("its attributes are no JSON object");
  node.is_array = type == "array";
  if (node.is_array) parse_array_v3(zarr, node.array);
}

template <typename T>
void put(ArrayMetadata& array, T value) {
  std::memcpy(array.fill.data(), &value, sizeof value);
}

// Version 3 writes odd patterns of bits as "0x7fc00001", highest digit first.
double bits_fill(const std::string& digits, std::size_t bytes) {
  std::uint64_t bits = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (code != std::errc() || end != digits.data() + digits.size() || digits.size() != 2 * bytes)
    throw BadMetadata("its fill value is no number");
  if (bytes == 8) return std::bit_cast<double>(bits);
  return bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                    : half_to_float(static_cast<std::uint16_t>(bits));
}

double real_fill(const json& value, std::size_t bytes) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (value.is_string() && value.get_ref<const std::string&>().starts_with("0x"))
    return bits_fill(value.get_ref<const std::string&>().substr(2), bytes);
  throw BadMetadata("its fill value is no number");
}

std::int64_t integer_fill(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return static_cast<std::int64_t>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float() && std::abs(value.get<double>()) < 9.0e18)
    return static_cast<std::int64_t>(value.get<double>());
  throw BadMetadata("its fill value is no whole number");
}

}  // namespace

std::int64_t ArrayMetadata::chunk_elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t size : chunk) elements *= size;
  return elements;
}

std::vector<std::int64_t> parse_sizes(const json& list, const char* what) {
  if (!list.is_array() || list.size() > kMostDimensions)
    throw BadMetadata(std::string("its ") + what + " is no list of sizes");
  std::vector<std::int64_t> sizes;
  for (const json& size : list) {
    if (!size.is_number_integer() || (size.is_number_unsigned() && size.get<std::uint64_t>() > INT64_MAX) ||
        size.get<std::int64_t>() < 0)
      throw BadMetadata(std::string("its ") + what + " is no list of sizes");
    sizes.push_back(size.get<std::int64_t>());
  }
  return sizes;
}

void set_type(ArrayMetadata& array, char kind, std::size_t bytes) {
  using Kind = store::ElementType::Kind;
  store::ElementType& type = array.type;
  type = {};
  type.bytes = bytes;
  type.dtype = "void";
  const bool integer_width = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  const bool real_width = bytes == 2 || bytes == 4 || bytes == 8;
  if (kind == 'b' && bytes == 1) {
    type.kind = Kind::kBoolean;
    type.dtype = "bool";
  } else if ((kind == 'i' || kind == 'u') && integer_width) {
    type.kind = Kind::kInteger;
    type.is_signed = kind == 'i';
    type.dtype = (type.is_signed ? "int" : "uint") + std::to_string(8 * bytes);
  } else if (kind == 'f' && real_width) {
    type.kind = Kind::kReal;
    type.dtype = "float" + std::to_string(8 * bytes);
  } else if (kind == 'U' || kind == 'S' || kind == 'O') {
    type.kind = Kind::kText;
    type.variable_length = kind == 'O';
    type.dtype = "object";
    array.text = kind == 'U' ? TextCoding::kUtf32 : kind == 'S' ? TextCoding::kBytes : TextCoding::kVariable;
  } else {
    array.unsupported = "its type of data is not read here";
  }
}

void set_fill(ArrayMetadata& array, const json& value) {
  using Kind = store::ElementType::Kind;
  if (value.is_null()) return;
  switch (array.type.kind) {
    case Kind::kText:
      // Version 2 fills lists of texts with 0.
      if (!value.is_string()) return;
      array.fill_text = value.get<std::string>();
      if (array.text != TextCoding::kBytes) return;
      // Base64; zero bytes are written as A.
      if (array.fill_text.find_first_not_of("A=") != std::string::npos)
        array.unsupported = "its fill value is not read here";
      array.fill_text.clear();
      return;
    case Kind::kReal:
      return array.width() == 8 ? put(array, real_fill(value, array.type.bytes))
                                : put(array, static_cast<float>(real_fill(value, array.type.bytes)));
    case Kind::kBoolean:
    case Kind::kInteger:
      return put(array, integer_fill(value));  // little-endian: the low bytes are the value of any width
    default:
      return;
  }
}

void check_shape(ArrayMetadata& array) {
  if (array.shape.size() != array.chunk.size()) throw BadMetadata("its shape and its chunks differ in dimensions");
  std::int64_t elements = 1, row = 1, bytes = static_cast<std::int64_t>(std::max<std::size_t>(array.width(), 1));
  for (std::size_t dim = 0; dim < array.shape.size(); ++dim) {
    std::int64_t& size = array.chunk[dim];
    if (size == 0 && array.shape[dim] == 0) size = 1;
    if (size == 0) throw BadMetadata("one of its chunks' sizes is 0");
    if (__builtin_mul_overflow(elements, array.shape[dim], &elements) ||
        (dim > 0 && __builtin_mul_overflow(row, array.shape[dim], &row)))
      throw BadMetadata("its shape is too large to be true");
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > kMostChunkBytes)
      throw BadMetadata("its chunks are larger than 2 GiB");
  }
}

std::shared_ptr<const Node> read_node(const Keys& keys, int version, const std::string& path) {
  if (!has_node(keys, version, path)) return nullptr;
  auto node = std::make_shared<Node>();
  try {
    if (version == 2)
      read_v2(keys, path, *node);
    else
      read_v3(keys, path, *node);
  } catch (const BadMetadata& error) {
    node->fault = error.what();
  } catch (const json::exception&) {
    node->fault = "its metadata are incomplete, or of another kind than zarr's";
  } catch (const DataError& error) {
    node->fault = std::string("its metadata cannot be read (") + error.what() + ")";
  }
  return node;
}

bool has_node(const Keys& keys, int version, const std::string& path) {
  if (version == 3) return keys.has(join_key(path, "zarr.json"));
  return keys.has(join_key(path, ".zarray")) || keys.has(join_key(path, ".zgroup"));
}

}  // namespace scvet::io::zarr
