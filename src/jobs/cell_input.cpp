#include "scvet/jobs/cell_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cell_input_genes.h"
#include "cell_input_matrix.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::jobs {

DuplicateGenes parse_duplicate_genes(const std::string& text) {
  if (text.empty() || text == "refuse") return DuplicateGenes::kRefuse;
  if (text == "sum") return DuplicateGenes::kSum;
  if (text == "suffix") return DuplicateGenes::kSuffix;
  throw UsageError("--duplicate-genes '" + text + "': expected refuse, sum or suffix", {.field = "--duplicate-genes"});
}

bool parse_values_as_is(const std::string& text) {
  if (text.empty() || text == "counts") return false;
  if (text == "as-is") return true;
  throw UsageError("--values '" + text + "': expected counts or as-is", {.field = "--values"});
}

std::vector<std::string> CellInputFacts::notes() const {
  std::vector<std::string> all;
  if (!summed_genes.empty())
    all.push_back(fmt::format("{} genes stand in several columns, which were summed: {}", summed_genes.size(),
                              join_some(summed_genes)));
  if (!renamed_genes.empty())
    all.push_back(
        fmt::format("{} repeated gene names were given a suffix: {}", renamed_genes.size(), join_some(renamed_genes)));
  if (n_other_features > 0)
    all.push_back(fmt::format("{} features that are no genes were left out", format_count(n_other_features)));
  if (n_unnamed_genes > 0)
    all.push_back(fmt::format("{} columns without a gene name were left out", format_count(n_unnamed_genes)));
  if (n_not_primary > 0)
    all.push_back(fmt::format("{} of {} cells are not primary data and were left out", format_count(n_not_primary),
                              format_count(n_file_cells)));
  if (n_empty > 0) all.push_back(fmt::format("{} cells have no gene", format_count(n_empty)));
  if (!table_source.empty())
    all.push_back(fmt::format("{} of the symbols were given Ensembl ids by the name table ({})",
                              format_percent(table_share), table_source));
  if (!collapsed.empty())
    all.push_back(fmt::format("{} ids were read as the gene that the dictionary collapses them to: {}",
                              collapsed.size(), join_some(collapsed, 5)));
  if (n_total_differs > 0)
    all.push_back(fmt::format("obs n_counts differs from the sum of counts in {} cells; n_counts is taken as the total",
                              format_count(n_total_differs)));
  return all;
}

namespace {

constexpr double kWhole = 1e-6;  // how far from a whole number a count may lie
constexpr std::int64_t kProbeCells = 1000;
constexpr std::int64_t kCutCells = 3;  // of one length, the longest: chance would not do it

void refuse_duplicate_cells(const CellFile& file) {
  const Duplicate found = find_duplicate(file.obs().names);
  if (found.row_a < 0) return;
  throw DataError(
      fmt::format("{}: cell name '{}' stands in rows {} and {} of obs ({} rows repeat a name); results are given "
                  "by cell name, so make them unique",
                  file.path(), found.name, found.row_a, found.row_b, found.n_duplicated),
      {.file = file.path(), .field = "obs", .row = found.row_b, .reason = "duplicate_cells"});
}

bool is_true(const Column& column, std::int64_t row) {
  if (column.is_missing(row)) return false;
  if (column.kind == Column::Kind::kBoolean || column.kind == Column::Kind::kInteger)
    return column.integers[static_cast<std::size_t>(row)] != 0;
  return lower(column.text(row)) == "true";
}

std::vector<double> numbers(const Column* column) {
  if (!column || (column->kind != Column::Kind::kReal && column->kind != Column::Kind::kInteger)) return {};
  std::vector<double> all;
  for (std::int64_t row = 0; row < column->size(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    all.push_back(column->is_missing(row)               ? std::numeric_limits<double>::quiet_NaN()
                  : column->kind == Column::Kind::kReal ? column->reals[at]
                                                        : static_cast<double>(column->integers[at]));
  }
  return all;
}

class FileInput : public CellInput {
 public:
  FileInput(std::unique_ptr<CellFile> file, const CellInputOptions& options) : file_(std::move(file)) {
    refuse_duplicate_cells(*file_);
    ChosenMatrix chosen = choose_matrix(*file_, options);
    source_ = std::move(chosen.source);
    counts_ = chosen.counts;
    ranked_ = source_->info().ranked;
    facts_.format = file_->format();
    facts_.matrix = chosen.name;
    facts_.why = chosen.why;
    name_genes(options);
    choose_rows(options);
    stated_totals_ = counts_ ? numbers(obs().find("n_counts")) : std::vector<double>{};
    gene_totals_.assign(columns_.panel.size(), 0);
  }

  const std::string& path() const override { return file_->path(); }
  const Table& obs() const override { return file_->obs(); }
  const GenePanel& panel() const override { return columns_.panel; }
  bool has_counts() const override { return counts_; }
  bool ranked() const override { return ranked_; }
  std::int64_t n_cells() const override { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t file_row(std::int64_t cell) const override { return rows_[static_cast<std::size_t>(cell)]; }
  std::int64_t chunk_cells() const override { return std::max<std::int64_t>(1, source_->chunk_cells()); }
  const CellInputFacts& facts() const override { return facts_; }
  const std::vector<double>& gene_totals() const override { return gene_totals_; }
  void read(std::int64_t first, std::int64_t count, CellBatch& batch) override;

 private:
  void name_genes(const CellInputOptions& options);
  void choose_rows(const CellInputOptions& options);
  void gather(std::int64_t first, std::int64_t count);
  std::size_t convert_cell(std::int64_t first, std::int64_t cell, CellBatch& batch) const;
  [[noreturn]] void fail(std::int64_t cell, std::uint32_t column, double value, const char* what) const;
  [[noreturn]] void fail_token(std::int64_t cell, std::uint32_t token) const;
  void account(std::int64_t first, CellBatch& batch);
  void account_size(std::int64_t n_genes);

  std::unique_ptr<CellFile> file_;
  std::unique_ptr<CellSource> source_;
  bool counts_ = true, ranked_ = false;
  PanelColumns columns_;
  std::vector<std::uint8_t> special_;  // of token lists
  std::vector<std::int64_t> rows_;
  std::vector<double> stated_totals_, gene_totals_;
  CellInputFacts facts_;
  std::int64_t n_accounted_ = 0;
  CellChunk window_;  // what was read last of the file
  std::vector<std::int64_t> indptr_;
  std::vector<std::uint32_t> genes_;
  std::vector<double> values_;
};

void FileInput::name_genes(const CellInputOptions& options) {
  if (ranked_) {
    TokenColumns tokens = name_tokens(source_->info().n_genes, options, path(), facts_);
    columns_ = std::move(tokens.columns);
    special_ = std::move(tokens.special);
    CellChunk probe;
    const std::int64_t n = std::min({chunk_cells(), source_->info().n_cells, kProbeCells});
    if (n == 0) return;
    source_->read(0, n, probe);
    check_framing(probe, *token_names(options), path());
    return;
  }
  columns_ = name_columns(source_->var(), options, path(), facts_);
  facts_.summed_genes = columns_.summed;
  facts_.renamed_genes = columns_.renamed;
  facts_.n_other_features = columns_.n_other_features;
  facts_.n_unnamed_genes = columns_.n_unnamed;
}

void FileInput::choose_rows(const CellInputOptions& options) {
  const std::int64_t n_rows = source_->info().n_cells;
  if (obs().rows() != n_rows)
    throw DataError(fmt::format("{}: obs has {} rows, {} has {}", path(), obs().rows(), facts_.matrix, n_rows),
                    {.file = path(), .field = "obs"});
  facts_.n_file_cells = n_rows;
  const Column* primary =
      options.primary_only ? &require_column(obs(), "is_primary_data", path(), "--primary-only") : nullptr;
  for (std::int64_t row = 0; row < n_rows; ++row)
    if (!primary || is_true(*primary, row)) rows_.push_back(row);
  facts_.n_not_primary = n_rows - n_cells();
}

// The file's entries of the cells asked for, end to end.
void FileInput::gather(std::int64_t first, std::int64_t count) {
  indptr_.assign(1, 0);
  genes_.clear();
  values_.clear();
  for (std::int64_t cell = first; cell < first + count; ++cell) {
    const std::int64_t row = file_row(cell);
    if (row < window_.first_cell || row >= window_.first_cell + window_.n_cells)
      source_->read(row, std::min(chunk_cells(), facts_.n_file_cells - row), window_);
    const auto local = static_cast<std::size_t>(row - window_.first_cell);
    const std::int64_t from = window_.indptr[local], to = window_.indptr[local + 1];
    genes_.insert(genes_.end(), window_.genes.begin() + from, window_.genes.begin() + to);
    values_.insert(values_.end(), window_.values.begin() + from, window_.values.begin() + to);
    indptr_.push_back(static_cast<std::int64_t>(genes_.size()));
  }
}

void FileInput::fail(std::int64_t cell, std::uint32_t column, double value, const char* what) const {
  const std::int64_t row = file_row(cell);
  const std::string& gene = source_->var().names[column];
  throw DataError(fmt::format("{} in {}: cell '{}' (row {}), gene '{}': {}, found {}", facts_.matrix, path(),
                              obs().names[static_cast<std::size_t>(row)], row, gene, what, format_number(value)),
                  {.file = path(), .field = facts_.matrix, .row = row, .gene = gene, .reason = "values"});
}

void FileInput::fail_token(std::int64_t cell, std::uint32_t token) const {
  const std::int64_t row = file_row(cell);
  throw DataError(
      fmt::format("{} in {}: cell '{}' (row {}) has token {}, which the dictionary does not know: it is the "
                  "dictionary of another model",
                  facts_.matrix, path(), obs().names[static_cast<std::size_t>(row)], row, token),
      {.file = path(), .field = facts_.matrix, .row = row, .reason = "dictionary_differs"});
}

// Cell `cell` of a batch that starts at `first`: tokens in ascending order, columns of one gene summed, written where its
// entries lie. Returns the genes kept.
std::size_t FileInput::convert_cell(std::int64_t first, std::int64_t cell, CellBatch& batch) const {
  const std::int64_t from = indptr_[static_cast<std::size_t>(cell)], to = indptr_[static_cast<std::size_t>(cell) + 1];
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  struct Entry {
    std::uint32_t token;
    double value;
  };
  thread_local std::vector<Entry> entries;
  entries.clear();
  bool sorted = true;
  for (std::int64_t at = from; at < to; ++at) {
    const std::uint32_t column = genes_[static_cast<std::size_t>(at)];
    double value = values_[static_cast<std::size_t>(at)];
    if (!std::isfinite(value)) fail(first + cell, column, value, "a finite value is needed");
    if (counts_) {
      const double whole = std::round(value);
      if (value < 0 || std::abs(value - whole) > kWhole) fail(first + cell, column, value, "a count is needed");
      if (whole > kMost) fail(first + cell, column, value, "counts up to 4,294,967,295 can be read");
      value = whole;
    }
    const std::uint32_t token = columns_.token_of_column[column];
    if (token == kNoToken && ranked_ && !special_[column]) fail_token(first + cell, column);
    if (token == kNoToken || !(value > 0)) continue;
    sorted = sorted && (entries.empty() || entries.back().token < token);
    entries.push_back({token, value});
  }
  if (!sorted)
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.token < b.token; });
  auto out = static_cast<std::size_t>(from);
  double total = 0;
  for (const Entry& entry : entries) {
    total += entry.value;
    if (out > static_cast<std::size_t>(from) && batch.tokens[out - 1] == entry.token) {
      batch.values[out - 1] = ranked_ ? std::max(batch.values[out - 1], entry.value)  // two ranks: the better one
                                      : batch.values[out - 1] + entry.value;
      continue;
    }
    batch.tokens[out] = entry.token;
    batch.values[out++] = entry.value;
  }
  batch.totals[static_cast<std::size_t>(cell)] = total;
  return out - static_cast<std::size_t>(from);
}

void FileInput::read(std::int64_t first, std::int64_t count, CellBatch& batch) {
  constexpr std::int64_t kTaskCells = 128;
  gather(first, count);
  batch.tokens.resize(genes_.size());
  batch.values.resize(values_.size());
  batch.totals.assign(static_cast<std::size_t>(count), 0);
  std::vector<std::size_t> kept(static_cast<std::size_t>(count));
  try {
    parallel_for((count + kTaskCells - 1) / kTaskCells, [&](std::int64_t task, int) {
      for (std::int64_t cell = task * kTaskCells; cell < std::min(count, (task + 1) * kTaskCells); ++cell) {
        kept[static_cast<std::size_t>(cell)] = convert_cell(first, cell, batch);
      }
    });
  } catch (const DataError&) {
    // One bad value was met; the whole matrix is summed up for the message.
    if (counts_) explain_values(*file_, facts_.matrix);
    throw;
  }
  batch.indptr.assign(1, 0);
  std::size_t end = 0;
  for (std::int64_t cell = 0; cell < count; ++cell) {
    const auto from = static_cast<std::size_t>(indptr_[static_cast<std::size_t>(cell)]);
    const std::size_t n = kept[static_cast<std::size_t>(cell)];
    if (from != end) {
      std::copy_n(batch.tokens.begin() + static_cast<std::ptrdiff_t>(from), n,
                  batch.tokens.begin() + static_cast<std::ptrdiff_t>(end));
      std::copy_n(batch.values.begin() + static_cast<std::ptrdiff_t>(from), n,
                  batch.values.begin() + static_cast<std::ptrdiff_t>(end));
    }
    end += n;
    batch.indptr.push_back(static_cast<std::int64_t>(end));
  }
  batch.tokens.resize(end);
  batch.values.resize(end);
  account(first, batch);
}

void FileInput::account_size(std::int64_t n_genes) {
  facts_.n_empty += n_genes == 0;
  if (!ranked_ || n_genes < facts_.longest_list) return;
  facts_.n_longest = n_genes == facts_.longest_list ? facts_.n_longest + 1 : 1;
  facts_.longest_list = n_genes;
}

// Stated totals, and the sums that are reported; cells read again are not counted again.
void FileInput::account(std::int64_t first, CellBatch& batch) {
  const std::int64_t count = batch.n_cells();
  const bool fresh = first == n_accounted_;
  if (fresh) n_accounted_ += count;
  for (std::int64_t cell = 0; cell < count; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    if (fresh) account_size(batch.indptr[at + 1] - batch.indptr[at]);
    if (stated_totals_.empty()) continue;
    const double stated = stated_totals_[static_cast<std::size_t>(file_row(first + cell))], sum = batch.totals[at];
    if (!(stated > 0)) continue;
    if (fresh && std::abs(stated - sum) > 1e-6 * std::max(stated, sum)) ++facts_.n_total_differs;
    batch.totals[at] = stated;
  }
  if (!fresh) return;
  for (std::size_t at = 0; at < batch.tokens.size(); ++at) gene_totals_[batch.tokens[at]] += batch.values[at];
}

}  // namespace

std::string cut_note(const CellInput& input, std::int64_t top_k) {
  const CellInputFacts& facts = input.facts();
  if (!input.ranked() || top_k == 0 || facts.longest_list >= top_k || facts.n_longest < kCutCells) return "";
  return fmt::format(
      "{}: {} cells list {} genes and none lists more, so these lists look cut there; a corpus built with --top-k {} cuts "
      "counted cells alike (now {})",
      input.path(), format_count(facts.n_longest), format_count(facts.longest_list), facts.longest_list, top_k);
}

std::unique_ptr<CellInput> CellInput::open(const std::string& path, const CellInputOptions& options) {
  const std::shared_ptr<const Vocabulary>& tokens = options.tokens ? options.tokens : options.vocabulary;
  return over(io::open_cells(path, {.genome = options.genome,
                                    .modality = options.modality,
                                    .dictionary = options.gene_metadata,
                                    .vocabulary = tokens}),
              options);
}

std::unique_ptr<CellInput> CellInput::over(std::unique_ptr<CellFile> file, const CellInputOptions& options) {
  return std::make_unique<FileInput>(std::move(file), options);
}

}  // namespace scvet::jobs
