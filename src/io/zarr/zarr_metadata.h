// What the JSON beside a zarr node says, versions 2 and 3 alike. Consolidated copies are not looked at: they may be
// stale or broken, and each node carries its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "codecs/codecs.h"
#include "store/store.h"
#include "zarr/zarr_keys.h"

namespace scvet::io::zarr {

// One step from bytes to bytes.
struct ByteCodec {
  bool is_crc32c = false;
  Codec codec = Codec::kZstd;
};

enum class TextCoding { kNone, kVariable, kUtf32, kBytes };

// How one chunk is stored: numbers or texts in some order of axes, then codecs.
struct ChunkCoding {
  std::vector<std::size_t> axes;  // stored axis k is axis axes[k] of the array; empty: as they are
  bool big_endian = false;
  std::vector<ByteCodec> codecs;  // in the order of encoding
};

struct ArrayMetadata {
  store::ElementType type;
  TextCoding text = TextCoding::kNone;
  std::vector<std::int64_t> shape, chunk;  // chunk: what is decoded at a time; inside a shard, the inner one
  ChunkCoding coding;

  std::vector<std::int64_t> shard;  // empty: every chunk has a key of its own
  ChunkCoding index_coding;
  bool index_at_start = false;

  std::string key_prefix;  // "c" in version 3's own keys
  char separator = '.';

  std::array<std::byte, 8> fill = {};  // one value as it lies in memory (float16 as float)
  std::string fill_text;

  // Why values cannot be decoded here, "" when they can; shape and type are known all the same.
  std::string unsupported;

  // Bytes of a number in memory: float16 is widened.
  std::size_t width() const { return type.dtype == "float16" ? 4 : type.bytes; }
  std::int64_t chunk_elements() const;
};

struct Node {
  bool is_array = false;
  nlohmann::json attributes;
  ArrayMetadata array;
  std::string fault;  // why it cannot be opened, "" when it can
};

// The node at `path` ("" is the root) of a store of version 2 or 3; null when there is none.
std::shared_ptr<const Node> read_node(const Keys& keys, int version, const std::string& path);
// True when there is one, whatever its state.
bool has_node(const Keys& keys, int version, const std::string& path);

// Thrown inside the parsers; becomes Node::fault.
struct BadMetadata : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The parts that the two versions share.
void parse_array_v2(const nlohmann::json& zarray, ArrayMetadata& array);
void parse_array_v3(const nlohmann::json& zarr, ArrayMetadata& array);
std::vector<std::int64_t> parse_sizes(const nlohmann::json& list, const char* what);
// NumPy's code without its byte order: "f4", "U10".
void set_type(ArrayMetadata& array, char kind, std::size_t bytes);
void set_fill(ArrayMetadata& array, const nlohmann::json& value);
void check_shape(ArrayMetadata& array);

}  // namespace scvet::io::zarr
