// MinHash sketches: 128 slots, slot i = minimum of h_i over the set, h_i(g) = mix(mix(seed ^ i * step) ^ g)
// (doi:10.1109/SEQUEN.1997.666900). Of each slot the store keeps the low byte (b-bit minwise hashing,
// doi:10.1145/1772690.1772759).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace scvet::sketch {

constexpr int kSlots = 128;
constexpr int kBands = 16, kBandRows = 8;
constexpr std::uint64_t kStoreSeed = 1;  // of the sketches in every store, so that stores merge
using Sketch = std::array<std::uint64_t, kSlots>;
using LowBytes = std::array<std::uint8_t, kSlots>;

// Over any 64-bit gene identities (token ids, gene keys). Empty set: 2^64-1 in every slot.
Sketch minhash(std::span<const std::uint64_t> genes, std::uint64_t seed);
LowBytes low_bytes(const Sketch& sketch);

int equal_slots(const Sketch& a, const Sketch& b);
int equal_bytes(const LowBytes& a, const LowBytes& b);
int equal_bands(const Sketch& a, const Sketch& b);              // of 16 bands of 8 rows
double estimate_jaccard(const Sketch& a, const Sketch& b);      // equal slots / 128
double estimate_jaccard(const LowBytes& a, const LowBytes& b);  // corrected for chance matches, clipped at 0

// The gene (place in a panel) with the smallest hash in each slot. Over one panel two slots are equal where these are,
// because the hash of a slot is one-to-one; 16 bits a slot then say all that 64 do.
using SlotGenes = std::array<std::uint32_t, kSlots>;

// Many cells over one panel: per slot the genes with the smallest hashes in ascending order, so that a slot's minimum
// is the first of them that the cell has (about n_genes / |cell| look-ups instead of |cell| hashes). Same values as
// minhash(). Immutable; any thread may use it with a scratch of its own.
class MinHasher {
 public:
  MinHasher(std::span<const std::uint64_t> keys, std::uint64_t seed);
  struct Scratch {
    std::vector<std::uint64_t> present;  // bitmap over the panel
    std::vector<std::uint64_t> keys;     // of the cell, where it is hashed directly
    SlotGenes genes;
  };
  // Tokens of one cell, distinct, any order.
  void sketch(std::span<const std::uint32_t> tokens, Scratch& scratch, Sketch& out) const;
  // At least one token.
  void slot_genes(std::span<const std::uint32_t> tokens, Scratch& scratch, SlotGenes& out) const;
  void slot_genes(std::span<const std::uint16_t> tokens, Scratch& scratch, SlotGenes& out) const;
  std::uint64_t hash(int slot, std::uint32_t gene) const;

 private:
  template <typename Token>
  void find(std::span<const Token> tokens, Scratch& scratch, SlotGenes& out) const;
  template <typename Token>
  std::uint32_t direct(std::size_t slot, std::span<const Token> tokens, Scratch& scratch) const;

  std::vector<std::uint64_t> keys_;
  std::array<std::uint64_t, kSlots> slot_keys_{};
  std::size_t prefix_ = 0;               // genes listed a slot
  std::vector<std::uint32_t> smallest_;  // kSlots x prefix_
};

}  // namespace scvet::sketch
