// A tile of reference rows, made ready for the kernels: tokens renumbered to the rows of the query tables, rarest genes
// first (they are missed by most queries, so that a set is given up early), sets by ascending size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact_kernel.h"
#include "scvet/sketch/cell_sets.h"
#include "set_hash.h"

namespace scvet::sketch {

// Which genes the queries of a pass hold.
class TokenPlan {
 public:
  // `counts[token]`: how many of `n_queries` queries hold it.
  TokenPlan(std::span<const std::uint32_t> counts, std::int64_t n_queries, std::uint64_t salt);

  static constexpr std::uint16_t kClasses = 7;  // by the share of queries that hold the gene, the very rare last
  static constexpr std::uint16_t kAbsent = kClasses;
  struct Gene {
    std::uint16_t column;  // row in the query tables
    std::uint16_t group;   // class; kAbsent: no query holds it
  };
  Gene gene(std::uint16_t token) const { return genes_[token]; }
  // Summand of a set's hash.
  std::uint64_t hash(std::uint16_t token) const { return hash_(token); }
  std::uint32_t n_columns() const { return n_columns_; }

 private:
  TokenHash hash_;
  std::vector<Gene> genes_;
  std::uint32_t n_columns_ = 0;
};

struct TileRow {
  std::int64_t row = 0;
  std::uint64_t hash = 0;
};

// Hash and row of a non-empty reference set.
using HashedRow = TileRow;

class Tile {
 public:
  // Reads rows [first, first + count), at most `copies` rows a hash (the lowest ones); gives the source its pages back.
  // `hashes` (empty, or one entry a row) receives every row's hash; row -1 marks an empty set.
  void load(const SetSource& source, const TokenPlan& plan, std::int64_t first, std::int64_t count, int copies,
            std::uint64_t hash_mask, std::span<HashedRow> hashes);
  std::span<const KernelRow> rows() const { return rows_; }
  const TileRow& origin(std::size_t row) const { return origins_[row]; }
  std::int64_t first() const { return first_; }

 private:
  std::uint64_t append(const TokenPlan& plan);
  void order(int copies);

  std::int64_t first_ = 0;
  std::vector<std::uint16_t> tokens_, scratch_;
  std::vector<std::uint16_t> by_class_;
  std::uint32_t n_rare_ = 0;
  struct Entry {
    std::uint64_t hash;
    std::size_t start;
    std::uint32_t row, n_tokens, n_rare, size;
  };
  std::vector<Entry> entries_;
  std::vector<KernelRow> rows_;
  std::vector<TileRow> origins_;
};

}  // namespace scvet::sketch
