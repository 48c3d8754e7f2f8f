// From ranked cells to what is stored and compared: sets on a universe, content hashes and gene keys.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/data/gene_panel.h"
#include "scvet/data/rank_encoding.h"
#include "scvet/sketch/cell_sets.h"

namespace scvet::sketch {

// How cells become sets. One store has one way; a benchmark must be treated alike.
struct FingerprintRule {
  std::shared_ptr<const Vocabulary> vocabulary;  // null: "positive", every gene above 0, ranked by count
  std::int64_t top_k = 0;                        // with a vocabulary: genes kept a cell ("topk")
  const char* kind() const { return vocabulary ? "topk" : "positive"; }
  // `ranked`: of a source whose values are ranks.
  RankPolicy policy(const GenePanel& panel, bool ranked = false) const {
    return rank_policy(panel, vocabulary.get(), top_k, ranked);
  }
};

// The name-independent identity of a gene in sketches and stored hashes: XXH3 (64 bit) of its canonical name.
std::uint64_t gene_key(std::string_view canonical_name);
std::vector<std::uint64_t> gene_keys(const GenePanel& panel);  // one a token

// Content hashes of a ranked cell over gene keys, in ascending token (name) order for set and counts. `counts` is 0
// when `values` is empty. Counts enter as integers, other values (--values as-is) as the bits of the double. Tokens are
// distinct and below keys.size().
CellHashes hash_ranked(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> tokens,
                       std::span<const double> values, bool are_counts);

// Restricts a ranked cell to a universe, order kept. `counts` may be empty. Where the map merges genes, their counts
// are summed and the cell is ranked again by (count, token); without counts the better rank is kept.
void restrict_cell(std::span<const std::uint32_t> tokens, std::span<const std::uint32_t> counts, const TokenMap& map,
                   CellSet& cell);
// The same for one cell of `ranked`; `with_counts` false leaves the counts out.
void restrict_cell(const RankedCells& ranked, std::int64_t row, bool with_counts, const TokenMap& map, CellSet& cell);

}  // namespace scvet::sketch
