// Numbers that begin at a cache line, so that no wide load of a kernel straddles two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scvet {

template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::int64_t size) { resize(size); }
  // New elements are 0; what was there before is kept.
  void resize(std::int64_t size) { lines_.resize((static_cast<std::size_t>(size) + kPerLine - 1) / kPerLine); }
  T* data() { return lines_.data()->values; }
  const T* data() const { return lines_.data()->values; }
  T& operator[](std::int64_t at) { return data()[at]; }
  const T& operator[](std::int64_t at) const { return data()[at]; }

 private:
  static constexpr std::size_t kPerLine = 64 / sizeof(T);
  struct alignas(64) Line {
    T values[kPerLine] = {};
  };
  std::vector<Line> lines_;
};

}  // namespace scvet
