// A reader of .npy files for tests: C order, little-endian float32, float64, int32 or int64, as doubles.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::testing {

struct NpyArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row-major

  std::int64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  std::int64_t cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  MatrixView<const double> view() const { return {values.data(), rows(), cols()}; }
};

template <typename Value>
std::vector<double> npy_values(const std::string& bytes, std::size_t start, std::size_t count) {
  if (bytes.size() != start + count * sizeof(Value))
    throw std::runtime_error(".npy: its size is not that of its shape");
  std::vector<double> values(count);
  for (std::size_t at = 0; at < count; ++at) {
    Value value;
    std::memcpy(&value, bytes.data() + start + at * sizeof(Value), sizeof(Value));
    values[at] = static_cast<double>(value);
  }
  return values;
}

inline NpyArray read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0) throw std::runtime_error(path + ": no .npy file");
  const bool wide = bytes[6] >= 2;  // format 2 has a length of four bytes
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
  const std::size_t length = byte(8) + (byte(9) << 8) + (wide ? (byte(10) << 16) + (byte(11) << 24) : 0);
  const std::size_t start = (wide ? 12 : 10) + length;
  const std::string header = bytes.substr(wide ? 12 : 10, length);

  // What follows `key` in the header, a dictionary on one line, up to `end`.
  const auto entry = [&](const std::string& key, char end) {
    const std::size_t at = header.find(key);
    return at == std::string::npos
               ? std::string()
               : header.substr(at + key.size(), header.find(end, at + key.size()) - at - key.size());
  };
  const std::string type = entry("'descr': '<", '\''), shape = entry("'shape': (", ')');
  if (header.find("'fortran_order': False") == std::string::npos || type.size() != 2)
    throw std::runtime_error(path + ": a kind of .npy that tests do not read: " + header);
  NpyArray array;
  std::size_t count = 1;
  std::istringstream sizes(shape);
  for (std::string size; std::getline(sizes, size, ',');) {
    if (size.find_first_of("0123456789") == std::string::npos) continue;
    array.shape.push_back(std::stoll(size));
    count *= static_cast<std::size_t>(array.shape.back());
  }
  if (type == "f4") array.values = npy_values<float>(bytes, start, count);
  if (type == "f8") array.values = npy_values<double>(bytes, start, count);
  if (type == "i4") array.values = npy_values<std::int32_t>(bytes, start, count);
  if (type == "i8") array.values = npy_values<std::int64_t>(bytes, start, count);
  return array;
}

}  // namespace scvet::testing
