// Cells as gene sets over one universe of genes. Tokens are 0..n_tokens-1, ascending in the universe's gene order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::sketch {

// The largest universe: unions then stay below 2^16 in practice and tokens fit 16 bits.
constexpr std::uint32_t kMaxTokens = 65536;

// One cell: its genes in rank order (highest value first, ties by ascending token), and their counts in the same order
// (empty where the source has none).
struct CellSet {
  std::vector<std::uint16_t> tokens;
  std::vector<std::uint32_t> counts;
};

// Hashes of a cell's content (audit spec 4.0): folds over ascending tokens, over (token, count) ascending, over tokens
// in rank order. counts is 0 when the cell has none; a cell of no genes has the fold of no counts.
struct CellHashes {
  std::uint64_t set = 0, counts = 0, order = 0;
};

// Sketches that a store keeps of consecutive rows. The bytes are as untrusted as the store.
struct StoredSketches {
  std::int64_t count = 0;                   // rows, from the one that was asked for
  const std::uint8_t* low_bytes = nullptr;  // of the kSlots slots of a row, row after row
  const CellHashes* hashes = nullptr;       // of each row, over keys; rows of equal sets have equal `set`
};

// Random access to many cells; thread-safe reading.
class SetSource {
 public:
  virtual ~SetSource() = default;
  virtual std::int64_t n_cells() const = 0;
  virtual std::uint32_t n_tokens() const = 0;
  virtual bool has_counts(std::int64_t row) const = 0;
  // Replaces `cell`. Genes outside the universe are left out.
  virtual void read(std::int64_t row, CellSet& cell) const = 0;
  // The tokens alone, in any order; replaces `tokens`. For engines: sources that can do it faster than read() override.
  virtual void read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const;
  // One 64-bit key a token where the source has sketches of every row that were made, with kStoreSeed, of the keys of just
  // the genes that read() gives; else empty, and stored_sketches() gives nothing.
  virtual std::span<const std::uint64_t> sketch_keys() const { return {}; }
  // From `row` to the end of the rows that lie behind it in one piece (at least one row).
  virtual StoredSketches stored_sketches(std::int64_t row) const { return (void)row, StoredSketches{}; }
  // Rows [first, first+count) will not be read again soon (memory-mapped sources give their pages back).
  virtual void forget(std::int64_t first, std::int64_t count) const { (void)first, (void)count; }
};

// In memory.
class CellSets : public SetSource {
 public:
  explicit CellSets(std::uint32_t n_tokens) : n_tokens_(n_tokens) {}
  void add(const CellSet& cell);  // counts empty or as long as tokens
  void reserve(std::int64_t cells, std::int64_t tokens);
  std::int64_t n_cells() const override { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::uint32_t n_tokens() const override { return n_tokens_; }
  bool has_counts(std::int64_t row) const override { return with_counts_[static_cast<std::size_t>(row)] != 0; }
  void read(std::int64_t row, CellSet& cell) const override;
  void read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const override;
  std::span<const std::uint16_t> tokens(std::int64_t row) const;
  std::span<const std::uint32_t> counts(std::int64_t row) const;  // empty where there are none

 private:
  std::uint32_t n_tokens_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::uint16_t> tokens_;
  std::vector<std::uint32_t> counts_;  // parallel to tokens_ (zeros where a cell has none)
  std::vector<std::uint8_t> with_counts_;
};

CellHashes hash_cell(const CellSet& cell);

}  // namespace scvet::sketch
