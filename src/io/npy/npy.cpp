#include "scvet/io/npy.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/npy_layout.h"

namespace scvet::io {
namespace {

double value_at(const std::byte* bytes, const NpyLayout& layout, std::int64_t row, std::int64_t column) {
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
    layout_ = read_npy_layout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
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
  NpyLayout layout_;
  MatrixInfo info_;
  Table var_;
};

}  // namespace

bool looks_like_npy(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) return false;
  char bytes[6];
  const bool is = std::fread(bytes, 1, sizeof bytes, file) == sizeof bytes && std::string_view(bytes, 6) == kNpyMagic;
  std::fclose(file);
  return is;
}

std::unique_ptr<CellSource> open_npy(const std::string& path) { return std::make_unique<NpySource>(path); }

NpyMatrix read_npy(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const NpyLayout layout = read_npy_layout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
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
  bool wrote = std::fwrite(kNpyMagic.data(), 1, 6, file) == 6 && std::fwrite(version, 1, 4, file) == 4 &&
               std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
               std::fwrite(values, sizeof(double), n, file) == n;
  wrote = std::fclose(file) == 0 && wrote;
  if (!wrote) throw ResourceError("cannot write " + path + ": is the disk full?", {.file = path});
  atomic.commit();
}

}  // namespace scvet::io
