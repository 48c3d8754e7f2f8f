// zarr.json of arrays: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html, with the registered codecs and
// types, and the names that zarr-python gives those of numcodecs.
#include <algorithm>
#include <numeric>

#include "scvet/base/text.h"
#include "zarr/zarr_metadata.h"

namespace scvet::io::zarr {
namespace {

using nlohmann::json;

struct KnownCodec {
  const char* name;
  Codec codec;
};
constexpr KnownCodec kCodecs[] = {{"zstd", Codec::kZstd},           {"blosc", Codec::kBlosc},
                                  {"gzip", Codec::kGzip},           {"numcodecs.zlib", Codec::kZlib},
                                  {"numcodecs.zstd", Codec::kZstd}, {"numcodecs.blosc", Codec::kBlosc},
                                  {"numcodecs.gzip", Codec::kGzip}, {"numcodecs.lz4", Codec::kLz4Sized}};
constexpr const char* kKnown = "bytes, transpose, vlen-utf8, vlen-bytes, sharding_indexed, gzip, zstd, blosc, crc32c";

// A codec or type is a name, or an object with a name and its configuration.
std::string name_of(const json& item) {
  if (item.is_string()) return item.get<std::string>();
  return item.at("name").get<std::string>();
}
json configuration_of(const json& item) {
  if (!item.is_object()) return json::object();
  json configuration = item.value("configuration", json::object());
  return configuration.is_object() ? configuration : json::object();
}

void set_data_type(const json& data_type, ArrayMetadata& array) {
  const std::string name = name_of(data_type);
  const json configuration = configuration_of(data_type);
  if (name == "bool") return set_type(array, 'b', 1);
  for (const auto& [word, kind] : {std::pair{"uint", 'u'}, {"int", 'i'}, {"float", 'f'}}) {
    if (!name.starts_with(word)) continue;
    const auto bits = parse_integer(std::string_view(name).substr(std::string_view(word).size()));
    if (bits && *bits > 0 && *bits <= 64 && *bits % 8 == 0)
      return set_type(array, kind, static_cast<std::size_t>(*bits / 8));
  }
  if (name == "string" || name == "variable_length_bytes" || name == "bytes") return set_type(array, 'O', 8);
  if (name == "fixed_length_utf32" || name == "null_terminated_bytes") {
    const std::int64_t bytes = configuration.at("length_bytes").get<std::int64_t>();
    if (bytes < 0 || bytes > (1 << 26) || (name == "fixed_length_utf32" && bytes % 4 != 0))
      throw BadMetadata("its texts have an impossible length");
    return set_type(array, name == "fixed_length_utf32" ? 'U' : 'S', static_cast<std::size_t>(bytes));
  }
  set_type(array, 'V', 1);
  array.unsupported = "its data type '" + name + "' is not read here";
}

void transpose(const json& order, std::size_t n_dims, ChunkCoding& coding) {
  std::vector<std::size_t> axes(n_dims);
  std::iota(axes.begin(), axes.end(), 0);
  if (order == "F") std::reverse(axes.begin(), axes.end());
  if (order.is_array()) {
    axes = order.get<std::vector<std::size_t>>();
    std::vector<std::size_t> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t dim = 0; dim < sorted.size(); ++dim)
      if (sorted.size() != n_dims || sorted[dim] != dim)
        throw BadMetadata("its transpose is no order of its dimensions");
  }
  if (!coding.axes.empty())
    for (std::size_t& axis : axes) axis = coding.axes.at(axis);
  coding.axes = std::move(axes);
}

void parse_shards(const json& configuration, ArrayMetadata& array);

// Codecs from left to right, as they encode. `inner`: those of a chunk inside a shard, or of a shard's index.
void parse_codecs(const json& codecs, bool inner, std::size_t n_dims, ChunkCoding& coding, ArrayMetadata& array) {
  bool to_bytes = false;
  for (const json& codec : codecs) {
    const std::string name = name_of(codec);
    const json configuration = configuration_of(codec);
    const auto known =
        std::find_if(std::begin(kCodecs), std::end(kCodecs), [&](const KnownCodec& item) { return name == item.name; });
    if (name == "transpose" && !to_bytes) {
      transpose(configuration.value("order", json()), n_dims, coding);
    } else if (name == "bytes" && !to_bytes) {
      coding.big_endian = configuration.value("endian", "little") == "big";
      to_bytes = true;
    } else if ((name == "vlen-utf8" || name == "vlen-bytes") && !to_bytes) {
      if (array.text != TextCoding::kVariable)
        throw BadMetadata("its codec " + name + " is for texts, which it does not hold");
      to_bytes = true;
    } else if (name == "sharding_indexed" && !to_bytes && !inner && coding.axes.empty() && codecs.size() == 1) {
      parse_shards(configuration, array);
      to_bytes = true;
    } else if (name == "crc32c" && to_bytes) {
      coding.codecs.push_back({.is_crc32c = true});
    } else if (known != std::end(kCodecs) && to_bytes) {
      coding.codecs.push_back({.codec = known->codec});
    } else {
      array.unsupported =
          "its codec '" + name + "' is not available here, or not in this place (known: " + kKnown + ")";
    }
  }
  if (!to_bytes && array.unsupported.empty()) throw BadMetadata("none of its codecs makes bytes");
}

void parse_shards(const json& configuration, ArrayMetadata& array) {
  array.shard = array.chunk;
  array.chunk = parse_sizes(configuration.at("chunk_shape"), "inner chunk_shape");
  if (array.chunk.size() != array.shard.size()) throw BadMetadata("its shards and chunks differ in dimensions");
  std::int64_t inner = 1;
  for (std::size_t dim = 0; dim < array.chunk.size(); ++dim) {
    if (array.chunk[dim] == 0 || array.shard[dim] % array.chunk[dim] != 0)
      throw BadMetadata("its shards are not made of whole chunks");
    if (__builtin_mul_overflow(inner, array.shard[dim] / array.chunk[dim], &inner) || inner > (1 << 26))
      throw BadMetadata("its shards hold too many chunks to be true");
  }
  const std::string location = configuration.value("index_location", "end");
  if (location != "start" && location != "end")
    throw BadMetadata("its shards' index_location is neither start nor end");
  array.index_at_start = location == "start";
  parse_codecs(configuration.at("codecs"), true, array.chunk.size(), array.coding, array);
  const json plain = json::array({"bytes"});
  parse_codecs(configuration.value("index_codecs", plain), true, array.chunk.size() + 1, array.index_coding, array);
  if (!array.index_coding.axes.empty())
    array.unsupported = "the index of its shards is transposed, which is not read here";
  // Its length must be known without decoding.
  for (const ByteCodec& codec : array.index_coding.codecs)
    if (!codec.is_crc32c) array.unsupported = "the index of its shards is compressed, which is not read here";
}

void set_keys(const json& encoding, ArrayMetadata& array) {
  const std::string name = name_of(encoding);
  if (name != "default" && name != "v2")
    throw BadMetadata("its chunk_key_encoding is '" + name + "' (known: default, v2)");
  const std::string separator = configuration_of(encoding).value("separator", name == "v2" ? "." : "/");
  if (separator != "." && separator != "/") throw BadMetadata("its separator is neither '.' nor '/'");
  array.separator = separator[0];
  if (name == "default") array.key_prefix = "c";
}

}  // namespace

void parse_array_v3(const json& zarr, ArrayMetadata& array) {
  if (zarr.at("zarr_format") != 3) throw BadMetadata("it is not of zarr format 3");
  set_data_type(zarr.at("data_type"), array);
  array.shape = parse_sizes(zarr.at("shape"), "shape");
  const json& grid = zarr.at("chunk_grid");
  if (name_of(grid) != "regular") throw BadMetadata("its chunk_grid is '" + name_of(grid) + "' (known: regular)");
  array.chunk = parse_sizes(configuration_of(grid).at("chunk_shape"), "chunk_shape");
  set_keys(zarr.at("chunk_key_encoding"), array);
  // A shard may be larger than what is decoded at a time.
  if (array.shape.size() != array.chunk.size()) throw BadMetadata("its shape and its chunks differ in dimensions");
  parse_codecs(zarr.at("codecs"), false, array.shape.size(), array.coding, array);
  check_shape(array);
  const json transformers = zarr.value("storage_transformers", json::array());
  if (!transformers.empty()) array.unsupported = "it has storage transformers, which are not read here";
  set_fill(array, zarr.value("fill_value", json()));
}

}  // namespace scvet::io::zarr
