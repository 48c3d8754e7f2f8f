// Cells as ranked genes: v = count / total * 1e4 / median, v descending, ties ascending, cut at K.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/data/gene_panel.h"
#include "scvet/data/vocabulary.h"

namespace scvet {

// Cells on a panel: tokens ascending within a cell, values above 0 only. `totals` is over all genes of the file.
struct CellBatch {
  std::vector<std::int64_t> indptr{0};
  std::vector<std::uint32_t> tokens;
  std::vector<double> values;
  std::vector<double> totals;
  std::int64_t n_cells() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
  void clear();
};

struct RankPolicy {
  // One a panel token; NaN: outside the vocabulary, left out. Empty: rank by value alone, nothing is left out.
  std::vector<double> medians;
  // Ties go to the lower entry, one a panel token. Empty: to the lower panel token, which is the gene name's order.
  std::vector<std::int64_t> tie_order;
  std::int64_t top_k = 0;  // genes kept a cell; 0: all
  bool ranked = false;  // values are ranks already (MatrixInfo::ranked): their order stays, medians only say what is in
};
// No vocabulary: rank by value, no cut. With one: its medians, ties by its tokens, cut at top_k.
RankPolicy rank_policy(const GenePanel& panel, const Vocabulary* vocabulary, std::int64_t top_k, bool ranked = false);

// Ranked cells, panel tokens in rank order with their values beside them.
struct RankedCells {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> tokens;
  std::vector<double> values;
  std::int64_t n_cells() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<const std::uint32_t> cell_tokens(std::int64_t cell) const;
  std::span<const double> cell_values(std::int64_t cell) const;
  void clear();
};

struct RankLosses {
  std::int64_t n_entries = 0;    // values above 0
  std::int64_t n_outside = 0;    // of these outside the vocabulary
  std::int64_t n_cut_cells = 0;  // cells that K cut
};

// Replaces `ranked`; in parallel, the same result for any thread count. Adds to `losses`.
void rank_cells(const CellBatch& batch, const RankPolicy& policy, RankedCells& ranked, RankLosses& losses);

}  // namespace scvet
