#include "scvet/base/npy_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet {
namespace {

constexpr std::size_t kMostHeader = 1 << 16;

DataError bad(const std::string& path, const std::string& what) {
  return DataError(path + ": " + what, {.file = path, .reason = "bad_npy"});
}

// What follows `'key':` in the header, which is a Python dictionary written on one line.
std::string_view entry(std::string_view header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "'");
  if (at == std::string_view::npos) return {};
  const std::size_t colon = header.find(':', at);
  return colon == std::string_view::npos ? std::string_view{} : trim(header.substr(colon + 1));
}

std::vector<std::int64_t> parse_shape(std::string_view text, const std::string& path) {
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos)
    throw bad(path, "the header of this .npy file states no shape");
  std::vector<std::int64_t> shape;
  for (const std::string& part : split(text.substr(1, close - 1), ',')) {
    if (trim(part).empty()) continue;
    const auto size = parse_integer(trim(part));
    if (!size || *size < 0) throw bad(path, "the header of this .npy file states no usable shape");
    shape.push_back(*size);
  }
  return shape;
}

std::string_view find_header(std::string_view bytes, const std::string& path) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != kNpyMagic) throw bad(path, "no .npy file");
  const bool wide = bytes[6] >= 2;
  std::size_t length =
      static_cast<unsigned char>(bytes[8]) | static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])) << 8;
  const std::size_t start = wide ? 12 : 10;
  if (wide && bytes.size() >= 12)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[10])) << 16 |
              static_cast<std::size_t>(static_cast<unsigned char>(bytes[11])) << 24;
  if (length > kMostHeader || bytes.size() < start + length)
    throw bad(path, "the header of this .npy file is cut short");
  return bytes.substr(start, length);
}

}  // namespace

NpyLayout read_npy_layout(std::string_view bytes, const std::string& path) {
  const std::string_view header = find_header(bytes, path);
  NpyLayout layout;
  layout.offset = static_cast<std::size_t>(header.data() - bytes.data()) + header.size();
  const std::string_view type = entry(header, "descr");
  if (type.starts_with("'<f4'")) layout.width = 4;
  if (type.starts_with("'<f8'")) layout.width = 8;
  if (layout.width == 0)
    throw bad(path, fmt::format("expected little-endian float32 or float64 numbers, found {}",
                                type.substr(0, std::min<std::size_t>(type.find(','), 24))));
  layout.columns_first = entry(header, "fortran_order").starts_with("True");
  const std::vector<std::int64_t> shape = parse_shape(entry(header, "shape"), path);
  if (shape.size() != 2) throw bad(path, fmt::format("expected cells x dimensions, found {} dimensions", shape.size()));
  layout.rows = shape[0];
  layout.columns = shape[1];
  std::int64_t size = 0;
  if (__builtin_mul_overflow(shape[0], shape[1], &size) ||
      static_cast<std::uint64_t>(size) > (bytes.size() - layout.offset) / layout.width)
    throw bad(path, fmt::format("{} x {} values are announced, but the file ends before them (copied half-way?)",
                                shape[0], shape[1]));
  return layout;
}

}  // namespace scvet
