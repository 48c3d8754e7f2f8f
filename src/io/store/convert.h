// Stored numbers to the types that readers ask for, one rule for every way to read.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace scvet::io {

// What an integer that is no index becomes, where indices are asked for.
constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

// Little-endian number types that files hold.
enum class NumberType { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kInt64, kUint64, kFloat32, kFloat64 };

constexpr std::size_t width_of(NumberType type) {
  switch (type) {
    case NumberType::kInt8:
    case NumberType::kUint8:
      return 1;
    case NumberType::kInt16:
    case NumberType::kUint16:
      return 2;
    case NumberType::kInt32:
    case NumberType::kUint32:
    case NumberType::kFloat32:
      return 4;
    default:
      return 8;
  }
}

template <typename From, typename To>
To convert_one(From value) {
  if constexpr (std::is_same_v<To, std::uint32_t>) {
    if constexpr (std::is_signed_v<From> || sizeof(From) > 4)
      if (value < From{0} || static_cast<std::uint64_t>(value) > kNoIndex) return kNoIndex;
    return static_cast<std::uint32_t>(value);
  } else {
    return static_cast<To>(value);
  }
}

// `count` numbers from `in`, of any alignment. Returns -1, or the place of the first that is not whole where integers
// are asked for.
template <typename From, typename To>
std::int64_t convert(const std::byte* in, std::int64_t count, To* out) {
  if constexpr (std::is_same_v<From, To>) {
    if (count > 0) std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(To));
    return -1;
  }
  for (std::int64_t at = 0; at < count; ++at) {
    From value;
    std::memcpy(&value, in + static_cast<std::size_t>(at) * sizeof(From), sizeof(From));
    if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
      if (!(std::abs(value) < From{9.0e18f}) || value != std::floor(value)) return at;
    out[at] = convert_one<From, To>(value);
  }
  return -1;
}

template <typename To>
std::int64_t convert(NumberType type, const std::byte* in, std::int64_t count, To* out) {
  switch (type) {
    case NumberType::kInt8:
      return convert<std::int8_t>(in, count, out);
    case NumberType::kUint8:
      return convert<std::uint8_t>(in, count, out);
    case NumberType::kInt16:
      return convert<std::int16_t>(in, count, out);
    case NumberType::kUint16:
      return convert<std::uint16_t>(in, count, out);
    case NumberType::kInt32:
      return convert<std::int32_t>(in, count, out);
    case NumberType::kUint32:
      return convert<std::uint32_t>(in, count, out);
    case NumberType::kInt64:
      return convert<std::int64_t>(in, count, out);
    case NumberType::kUint64:
      return convert<std::uint64_t>(in, count, out);
    case NumberType::kFloat32:
      return convert<float>(in, count, out);
    default:
      return convert<double>(in, count, out);
  }
}

// The same type in memory and in the file, bit for bit?
template <typename To>
constexpr bool is_same_type(NumberType type) {
  if constexpr (std::is_same_v<To, double>) return type == NumberType::kFloat64;
  if constexpr (std::is_same_v<To, float>) return type == NumberType::kFloat32;
  if constexpr (std::is_same_v<To, std::int64_t>) return type == NumberType::kInt64 || type == NumberType::kUint64;
  if constexpr (std::is_same_v<To, std::uint32_t>) return type == NumberType::kUint32;
  return false;
}

}  // namespace scvet::io
