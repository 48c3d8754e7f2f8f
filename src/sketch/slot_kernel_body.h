// Written once and compiled for each instruction set. A lane's counter starts at 256 - need, so that it overflows when
// the need is met; most rows overflow nowhere and are left at one test.
#include "bit_adders.h"
#include "slot_kernel.h"

namespace scvet::sketch {
namespace {

constexpr int kSlotPlanes = 8;

template <class S>
void start_planes(const std::uint8_t* need, std::byte (*planes)[S::kBytes]) {
  for (int group = 0; group < S::kBytes; ++group) {
    std::uint64_t start = 0;  // of eight lanes
    for (int lane = 0; lane < 8; ++lane) {
      const std::uint8_t least = need[8 * group + lane];
      start |= std::uint64_t{least == kNoNeed ? 0u : 256u - least} << 8 * lane;
    }
    // The multiplication moves the lowest bit of each byte into the highest byte.
    for (int plane = 0; plane < kSlotPlanes; ++plane)
      planes[plane][group] =
          static_cast<std::byte>((((start >> plane) & 0x0101010101010101ull) * 0x0102040810204080ull) >> 56);
  }
}

template <class S>
std::size_t count_slots(const SlotBlock& block, const std::uint8_t* rows, std::size_t n_rows, SlotHit* hits) {
  using Vec = typename S::Vec;
  alignas(64) std::byte start[kSlotPlanes][S::kBytes];
  start_planes<S>(block.need, start);
  std::size_t n_hits = 0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const std::uint8_t* const bytes = rows + row * kSlotBytes;
    Vec sum[kSlotPlanes], half[2], met;
#pragma GCC unroll 8
    for (int plane = 0; plane < kSlotPlanes; ++plane) sum[plane] = S::load(start[plane]);
    const auto leaf = [&](std::size_t first) __attribute__((always_inline)) {
      return add_leaf<S>(
          [&](std::size_t at) __attribute__((always_inline)) {
            return S::load(block.table + (256 * (first + at) + bytes[first + at]) * S::kBytes);
          },
          sum);
    };
#pragma GCC unroll 2
    for (std::size_t tree = 0; tree < 2; ++tree) {
      Vec out_a, out_b, carry_a = leaf(64 * tree), carry_b = leaf(64 * tree + kLeaf);
      S::full_add(out_a, sum[4], carry_a, carry_b);
      carry_a = leaf(64 * tree + 2 * kLeaf);
      carry_b = leaf(64 * tree + 3 * kLeaf);
      S::full_add(out_b, sum[4], carry_a, carry_b);
      S::full_add(half[tree], sum[5], out_a, out_b);
    }
    S::full_add(met, sum[6], half[0], half[1]);
    half_add<S>(sum[7], met);
    if (S::all(S::invert(met))) continue;
    alignas(64) std::byte counts[kSlotPlanes][S::kBytes], lanes[S::kBytes];
    for (int plane = 0; plane < kSlotPlanes; ++plane) S::store(counts[plane], sum[plane]);
    S::store(lanes, met);
    for (int word = 0; word < S::kLanes / 64; ++word) {
      const auto bits = [word](const std::byte* plane) {
        std::uint64_t value;
        __builtin_memcpy(&value, plane + 8 * word, 8);
        return value;
      };
      for (std::uint64_t left = bits(lanes); left != 0; left &= left - 1) {
        const int bit = __builtin_ctzll(left);
        std::uint32_t above = 0;  // equal bytes beyond the need
        for (int plane = 0; plane < kSlotPlanes; ++plane)
          above |= static_cast<std::uint32_t>((bits(counts[plane]) >> bit) & 1) << plane;
        const auto lane = static_cast<std::uint32_t>(64 * word + bit);
        hits[n_hits++] = {static_cast<std::uint32_t>(row), lane, above + block.need[lane]};
      }
    }
  }
  return n_hits;
}

// One instruction a word where the target has it.
inline std::uint32_t count_shared_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) {
  std::uint64_t count = 0;
  for (std::size_t word = 0; word < n_words; ++word)
    count += static_cast<std::uint64_t>(__builtin_popcountll(a[word] & b[word]));
  return static_cast<std::uint32_t>(count);
}

}  // namespace
}  // namespace scvet::sketch
