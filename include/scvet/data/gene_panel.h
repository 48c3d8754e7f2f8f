// The genes that a source measured, under one name each, and how two such panels meet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/data/genes.h"

namespace scvet {

class Vocabulary;

struct PanelGene {
  std::string ensembl, symbol;  // version stripped; either may be empty, not both
  const std::string& name() const { return ensembl.empty() ? symbol : ensembl; }  // the canonical name
};

// Sorted distinct genes. A token is a position, so ascending tokens are ascending canonical names.
class GenePanel {
 public:
  GenePanel() = default;
  // Sorts; names must be distinct (InternalError otherwise).
  GenePanel(std::vector<PanelGene> genes, std::string organism);
  std::uint32_t size() const { return static_cast<std::uint32_t>(genes_.size()); }
  const PanelGene& gene(std::uint32_t token) const { return genes_[token]; }
  const std::string& organism() const { return organism_; }  // "" when unknown
  std::optional<std::uint32_t> find(std::string_view name) const;
  double share_with_ensembl() const;
  double share_with_symbol() const;
  // One "ensembl \t symbol" line a gene, in token order; and back (DataError naming `where` and the line).
  std::string to_text() const;
  static GenePanel from_text(std::string_view text, std::string organism, const std::string& where);

 private:
  std::vector<PanelGene> genes_;
  std::string organism_;
};

constexpr std::uint32_t kNoToken = 0xFFFFFFFFu;

// A file's columns on its panel.
struct PanelColumns {
  GenePanel panel;
  std::vector<std::uint32_t> token_of_column;  // kNoToken: a column that is no named gene
  std::vector<std::string> summed;             // canonical names that several columns map to
  std::vector<std::string> renamed;            // names given by the policy `suffix`
  std::int64_t n_other_features = 0;           // antibodies, guides, ...: columns that are no genes
  std::int64_t n_unnamed = 0;
};
// `is_gene` (empty: all) marks the columns that are genes. Two columns with one name are refused, summed or renamed as
// `duplicates` says; columns with different names that map to one gene are summed. DataError when there is no usable name.
PanelColumns make_panel(const GeneNames& names, const std::vector<std::string>& var_names,
                        const std::vector<std::uint8_t>& is_gene, DuplicateGenes duplicates, const std::string& file);

// One panel's tokens on a universe.
struct TokenMap {
  std::vector<std::int32_t> to_universe;  // one a panel token, -1 outside
  bool merges = false;                    // several panel tokens share one universe token: their counts are summed
};

struct MatchOptions {
  const NameTable* names = nullptr;                     // symbols to Ensembl ids
  const Vocabulary* vocabulary = nullptr;               // keep only genes of this vocabulary
  std::string name_a = "benchmark", name_b = "corpus";  // for messages
};

struct PanelMatch {
  std::string key;                 // "ensembl", "symbol" or "name_table"
  std::vector<std::string> genes;  // the universe in token order: names on the shared key, ascending
  TokenMap a, b;
  double share_a = 0, share_b = 0;     // share of each side's genes on the universe
  double table_share = 1;              // share of symbols that the name table knew; 1 when none was needed
  std::string table_source;            // the name table used, "" when none
  std::int64_t n_ambiguous = 0;        // genes left out because a symbol stands for several of one side
  std::vector<std::string> ambiguous;  // up to 8 of them
  std::vector<std::string> summed;     // universe genes that several symbols of one side map to (name table only)
};
// On Ensembl ids where both sides have them, else on symbols, else through the name table (under 80 % known: DataError).
// DataError when organisms differ, when only unlike kinds are there, or when no gene is shared.
PanelMatch match_panels(const GenePanel& a, const GenePanel& b, const MatchOptions& options = {});

// Share of `per_gene` (counts of each panel gene, one a token) that lies on the universe; NaN when there are none.
double share_on_universe(const TokenMap& map, std::span<const double> per_gene);

}  // namespace scvet
