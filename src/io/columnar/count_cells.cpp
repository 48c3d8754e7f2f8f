// Count lists: a cell is a list of gene tokens beside a list of their counts (Tahoe-100M). Entry 0 is a marker with a
// negative value there; an entry is left out exactly when its value is negative.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "columnar/columnar_cells.h"
#include "columnar/gene_metadata.h"
#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::uint32_t kNoGene = std::numeric_limits<std::uint32_t>::max();

struct CountData {
  std::shared_ptr<ColumnarSet> set;
  std::vector<std::size_t> columns;  // genes, expressions
  std::shared_ptr<const Table> var;
  MatrixInfo info;
  std::vector<std::uint32_t> gene_of;  // token to column of the matrix; empty: they are the same
  std::string metadata;                // path of the table of genes
  std::int64_t chunk_cells = 1;
  std::int64_t next_row = 0, n_markers = 0;  // rows counted once, in order
};

[[noreturn]] void refuse(const ColumnarSet& set, std::int64_t row, const std::string& what, const char* reason) {
  throw DataError(fmt::format("{}: column 'genes', {}: {}", set.path(), set.place(row), what),
                  {.file = set.path(), .field = "genes", .row = row, .reason = reason});
}

// Rows of both columns, which must have equal lengths.
void read_pairs(ColumnarSet& set, const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                std::vector<ColumnarLists>& lists) {
  set.read_lists(columns, first, count, lists);
  for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row)
    if (lists[0].offsets[row + 1] != lists[1].offsets[row + 1])
      refuse(set, first + static_cast<std::int64_t>(row),
             fmt::format("{} genes stand beside {} expressions", lists[0].offsets[row + 1] - lists[0].offsets[row],
                         lists[1].offsets[row + 1] - lists[1].offsets[row]),
             "lengths_differ");
  if (lists[1].reals.empty()) lists[1].reals.assign(lists[1].integers.begin(), lists[1].integers.end());
}

class CountSource : public CellSource {
 public:
  explicit CountSource(std::shared_ptr<CountData> data) : data_(std::move(data)) {}
  const MatrixInfo& info() const override { return data_->info; }
  const Table& var() const override { return *data_->var; }
  std::int64_t chunk_cells() const override { return data_->chunk_cells; }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    read_pairs(*data_->set, data_->columns, first, count, lists_);
    fill_chunk(first, lists_[0].offsets, orders_, data_->info.n_genes, chunk,
               [&](std::int64_t cell, GeneOrder& order, std::uint32_t* genes, double* values) {
                 return convert(first, cell, order, genes, values);
               });
    if (first > data_->next_row || first + count <= data_->next_row) return;
    const auto from = static_cast<std::size_t>(lists_[0].offsets[static_cast<std::size_t>(data_->next_row - first)]);
    for (std::size_t at = from; at < lists_[1].reals.size(); ++at) data_->n_markers += lists_[1].reals[at] < 0;
    data_->next_row = first + count;
  }

 private:
  std::int64_t convert(std::int64_t first, std::int64_t cell, GeneOrder& order, std::uint32_t* genes,
                       double* values) const {
    const auto at = static_cast<std::size_t>(cell);
    for (auto entry = static_cast<std::size_t>(lists_[0].offsets[at]);
         entry < static_cast<std::size_t>(lists_[0].offsets[at + 1]); ++entry) {
      const double value = lists_[1].reals[entry];
      if (value < 0) continue;
      order.sum(gene_of(lists_[0].integers[entry], first + cell), value);
    }
    return order.take(genes, values);
  }

  std::uint32_t gene_of(std::int64_t token, std::int64_t row) const {
    if (data_->gene_of.empty()) {
      if (token < 0 || token >= data_->info.n_genes)
        refuse(*data_->set, row, fmt::format("token {} changed while the file was read", token), "changed");
      return static_cast<std::uint32_t>(token);
    }
    const bool known = token >= 0 && token < static_cast<std::int64_t>(data_->gene_of.size());
    const std::uint32_t gene = known ? data_->gene_of[static_cast<std::size_t>(token)] : kNoGene;
    if (gene == kNoGene)
      refuse(*data_->set, row,
             fmt::format("token {} is not in {} ({} genes)", token, data_->metadata, format_count(data_->info.n_genes)),
             "unknown_token");
    return gene;
  }

  std::shared_ptr<CountData> data_;
  std::vector<GeneOrder> orders_;
  std::vector<ColumnarLists> lists_;
};

class CountFile : public ColumnarCells {
 public:
  CountFile(const char* format, std::shared_ptr<ColumnarSet> set, const OpenOptions& options,
            std::vector<std::string> notes)
      : ColumnarCells(format, std::move(set), std::move(notes)), data_(std::make_shared<CountData>()) {
    const ColumnarField &genes = *set_->find("genes"), &values = *set_->find("expressions");
    data_->set = set_;
    data_->columns = {set_->index_of("genes"), set_->index_of("expressions")};
    data_->chunk_cells = suitable_chunk(*set_, genes.rough_stored);
    info_.name = "expressions";
    info_.kind = "parquet_counts";
    info_.dtype = values.value_type == "float"    ? "float32"
                  : values.value_type == "double" ? "float64"
                                                  : values.value_type;
    info_.stored = -1;
    name_genes(options);
    data_->info = info_;
    data_->var = var_;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = notes_;
    if (data_->n_markers > 0)
      notes.push_back(fmt::format("{} entries with negative values left out: markers", format_count(data_->n_markers)));
    return notes;
  }

 private:
  std::unique_ptr<CellSource> open_source() override { return std::make_unique<CountSource>(data_); }
  void name_genes(const OpenOptions& options);
  std::int64_t largest_token();
  std::shared_ptr<CountData> data_;
};

void CountFile::name_genes(const OpenOptions& options) {
  const auto metadata = find_gene_metadata(path(), options.dictionary);
  if (!metadata) {
    info_.n_genes = largest_token() + 1;
    var_ = std::make_shared<const Table>(numbered_var(info_.n_genes));
    notes_.push_back(
        "no gene_metadata table beside the file: genes are token numbers; --dictionary names the table's place");
    return;
  }
  data_->metadata = metadata->path;
  data_->gene_of.assign(static_cast<std::size_t>(metadata->tokens.back() + 1), kNoGene);
  for (std::size_t gene = 0; gene < metadata->tokens.size(); ++gene)
    data_->gene_of[static_cast<std::size_t>(metadata->tokens[gene])] = static_cast<std::uint32_t>(gene);
  info_.n_genes = metadata->var.rows();
  notes_.push_back("genes named by " + metadata->path);
  var_ = std::make_shared<const Table>(metadata->var);
}

// By reading the whole file; markers take no part.
std::int64_t CountFile::largest_token() {
  std::int64_t largest = -1;
  std::vector<ColumnarLists> lists;
  ProgressScope progress("reading tokens of " + base_name(path()), set_->n_rows());
  for (std::int64_t first = 0; first < set_->n_rows(); first += data_->chunk_cells) {
    throw_if_stopped();
    const std::int64_t count = std::min(data_->chunk_cells, set_->n_rows() - first);
    read_pairs(*set_, data_->columns, first, count, lists);
    for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row)
      for (auto at = static_cast<std::size_t>(lists[0].offsets[row]);
           at < static_cast<std::size_t>(lists[0].offsets[row + 1]); ++at) {
        if (lists[1].reals[at] < 0) continue;
        const std::int64_t token = lists[0].integers[at];
        if (token < 0 || token >= kMostTokens)
          refuse(*set_, first + static_cast<std::int64_t>(row),
                 fmt::format("{} is no token: expected 0 to {}", token, format_count(kMostTokens - 1)),
                 "token_out_of_range");
        largest = std::max(largest, token);
      }
    progress.advance(count);
  }
  return largest;
}

}  // namespace

std::unique_ptr<CellFile> open_count_cells(const char* format, std::shared_ptr<ColumnarSet> set,
                                           const OpenOptions& options, std::vector<std::string> notes) {
  return std::make_unique<CountFile>(format, std::move(set), options, std::move(notes));
}

}  // namespace scvet::io
