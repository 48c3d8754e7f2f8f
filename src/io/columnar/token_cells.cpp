// Token lists: a cell is its genes in rank order, most expressed first.
#include <fmt/format.h>

#include <algorithm>

#include "columnar/columnar_cells.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/io/dictionary.h"

namespace scvet::io {
namespace {

// What reading tells that opening cannot; rows are counted when they are read in order, once each.
struct Tally {
  std::int64_t next_row = 0;
  std::int64_t n_special = 0, n_with_special = 0;
  std::int64_t n_length_differs = 0, first_differing = -1;
};

// What the sources and the file share.
struct TokenData {
  std::shared_ptr<ColumnarSet> set;
  std::size_t column = 0;
  std::shared_ptr<const Table> var;
  MatrixInfo info;
  std::vector<std::uint8_t> special;  // by token: 1 where it stands for no gene; empty without a dictionary
  bool named = false;                 // by a dictionary
  std::int64_t cls = -1, eos = -1;    // tokens of Geneformer V2's frame; -1: the dictionary has none
  std::shared_ptr<const Table> obs;
  const Column* lengths = nullptr;  // column `length` of obs, null where there is none
  std::int64_t chunk_cells = 1;
  Tally tally;
};

class TokenSource : public CellSource {
 public:
  explicit TokenSource(std::shared_ptr<TokenData> data) : data_(std::move(data)) {}
  const MatrixInfo& info() const override { return data_->info; }
  const Table& var() const override { return *data_->var; }
  std::int64_t chunk_cells() const override { return data_->chunk_cells; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override;

 private:
  std::int64_t convert(std::int64_t row, const std::int64_t* tokens, std::int64_t n, GeneOrder& order,
                       std::uint32_t* genes, double* values) const;
  void check_frame(std::int64_t row, const std::int64_t* tokens, std::int64_t n) const;
  [[noreturn]] void refuse(std::int64_t row, const std::string& what, const char* reason) const;
  void account(std::int64_t first, const ColumnarLists& lists, const CellChunk& chunk);

  std::shared_ptr<TokenData> data_;
  std::vector<GeneOrder> orders_;
  std::vector<ColumnarLists> lists_;
};

void TokenSource::refuse(std::int64_t row, const std::string& what, const char* reason) const {
  const std::string& path = data_->set->path();
  throw DataError(fmt::format("{}: column 'input_ids', {}: {}", path, data_->set->place(row), what),
                  {.file = path, .field = "input_ids", .row = row, .reason = reason});
}

// <cls> stands first and <eos> last, or nowhere. Anywhere else they are genes of another model's dictionary, which the
// size of a vocabulary alone does not always tell.
void TokenSource::check_frame(std::int64_t row, const std::int64_t* tokens, std::int64_t n) const {
  const auto is_gene = [&](std::int64_t token) {
    return token < 0 || token >= data_->info.n_genes || !data_->special[static_cast<std::size_t>(token)];
  };
  for (std::int64_t at = 0; at < n; ++at) {
    const bool cls = tokens[at] == data_->cls && at > 0;
    const bool eos = tokens[at] == data_->eos && at + 1 < n && is_gene(tokens[at + 1]);
    if (cls || eos)
      refuse(row,
             fmt::format("token {} stands at place {} of {}, but it is {} of the dictionary, which frames a cell: the "
                         "data set was made with another dictionary",
                         tokens[at], at + 1, n, cls ? "<cls>" : "<eos>"),
             "dictionary_differs");
  }
}

std::int64_t TokenSource::convert(std::int64_t row, const std::int64_t* tokens, std::int64_t n, GeneOrder& order,
                                  std::uint32_t* genes, double* values) const {
  const std::int64_t size = data_->info.n_genes;
  const std::vector<std::uint8_t>& special = data_->special;
  if (data_->cls >= 0 || data_->eos >= 0) check_frame(row, tokens, n);
  std::int64_t left = n;
  if (!special.empty())
    for (std::int64_t at = 0; at < n; ++at)
      left -= tokens[at] >= 0 && tokens[at] < size && special[static_cast<std::size_t>(tokens[at])];
  for (std::int64_t at = 0; at < n; ++at) {
    const std::int64_t token = tokens[at];
    if (token < 0 || token >= size)
      refuse(row,
             fmt::format("token {} is not below the {} of the {} ({} tokens): is this the dictionary that the data set "
                         "was made with?",
                         token, data_->named ? "vocabulary size" : "largest token",
                         data_->named ? "dictionary" : "file", format_count(size)),
             "token_out_of_range");
    if (!special.empty() && special[static_cast<std::size_t>(token)]) continue;
    if (!order.add(static_cast<std::uint32_t>(token), static_cast<double>(left--)))
      refuse(row, fmt::format("token {} stands there twice; a gene has one rank in a cell", token), "repeated_token");
  }
  return order.take(genes, values);
}

void TokenSource::read(std::int64_t first, std::int64_t count, CellChunk& chunk) {
  data_->set->read_lists({data_->column}, first, count, lists_);
  const ColumnarLists& lists = lists_.front();
  fill_chunk(first, lists.offsets, orders_, data_->info.n_genes, chunk,
             [&](std::int64_t cell, GeneOrder& order, std::uint32_t* genes, double* values) {
               const auto at = static_cast<std::size_t>(cell);
               return convert(first + cell, lists.integers.data() + lists.offsets[at],
                              lists.offsets[at + 1] - lists.offsets[at], order, genes, values);
             });
  account(first, lists, chunk);
}

void TokenSource::account(std::int64_t first, const ColumnarLists& lists, const CellChunk& chunk) {
  Tally& tally = data_->tally;
  if (first > tally.next_row) return;
  const std::int64_t end = first + chunk.n_cells;
  for (std::int64_t row = std::max(first, tally.next_row); row < end; ++row) {
    const auto at = static_cast<std::size_t>(row - first);
    const std::int64_t length = lists.offsets[at + 1] - lists.offsets[at];
    const std::int64_t dropped = length - (chunk.indptr[at + 1] - chunk.indptr[at]);
    tally.n_special += dropped;
    tally.n_with_special += dropped > 0;
    if (!data_->lengths || data_->lengths->integers[static_cast<std::size_t>(row)] == length) continue;
    if (tally.n_length_differs++ == 0) {
      tally.first_differing = row;
      log_warning(fmt::format("{}: {}: column 'length' says {}, the list of tokens has {}", data_->set->path(),
                              data_->set->place(row), data_->lengths->integers[static_cast<std::size_t>(row)], length));
    }
  }
  tally.next_row = std::max(tally.next_row, end);
}

// The largest token of the file, by reading all of it.
std::int64_t largest_token(ColumnarSet& set, std::size_t column, std::int64_t step) {
  std::int64_t largest = -1;
  std::vector<ColumnarLists> lists;
  ProgressScope progress("reading tokens of " + base_name(set.path()), set.n_rows());
  for (std::int64_t first = 0; first < set.n_rows(); first += step) {
    throw_if_stopped();
    const std::int64_t count = std::min(step, set.n_rows() - first);
    set.read_lists({column}, first, count, lists);
    const std::vector<std::int64_t>& tokens = lists.front().integers;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at] >= 0 && tokens[at] < kMostTokens) {
        largest = std::max(largest, tokens[at]);
        continue;
      }
      const auto& offsets = lists.front().offsets;
      const std::int64_t row =
          first +
          (std::upper_bound(offsets.begin(), offsets.end(), static_cast<std::int64_t>(at)) - offsets.begin() - 1);
      throw DataError(fmt::format("{}: column 'input_ids', {}: {} is no token: expected 0 to {}", set.path(),
                                  set.place(row), tokens[at], format_count(kMostTokens - 1)),
                      {.file = set.path(), .field = "input_ids", .row = row, .reason = "token_out_of_range"});
    }
    progress.advance(count);
  }
  return largest;
}

class TokenFile : public ColumnarCells {
 public:
  TokenFile(const char* format, std::shared_ptr<ColumnarSet> set, const OpenOptions& options,
            std::vector<std::string> notes)
      : ColumnarCells(format, std::move(set), std::move(notes)), data_(std::make_shared<TokenData>()) {
    const ColumnarField& field = *set_->find("input_ids");
    data_->set = set_;
    data_->column = set_->index_of("input_ids");
    data_->chunk_cells = suitable_chunk(*set_, field.rough_stored);
    info_.name = "input_ids";
    info_.kind = "token_list";
    info_.dtype = field.value_type;
    info_.ranked = true;
    info_.stored = field.rough_stored;
    name_tokens(options);
    data_->obs = obs_;
    if (const Column* lengths = obs_->find("length"); lengths && lengths->kind == Column::Kind::kInteger)
      data_->lengths = lengths;
    data_->info = info_;
    data_->var = var_;
  }
  std::vector<std::string> notes() const override;

 private:
  std::unique_ptr<CellSource> open_source() override { return std::make_unique<TokenSource>(data_); }
  void name_tokens(const OpenOptions& options);
  std::shared_ptr<TokenData> data_;
};

void TokenFile::name_tokens(const OpenOptions& options) {
  const std::shared_ptr<const Vocabulary> vocabulary = token_vocabulary(options);
  if (!vocabulary) {
    info_.n_genes = largest_token(*set_, data_->column, data_->chunk_cells) + 1;
    var_ = std::make_shared<const Table>(numbered_var(info_.n_genes));
    notes_.push_back("no dictionary: tokens are numbers, special tokens are not told apart; --dictionary names them");
    return;
  }
  Table var;
  var.index_name = "gene";
  var.names = vocabulary->token_names();
  info_.n_genes = vocabulary->size();
  data_->named = true;
  data_->special.assign(static_cast<std::size_t>(info_.n_genes), 0);
  for (const SpecialToken& special : vocabulary->special_tokens()) {
    data_->special[static_cast<std::size_t>(special.token)] = 1;
    if (special.name == "<cls>") data_->cls = special.token;
    if (special.name == "<eos>") data_->eos = special.token;
  }
  if (!vocabulary->special_tokens().empty()) info_.stored = -1;
  var_ = std::make_shared<const Table>(std::move(var));
}

std::vector<std::string> TokenFile::notes() const {
  std::vector<std::string> notes = notes_;
  const Tally& tally = data_->tally;
  if (tally.n_special > 0)
    notes.push_back(fmt::format("{} special tokens left out, of {} cells", format_count(tally.n_special),
                                format_count(tally.n_with_special)));
  if (tally.n_length_differs > 0)
    notes.push_back(fmt::format("column 'length' differs from the number of tokens in {} cells, first in {}",
                                format_count(tally.n_length_differs), set_->place(tally.first_differing)));
  return notes;
}

}  // namespace

std::unique_ptr<CellFile> open_token_cells(const char* format, std::shared_ptr<ColumnarSet> set,
                                           const OpenOptions& options, std::vector<std::string> notes) {
  return std::make_unique<TokenFile>(format, std::move(set), options, std::move(notes));
}

}  // namespace scvet::io
