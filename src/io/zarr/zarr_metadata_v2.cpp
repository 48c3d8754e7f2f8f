// .zarray: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
#include "scvet/base/text.h"
#include "zarr/zarr_metadata.h"

namespace scvet::io::zarr {
namespace {

using nlohmann::json;

struct KnownCompressor {
  const char* id;
  Codec codec;
};
// Names that numcodecs gives.
constexpr KnownCompressor kCompressors[] = {{"blosc", Codec::kBlosc},
                                            {"zstd", Codec::kZstd},
                                            {"gzip", Codec::kGzip},
                                            {"zlib", Codec::kZlib},
                                            {"lz4", Codec::kLz4Sized}};

void set_dtype(const json& dtype, ArrayMetadata& array) {
  if (!dtype.is_string()) return set_type(array, 'V', 1);  // a list: records
  const std::string& code = dtype.get_ref<const std::string&>();
  if (code.size() < 2 || std::string_view("<>|").find(code[0]) == std::string_view::npos)
    throw BadMetadata("its dtype is '" + code + "', which is no type of NumPy");
  array.coding.big_endian = code[0] == '>';
  if (code[1] == 'O') return set_type(array, 'O', 8);
  const auto count = parse_integer(std::string_view(code).substr(2));
  if (!count || *count < 0 || *count > (1 << 24)) return set_type(array, 'V', 1);  // dates, with their unit
  set_type(array, code[1], static_cast<std::size_t>(code[1] == 'U' ? 4 * *count : *count));
}

void add_compressor(const json& compressor, ArrayMetadata& array) {
  if (compressor.is_null()) return;
  const std::string id = compressor.value("id", "");
  for (const KnownCompressor& known : kCompressors)
    if (id == known.id) return array.coding.codecs.push_back({.codec = known.codec});
  array.unsupported =
      "it is compressed with '" + id +
      "', which is not available here (known: blosc, zstd, gzip, zlib, lz4); write it again with one of these";
}

void check_filters(const json& filters, ArrayMetadata& array) {
  bool texts = false;
  for (const json& filter : filters.is_array() ? filters : json::array()) {
    const std::string id = filter.value("id", "");
    texts = texts || id == "vlen-utf8" || id == "vlen-bytes";
    if (id != "vlen-utf8" && id != "vlen-bytes")
      array.unsupported = "it has filter '" + id +
                          "', which is not available here (known: vlen-utf8, vlen-bytes); write it again without";
  }
  if (array.unsupported.empty() && texts != (array.text == TextCoding::kVariable))
    array.unsupported = "its objects are of no kind that is known here (known: texts under vlen-utf8, vlen-bytes)";
}

}  // namespace

void parse_array_v2(const json& zarray, ArrayMetadata& array) {
  if (zarray.at("zarr_format") != 2) throw BadMetadata("it is not of zarr format 2");
  set_dtype(zarray.at("dtype"), array);
  array.shape = parse_sizes(zarray.at("shape"), "shape");
  array.chunk = parse_sizes(zarray.at("chunks"), "list of chunks");
  check_shape(array);
  if (zarray.value("order", "C") == "F")
    for (std::size_t dim = array.shape.size(); dim-- > 0;) array.coding.axes.push_back(dim);
  const std::string separator = zarray.value("dimension_separator", ".");
  if (separator != "." && separator != "/") throw BadMetadata("its dimension_separator is neither '.' nor '/'");
  array.separator = separator[0];
  add_compressor(zarray.value("compressor", json()), array);
  check_filters(zarray.value("filters", json()), array);
  set_fill(array, zarray.value("fill_value", json()));
}

}  // namespace scvet::io::zarr
