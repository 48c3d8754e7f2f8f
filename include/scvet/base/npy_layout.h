// Where the values of a NumPy .npy array lie (NEP 1, format versions 1 to 3), judged by its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scvet {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

struct NpyLayout {
  std::size_t offset = 0;      // of the first value
  std::size_t width = 0;       // bytes a value: 4 or 8
  bool columns_first = false;  // Fortran's order
  std::int64_t rows = 0, columns = 0;
};

// Of a whole file's bytes: a matrix of little-endian float32 or float64 values. DataError when it is of another type or
// shape, or shorter than its header says; `path` is for the message.
NpyLayout read_npy_layout(std::string_view bytes, const std::string& path);

}  // namespace scvet
