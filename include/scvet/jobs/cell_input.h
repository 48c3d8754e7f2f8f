// A file of cells as the audit and the corpus see it: checked counts on the file's own panel of genes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/data/gene_panel.h"
#include "scvet/data/rank_encoding.h"

namespace scvet::jobs {

struct CellInputOptions {
  std::string gene_key = {};  // var column with the gene names; "": found
  std::string layer = {};     // layer to read counts from; "": raw/X, else X
  std::string genome = {};    // 10x v2 files with several genomes
  std::string modality = {};  // h5mu
  std::string organism = {};  // overrides what the identifiers say
  DuplicateGenes duplicate_genes = DuplicateGenes::kRefuse;
  bool as_is = false;         // --values as-is: where no counts are found, take any values and use which are above 0
  bool primary_only = false;  // keep cells whose is_primary_data is true
  // Of the fingerprint. Where it knows Ensembl ids and the file only symbols, the name table maps them; ids that it
  // collapses are read as the gene they stand for, counts summed.
  std::shared_ptr<const Vocabulary> vocabulary = {};
  std::shared_ptr<const Vocabulary> tokens = {};  // names the tokens of token lists; null: `vocabulary` does
  std::string gene_metadata = {};                 // parquet that names the genes of parquet counts; "": beside the file
  std::shared_ptr<const NameTable> names = {};    // symbols to Ensembl ids; null: the table that set-up made
};
DuplicateGenes parse_duplicate_genes(const std::string& text);  // refuse, sum, suffix; else UsageError
bool parse_values_as_is(const std::string& text);               // counts, as-is; else UsageError

// What was decided and found on the way; complete once every cell was read.
struct CellInputFacts {
  std::string format, matrix, why;        // the matrix that is read, and why that one
  std::string ensembl_from, symbol_from;  // where the gene names came from
  std::vector<std::string> summed_genes, renamed_genes;
  std::int64_t n_other_features = 0, n_unnamed_genes = 0;
  std::int64_t n_file_cells = 0, n_not_primary = 0;
  std::int64_t n_empty = 0;            // cells without any gene
  double table_share = 1;              // share of symbols that the name table knew, 1 where none was needed
  std::string table_source;            // that table, "" where none was needed
  std::vector<std::string> collapsed;  // ids read as the gene that the vocabulary has for them
  std::int64_t longest_list = 0;       // token lists: most genes of a cell, and cells that have as many
  std::int64_t n_longest = 0;
  std::int64_t n_total_differs = 0;        // obs n_counts further than 1e-6 (relative) from the row sum
  std::vector<std::string> notes() const;  // the above as sentences, only what is worth saying
};

class CellInput {
 public:
  // Opens and checks: duplicate cell names, usable gene names, a matrix of counts (judged on its first rows here; every
  // value is checked when it is read). DataError as docs/audit.md says.
  static std::unique_ptr<CellInput> open(const std::string& path, const CellInputOptions& options);
  static std::unique_ptr<CellInput> over(std::unique_ptr<CellFile> file, const CellInputOptions& options);
  virtual ~CellInput() = default;

  virtual const std::string& path() const = 0;
  virtual const Table& obs() const = 0;  // all rows of the file
  virtual const GenePanel& panel() const = 0;
  virtual bool has_counts() const = 0;       // false of token lists, and under as_is where no counts were found
  virtual bool ranked() const = 0;           // a token list: larger values are earlier ranks
  virtual std::int64_t n_cells() const = 0;  // cells that are read: less than obs().rows() with primary_only
  virtual std::int64_t file_row(std::int64_t cell) const = 0;  // row of obs
  virtual std::int64_t chunk_cells() const = 0;                // a good `count` for read()
  // Replaces `batch` with cells [first, first + count). Ascending calls are fast. DataError on a negative, missing or
  // fractional value, with its row and gene.
  virtual void read(std::int64_t first, std::int64_t count, CellBatch& batch) = 0;
  virtual const CellInputFacts& facts() const = 0;
  // Sum of values of each panel gene over the cells read so far, one a token.
  virtual const std::vector<double>& gene_totals() const = 0;
};

// Of a token list that was read: a sentence when its lists look cut at a length below K, as counted cells of the other
// side would then be cut elsewhere; else "". `top_k` 0: nothing is cut.
std::string cut_note(const CellInput& input, std::int64_t top_k);

}  // namespace scvet::jobs
