// Bit-sliced intersection counts, written once and compiled for each instruction set. A register holds one bit per query;
// adding one table row per gene of the reference set through carry-save adders counts, for all queries at once, the
// genes that each query lacks. A lane's counter starts at 2^planes - (allowed misses + 1), so that it overflows when the
// set can no longer reach what the lane needs: an overflowed lane is dead, and the set is left when all lanes are.
#include "bit_adders.h"
#include "exact_kernel.h"

namespace scvet::sketch {
namespace {

constexpr int kLowPlanes = 6;   // counted in the adder tree of 64 tokens
constexpr int kMaxPlanes = 17;  // 65,536 tokens
constexpr std::uint32_t kTree = 64;
constexpr std::uint32_t kFetchAhead = 256;  // tokens between asking for the rare genes' table rows and adding them

template <class S>
struct Needs {
  alignas(64) std::int32_t allowed[S::kLanes];  // misses + 1 at which the lane dies; 0: dead from the start
  alignas(64) std::byte planes[kMaxPlanes][S::kBytes];
  alignas(64) std::byte dead[S::kBytes];
};

// ceil(x), or one less where x lies within .05 above a whole number: the error of the float product is below .02.
inline std::int32_t careful_ceil(float x) { return static_cast<std::int32_t>(x + .95f); }

// Returns the number of planes, 0 when no lane can be interested in any set of the bucket.
template <class S>
int prepare(const KernelBlock& block, std::uint32_t smallest, std::uint32_t largest, Needs<S>& needs) {
  const float low = static_cast<float>(smallest), high = static_cast<float>(largest);
  const std::int32_t most = static_cast<std::int32_t>(largest);
  alignas(64) std::int32_t start[S::kLanes];
  std::int32_t all = 0;
  for (int lane = 0; lane < S::kLanes; ++lane) {
    const float slope = block.slope[lane], size = block.size[lane];
    const std::int32_t contain = static_cast<std::int32_t>(block.contain[lane]);
    std::int32_t least = careful_ceil(slope * (size + low)), need = careful_ceil(slope * (size + high));
    least = least < 1 ? 1 : least;
    need = need < 1 ? 1 : need;
    least = least < contain ? least : contain;
    need = need < contain ? need : contain;
    // The need grows by at most 1 with each gene of the set, so the largest set of the bucket may miss the most.
    const std::int32_t allowed = most - need + 1;
    const std::int32_t kept = least <= static_cast<std::int32_t>(size) && allowed > 0 ? allowed : 0;
    needs.allowed[lane] = kept;
    all |= kept;
  }
  if (all == 0) return 0;
  int planes = 32 - __builtin_clz(static_cast<unsigned>(all));
  if (planes <= kLowPlanes) planes = kLowPlanes + 1;
  for (int lane = 0; lane < S::kLanes; ++lane) start[lane] = (1 << planes) - needs.allowed[lane];
  // A dead lane starts at 2^planes, which is the bit above the highest plane.
  S::transpose(start, planes, needs.planes, needs.dead);
  return planes;
}

// Sets lie in the tile in reading order but are taken by size, so no hardware prefetcher sees the next one coming.
inline void fetch_tokens(const KernelRow& row) {
  for (std::uint32_t at = 0; at < row.n_tokens; at += 32) __builtin_prefetch(row.tokens + at);
}

template <class S>
inline void fetch_rare(const KernelBlock& block, const std::uint16_t* token, std::uint32_t count) {
  for (std::uint32_t at = 0; at < count; ++at)
    __builtin_prefetch(block.table + static_cast<std::size_t>(token[at]) * S::kBytes, 0, 2);
}

template <class S, int kHigh>
std::size_t compare(const KernelBlock& block, const Needs<S>& needs, const KernelRow* rows, std::size_t n_rows,
                    KernelHit* hits) {
  using Vec = typename S::Vec;
  constexpr int kPlanes = kLowPlanes + kHigh;
  std::size_t n_hits = 0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (row + 1 < n_rows) fetch_tokens(rows[row + 1]);
    Vec low[kLowPlanes], high[kHigh];
    for (int plane = 0; plane < kLowPlanes; ++plane) low[plane] = S::load(needs.planes[plane]);
#pragma GCC unroll 16
    for (int plane = 0; plane < kHigh; ++plane) high[plane] = S::load(needs.planes[kLowPlanes + plane]);
    Vec dead = S::load(needs.dead);
    const auto ripple = [&](Vec carry) __attribute__((always_inline)) {
#pragma GCC unroll 16
      for (int plane = 0; plane < kHigh; ++plane) half_add<S>(high[plane], carry);
      dead = S::either(dead, carry);
    };
    // Genes that no query holds are misses of every lane.
    if (const std::uint32_t sure = rows[row].size - rows[row].n_tokens; sure != 0) {
      Vec carry = S::zero();
#pragma GCC unroll 16
      for (int plane = 0; plane < kPlanes; ++plane) {
        Vec& sum = plane < kLowPlanes ? low[plane] : high[plane - kLowPlanes];
        const Vec next = (sure >> plane) & 1 ? S::either(sum, carry) : S::both(sum, carry);
        sum = S::differ(sum, carry);
        if ((sure >> plane) & 1) sum = S::invert(sum);
        carry = next;
      }
      dead = (sure >> kPlanes) != 0 ? S::ones() : S::either(dead, carry);
    }
    const std::uint16_t* token = rows[row].tokens;
    std::uint32_t left = rows[row].n_tokens;
    bool alive = !S::all(dead);
    std::uint32_t rare_from = rows[row].n_rare > 0 ? rows[row].n_rare + kFetchAhead : 0;
    while (alive && left >= kTree) {
      if (left < rare_from) {
        fetch_rare<S>(block, token + (left - rows[row].n_rare), rows[row].n_rare);
        rare_from = 0;
      }
      const auto leaf = [&](std::uint32_t first) __attribute__((always_inline)) {
        const std::uint16_t* const from = token + first;
        return add_leaf<S>(
            [&](int at) __attribute__((always_inline)) {
              return S::load(block.table + static_cast<std::size_t>(from[at]) * S::kBytes);
            },
            low);
      };
      Vec carry_a = leaf(0), carry_b = leaf(kLeaf), out_a, out_b, out;
      S::full_add(out_a, low[4], carry_a, carry_b);
      carry_a = leaf(2 * kLeaf);
      carry_b = leaf(3 * kLeaf);
      S::full_add(out_b, low[4], carry_a, carry_b);
      S::full_add(out, low[5], out_a, out_b);
      ripple(out);
      token += kTree;
      left -= kTree;
      alive = !S::all(dead);
    }
    while (alive && left > 0) {
      const auto at = [&](std::uint32_t from) __attribute__((always_inline)) {
        return S::load(block.table + static_cast<std::size_t>(from < left ? token[from] : block.zero_row) * S::kBytes);
      };
      Vec carry = add_leaf<S>(at, low);
      half_add<S>(low[4], carry);
      half_add<S>(low[5], carry);
      ripple(carry);
      token += kLeaf;
      left = left > kLeaf ? left - kLeaf : 0;
      alive = !S::all(dead);
    }
    if (!alive) continue;
    alignas(64) std::byte counts[kPlanes][S::kBytes], lost[S::kBytes];
    for (int plane = 0; plane < kLowPlanes; ++plane) S::store(counts[plane], low[plane]);
    for (int plane = 0; plane < kHigh; ++plane) S::store(counts[kLowPlanes + plane], high[plane]);
    S::store(lost, dead);
    for (int word = 0; word < S::kLanes / 64; ++word) {
      const auto bits = [word](const std::byte* plane) {
        std::uint64_t value;
        __builtin_memcpy(&value, plane + 8 * word, 8);
        return value;
      };
      for (std::uint64_t survivors = ~bits(lost); survivors != 0; survivors &= survivors - 1) {
        const int bit = __builtin_ctzll(survivors);
        std::uint32_t count = 0;
        for (int plane = 0; plane < kPlanes; ++plane)
          count |= static_cast<std::uint32_t>((bits(counts[plane]) >> bit) & 1) << plane;
        const int lane = 64 * word + bit;
        const std::uint32_t misses = count + static_cast<std::uint32_t>(needs.allowed[lane]) - (1u << kPlanes);
        hits[n_hits++] = {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(lane), rows[row].size - misses};
      }
    }
  }
  return n_hits;
}

template <class S>
std::size_t run(const KernelBlock& block, const KernelRow* rows, std::size_t n_rows, KernelHit* hits) {
  Needs<S> needs;
  switch (prepare<S>(block, rows[0].size, rows[n_rows - 1].size, needs)) {
    case 0:
      return 0;
    case 7:
      return compare<S, 1>(block, needs, rows, n_rows, hits);
    case 8:
      return compare<S, 2>(block, needs, rows, n_rows, hits);
    case 9:
      return compare<S, 3>(block, needs, rows, n_rows, hits);
    case 10:
      return compare<S, 4>(block, needs, rows, n_rows, hits);
    case 11:
      return compare<S, 5>(block, needs, rows, n_rows, hits);
    case 12:
      return compare<S, 6>(block, needs, rows, n_rows, hits);
    case 13:
      return compare<S, 7>(block, needs, rows, n_rows, hits);
    case 14:
      return compare<S, 8>(block, needs, rows, n_rows, hits);
    case 15:
      return compare<S, 9>(block, needs, rows, n_rows, hits);
    case 16:
      return compare<S, 10>(block, needs, rows, n_rows, hits);
    default:
      return compare<S, 11>(block, needs, rows, n_rows, hits);
  }
}

}  // namespace
}  // namespace scvet::sketch
