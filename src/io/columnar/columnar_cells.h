// Columnar files that hold cells: lists of tokens in rank order, or lists of genes beside lists of counts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "columnar/columnar_set.h"
#include "scvet/data/cells.h"
#include "scvet/io/format.h"

namespace scvet::io {

// Decides by the columns what `files` hold: input_ids is a token list, genes and expressions are counts. DataError
// with the columns that are there for any other table.
std::unique_ptr<CellFile> open_columnar_cells(const char* format, const std::string& path,
                                              std::vector<std::string> files, const OpenOptions& options,
                                              std::vector<std::string> notes);

// What both kinds share: obs of the scalar columns, one matrix.
class ColumnarCells : public CellFile {
 public:
  ColumnarCells(const char* format, std::shared_ptr<ColumnarSet> set, std::vector<std::string> notes);

  const std::string& path() const override { return set_->path(); }
  const char* format() const override { return format_; }
  const Table& obs() const override { return *obs_; }
  const Table& var() const override { return *var_; }
  std::vector<MatrixInfo> matrices() const override { return {info_}; }
  std::unique_ptr<CellSource> open_matrix(const std::string& name) override;
  Embedding read_obsm(const std::string& key) override;
  std::vector<std::string> notes() const override { return notes_; }

 protected:
  virtual std::unique_ptr<CellSource> open_source() = 0;

  const char* format_;
  std::shared_ptr<ColumnarSet> set_;
  std::shared_ptr<Table> obs_ = std::make_shared<Table>();
  std::shared_ptr<const Table> var_;
  MatrixInfo info_;
  std::vector<std::string> notes_;

 private:
  void read_obs();
  void require_room() const;
  bool name_cells(const Column& column);
};

std::unique_ptr<CellFile> open_token_cells(const char* format, std::shared_ptr<ColumnarSet> set,
                                           const OpenOptions& options, std::vector<std::string> notes);
std::unique_ptr<CellFile> open_count_cells(const char* format, std::shared_ptr<ColumnarSet> set,
                                           const OpenOptions& options, std::vector<std::string> notes);

// Tokens that may stand in a list; none of the vocabularies that exist is a tenth as large, and tables are sized by it.
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 20;

// var of tokens without names: 0 .. n-1.
Table numbered_var(std::int64_t n_tokens);

// Entries of cells are (gene, value) in any order; this puts them in ascending order of genes below `n_genes`. One a
// worker: looking up a place a gene is far faster than sorting, and keeps repeats apart.
class GeneOrder {
 public:
  explicit GeneOrder(std::int64_t n_genes)
      : taken_(static_cast<std::size_t>(n_genes / 64 + 1), 0), value_(static_cast<std::size_t>(n_genes)) {}
  // False when the gene is there already.
  bool add(std::uint32_t gene, double value) {
    std::uint64_t& word = taken_[gene / 64];
    const std::uint64_t bit = std::uint64_t{1} << (gene % 64);
    if (word & bit) return false;
    word |= bit;
    value_[gene] = value;
    return true;
  }
  void sum(std::uint32_t gene, double value) {
    if (!add(gene, value)) value_[gene] += value;
  }
  // Writes the entries and forgets them; returns how many.
  std::int64_t take(std::uint32_t* genes, double* values);

 private:
  std::vector<std::uint64_t> taken_;
  std::vector<double> value_;
};

// Reads cells in tasks over all processors: `convert(cell, order, genes, values)` writes the entries of a cell, at most
// as many as `places` has room for, and returns how many.
void fill_chunk(std::int64_t first, const std::vector<std::int64_t>& places, std::vector<GeneOrder>& orders,
                std::int64_t n_genes, CellChunk& chunk,
                const std::function<std::int64_t(std::int64_t, GeneOrder&, std::uint32_t*, double*)>& convert);

// Cells of a chunk near 64 MB, whole pieces of the file where they are smaller.
std::int64_t suitable_chunk(const ColumnarSet& set, std::int64_t rough_stored);

}  // namespace scvet::io
