// Gene identity: Ensembl ids (versions stripped), symbols, name tables, and panels (the genes that a source measured).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scvet/data/table.h"

namespace scvet {

enum class GeneKind { kEnsembl, kSymbol, kNumber, kNone };  // kNumber: 0..n-1 left by a converter, Entrez ids
const char* gene_kind_name(GeneKind kind);                  // ensembl, symbol, number, none

// What most of the names are; empty names are passed over, kNone when nothing is left.
GeneKind classify_genes(const std::vector<std::string>& genes);

// "ENSG00000141510.12" -> "ENSG00000141510"; "ENSG00000182378.15_PAR_Y" keeps its "_PAR_Y", as it names another locus;
// other names (also symbols such as "AC012345.1") unchanged.
std::string strip_version(std::string_view gene);
// A gene id of Ensembl: ENSG..., ENSMUSG..., ENSDARG..., FBgn..., WBGene..., also with a version.
bool is_ensembl(std::string_view gene);
// "human", "mouse", ..., "" when unknown. From Ensembl prefixes (the one most ids bear), else, given at least 20
// symbols, from their case (TP53 / Trp53). Upper case says human although some other mammals are written so, too.
std::string organism_of(const std::vector<std::string>& genes);

// Symbol -> Ensembl id of one or more organisms, from tab-separated text: "ensembl_id \t symbol \t organism" a line,
// '#' lines skipped. Symbols that map to several ids are ambiguous and map to nothing.
class NameTable {
 public:
  static NameTable load(const std::string& path);  // plain or gzipped text; DataError names the bad line
  // The table that `./dev setup` made, or nullopt: $SCVET_GENE_TABLE, <program's folder>/share/gene_names.tsv.gz,
  // <program's folder>/../share/scvet/gene_names.tsv.gz. A variable that names a missing file is a UsageError.
  static std::optional<NameTable> find_default();
  std::optional<std::string> ensembl(std::string_view symbol, std::string_view organism) const;
  const std::string& path() const { return path_; }
  const std::string& source() const { return source_; }  // from the '# source:' line
  std::size_t size() const { return by_symbol_.size(); }

 private:
  std::string path_, source_;
  std::map<std::string, std::string, std::less<>> by_symbol_;  // "organism\tsymbol" -> id, "" when ambiguous
};

// What to do when two genes of a file bear one name.
enum class DuplicateGenes { kRefuse, kSum, kSuffix };

// How a file's var names its genes.
struct GeneNames {
  std::vector<std::string> ensembl;  // one a gene, version stripped, "" where unknown; empty vector: none at all
  std::vector<std::string> symbol;   // the same for symbols
  GeneKind index_kind = GeneKind::kNone;
  std::string ensembl_from, symbol_from;  // "index" or the column's name
  std::string organism;                   // "" when unknown
  std::vector<std::string> notes;
};
// Looks at the index, then at columns gene_ids, ensembl_id, feature_id, id, feature_name, gene_symbols, gene_name, name
// and the like, then at any column that holds such names; `gene_key` (may be "") names the column to use instead of
// the index, and a UsageError tells when there is none.
GeneNames read_gene_names(const Table& var, const std::string& gene_key, const std::string& file);

// 1 where a row of var is a gene, 0 for antibodies, guides and other features; empty: all are genes. Judged by column
// feature_type or feature_types, and only where it knows "Gene Expression", as 10x writes it: in other schemas the same
// column holds the gene's biotype.
std::vector<std::uint8_t> mark_genes(const Table& var);

}  // namespace scvet
