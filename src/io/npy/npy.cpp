#include "scvet/io/npy.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMostHeader = 1 << 16;

struct Layout {
  std::size_t offset = 0;  // of the first value
  std::size_t width = 0;   // bytes a value: 4 or 8
  bool columns_first = false;
  std::int64_t rows = 0, columns = 0;
};

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
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic) throw bad(path, "no .npy file");
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

Layout read_layout(std::string_view bytes, const std::string& path) {
  const std::string_view header = find_header(bytes, path);
  Layout layout;
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

double value_at(const std::byte* bytes, const Layout& layout, std::int64_t row, std::int64_t column) {
  const std::int64_t place = layout.columns_first ? column * layout.rows + row : row * layout.columns + column;
  const std::byte* const at = bytes + layout.offset + static_cast<std::size_t>(place) * layout.width;
  if (layout.width == 8) {
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

class NpySource : public CellSource {
 public:
  explicit NpySource(const std::string& path) : file_(path) {
    const auto bytes = file_.bytes();
    layout_ = read_layout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
    info_ = {.name = "array", .kind = "ndarray", .dtype = layout_.width == 4 ? "float32" : "float64"};
    info_.n_cells = layout_.rows;
    info_.n_genes = layout_.columns;
    info_.stored = layout_.rows * layout_.columns;
    var_ = numbered_dimensions(layout_.columns);
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override {
    return std::max<std::int64_t>((4 << 20) / std::max<std::int64_t>(layout_.columns, 1), 1);
  }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    for (std::int64_t row = first; row < first + count; ++row) {
      for (std::int64_t column = 0; column < layout_.columns; ++column) {
        const double value = value_at(file_.bytes().data(), layout_, row, column);
        if (value == 0) continue;
        chunk.genes.push_back(static_cast<std::uint32_t>(column));
        chunk.values.push_back(value);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }

 private:
  MappedFile file_;
  Layout layout_;
  MatrixInfo info_;
  Table var_;
};

}  // namespace

bool looks_like_npy(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) return false;
  char bytes[6];
  const bool is = std::fread(bytes, 1, sizeof bytes, file) == sizeof bytes && std::string_view(bytes, 6) == kMagic;
  std::fclose(file);
  return is;
}

std::unique_ptr<CellSource> open_npy(const std::string& path) { return std::make_unique<NpySource>(path); }

NpyMatrix read_npy(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const Layout layout = read_layout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  NpyMatrix matrix{layout.rows, layout.columns, {}};
  matrix.values.reserve(static_cast<std::size_t>(layout.rows * layout.columns));
  for (std::int64_t row = 0; row < layout.rows; ++row)
    for (std::int64_t column = 0; column < layout.columns; ++column)
      matrix.values.push_back(value_at(bytes.data(), layout, row, column));
  return matrix;
}

void write_npy(const std::string& path, const double* values, std::int64_t rows, std::int64_t columns) {
  static_assert(std::endian::native == std::endian::little);
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');  // values start at a multiple of 64
  header += '\n';
  AtomicPath atomic(path);
  std::FILE* const file = std::fopen(atomic.temporary().c_str(), "wb");
  if (!file) throw ResourceError("cannot write " + path, {.file = path});
  const char version[4] = {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  const auto n = static_cast<std::size_t>(rows * columns);
  bool wrote = std::fwrite(kMagic.data(), 1, 6, file) == 6 && std::fwrite(version, 1, 4, file) == 4 &&
               std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
               std::fwrite(values, sizeof(double), n, file) == n;
  wrote = std::fclose(file) == 0 && wrote;
  if (!wrote) throw ResourceError("cannot write " + path + ": is the disk full?", {.file = path});
  atomic.commit();
}

}  // namespace scvet::io
