#include "scvet/sketch/minhash.h"

#include <algorithm>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::sketch {
namespace {

constexpr std::uint64_t kEmptySlot = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t slot_key(std::uint64_t seed, int slot) {
  return mix(seed ^ (static_cast<std::uint64_t>(slot) * kStreamStep));
}

}  // namespace

Sketch minhash(std::span<const std::uint64_t> genes, std::uint64_t seed) {
  Sketch sketch;
  for (int slot = 0; slot < kSlots; ++slot) {
    std::uint64_t least = kEmptySlot;
    for (const std::uint64_t gene : genes) least = std::min(least, mix(slot_key(seed, slot) ^ gene));
    sketch[static_cast<std::size_t>(slot)] = least;
  }
  return sketch;
}

LowBytes low_bytes(const Sketch& sketch) {
  LowBytes bytes;
  for (std::size_t slot = 0; slot < kSlots; ++slot) bytes[slot] = static_cast<std::uint8_t>(sketch[slot]);
  return bytes;
}

int equal_slots(const Sketch& a, const Sketch& b) {
  int equal = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) equal += a[slot] == b[slot];
  return equal;
}

int equal_bytes(const LowBytes& a, const LowBytes& b) {
  int equal = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) equal += a[slot] == b[slot];
  return equal;
}

int equal_bands(const Sketch& a, const Sketch& b) {
  int bands = 0;
  for (int band = 0; band < kBands; ++band)
    bands += std::equal(a.begin() + band * kBandRows, a.begin() + (band + 1) * kBandRows, b.begin() + band * kBandRows);
  return bands;
}

double estimate_jaccard(const Sketch& a, const Sketch& b) { return static_cast<double>(equal_slots(a, b)) / kSlots; }

double estimate_jaccard(const LowBytes& a, const LowBytes& b) {
  constexpr double kChance = 1.0 / 256;
  const double share = static_cast<double>(equal_bytes(a, b)) / kSlots;
  return std::max(0.0, (share - kChance) / (1 - kChance));
}

MinHasher::MinHasher(std::span<const std::uint64_t> keys, std::uint64_t seed) : keys_(keys.begin(), keys.end()) {
  // A cell of n of N genes is expected to be met after N / n look-ups; 1024 reach far past that for any cell that is
  // not hashed directly anyway.
  prefix_ = std::min<std::size_t>(keys_.size(), 1024);
  smallest_.resize(prefix_ * kSlots);
  for (int slot = 0; slot < kSlots; ++slot) slot_keys_[static_cast<std::size_t>(slot)] = slot_key(seed, slot);
  parallel_for(kSlots, [&](std::int64_t task, int) {
    const auto slot = static_cast<std::size_t>(task);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(keys_.size());
    for (std::size_t gene = 0; gene < keys_.size(); ++gene)
      order[gene] = {mix(slot_keys_[slot] ^ keys_[gene]), static_cast<std::uint32_t>(gene)};
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(prefix_), order.end());
    for (std::size_t place = 0; place < prefix_; ++place) smallest_[slot * prefix_ + place] = order[place].second;
  });
}

std::uint64_t MinHasher::hash(int slot, std::uint32_t gene) const {
  return mix(slot_keys_[static_cast<std::size_t>(slot)] ^ keys_[gene]);
}

// By hashing every gene: cheaper than look-ups for small cells.
template <typename Token>
std::uint32_t MinHasher::direct(std::size_t slot, std::span<const Token> tokens, Scratch& scratch) const {
  if (scratch.keys.empty())
    for (const Token token : tokens) scratch.keys.push_back(keys_[token]);
  std::uint64_t least = kEmptySlot;
  std::size_t place = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::uint64_t value = mix(slot_keys_[slot] ^ scratch.keys[at]);
    place = value < least ? at : place;
    least = std::min(least, value);
  }
  return tokens[place];
}

template <typename Token>
void MinHasher::find(std::span<const Token> tokens, Scratch& scratch, SlotGenes& out) const {
  if (tokens.empty()) throw InternalError("a cell of no genes has no smallest gene");
  const std::size_t words = (keys_.size() + 63) / 64;
  if (scratch.present.size() != words) scratch.present.assign(words, 0);
  scratch.keys.clear();
  // n hashes against N / n look-ups.
  if (tokens.size() * tokens.size() <= keys_.size()) {
    for (std::size_t slot = 0; slot < kSlots; ++slot) out[slot] = direct(slot, tokens, scratch);
    return;
  }
  for (const Token token : tokens) scratch.present[token / 64] |= std::uint64_t{1} << (token % 64);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::uint32_t* place = smallest_.data() + slot * prefix_;
    const std::uint32_t* const end = place + prefix_;
    while (place != end && !((scratch.present[*place / 64] >> (*place % 64)) & 1)) ++place;
    out[slot] = place != end ? *place : direct(slot, tokens, scratch);
  }
  for (const Token token : tokens) scratch.present[token / 64] = 0;
}

void MinHasher::slot_genes(std::span<const std::uint32_t> tokens, Scratch& scratch, SlotGenes& out) const {
  find(tokens, scratch, out);
}

void MinHasher::slot_genes(std::span<const std::uint16_t> tokens, Scratch& scratch, SlotGenes& out) const {
  find(tokens, scratch, out);
}

void MinHasher::sketch(std::span<const std::uint32_t> tokens, Scratch& scratch, Sketch& out) const {
  if (tokens.empty()) {
    out.fill(kEmptySlot);
    return;
  }
  find(tokens, scratch, scratch.genes);
  for (int slot = 0; slot < kSlots; ++slot)
    out[static_cast<std::size_t>(slot)] = hash(slot, scratch.genes[static_cast<std::size_t>(slot)]);
}

}  // namespace scvet::sketch
