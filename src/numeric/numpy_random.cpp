#include "scvet/numeric/numpy_random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <unordered_set>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

using Pool = std::array<std::uint32_t, 4>;

// numpy's SeedSequence: hashing with a multiplier that moves on at every call, as in O'Neill's seed_seq_fe.
class Hash {
 public:
  Hash(std::uint32_t start, std::uint32_t multiplier) : constant_(start), multiplier_(multiplier) {}
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= multiplier_;
    value *= constant_;
    return value ^ (value >> 16);
  }

 private:
  std::uint32_t constant_, multiplier_;
};

std::uint32_t mixed(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t value = 0xca01f9ddu * x - 0x4973f715u * y;
  return value ^ (value >> 16);
}

Pool entropy_pool(std::uint64_t seed) {
  Hash hash(0x43b0d7e5u, 0x931e8875u);
  Pool pool{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
  for (std::uint32_t& word : pool) word = hash(word);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = mixed(pool[to], hash(pool[from]));
  return pool;
}

// generate_state(4, uint64).
std::array<std::uint64_t, 4> seed_words(std::uint64_t seed) {
  const Pool pool = entropy_pool(seed);
  Hash hash(0x8b51f9ddu, 0x58f38dedu);
  std::array<std::uint64_t, 4> words{};
  for (std::size_t half = 0; half < 2 * words.size(); ++half)
    words[half / 2] |= std::uint64_t{hash(pool[half % pool.size()])} << (32 * (half % 2));
  return words;
}

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const auto words = seed_words(seed);
  increment_ = (((Wide{words[2]} << 64) | words[3]) << 1) | 1;
  step();
  state_ += (Wide{words[0]} << 64) | words[1];
  step();
}

void NumpyRandom::step() {
  constexpr Wide kMultiplier = (Wide{0x2360ED051FC65DA4ull} << 64) | 0x4385DF649FCCF645ull;
  state_ = state_ * kMultiplier + increment_;
}

std::uint64_t NumpyRandom::next64() {
  step();
  const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

std::uint32_t NumpyRandom::next32() {
  has_kept_ = !has_kept_;
  if (!has_kept_) return kept_;
  const std::uint64_t both = next64();
  kept_ = static_cast<std::uint32_t>(both >> 32);
  return static_cast<std::uint32_t>(both);
}

std::uint32_t NumpyRandom::below(std::uint32_t n) {
  if (n <= 1) return 0;
  std::uint64_t product = std::uint64_t{next32()} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t threshold = (0u - n) % n;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next32()} * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

std::vector<std::uint32_t> NumpyRandom::integers(std::uint32_t n, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) value = below(n);
  return values;
}

// Places from the last down to `first`, each exchanged with one of those up to it.
void NumpyRandom::shuffle_tail(std::span<std::uint32_t> values, std::size_t first) {
  for (std::size_t last = values.size(); last > first; --last)
    std::swap(values[last - 1], values[below(static_cast<std::uint32_t>(last))]);
}

std::vector<std::uint32_t> NumpyRandom::choose(std::uint32_t n, std::uint32_t count) {
  if (count > n) throw InternalError("NumpyRandom: cannot choose more things than there are");
  constexpr std::uint32_t kShuffled = 10000, kShare = 50;  // where numpy turns from a set to shuffling everything
  if (n > kShuffled && count > n / kShare) {
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0u);
    shuffle_tail(all, std::max<std::size_t>(n - count, 1));
    return {all.end() - count, all.end()};
  }
  std::vector<std::uint32_t> chosen;  // Floyd's method
  std::unordered_set<std::uint32_t> taken;
  for (std::uint32_t last = n - count; last < n; ++last) {
    const std::uint32_t value = below(last + 1);
    chosen.push_back(taken.insert(value).second ? value : last);
    taken.insert(chosen.back());
  }
  shuffle_tail(chosen, 1);
  return chosen;
}

}  // namespace scvet::numeric
