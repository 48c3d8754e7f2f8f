#include "embed_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/data/values.h"
#include "scvet/io/format.h"

namespace scvet::jobs {
namespace {

// Passes chunks on and gathers what values they hold, so that a file is read once.
class SummedSource : public CellSource {
 public:
  explicit SummedSource(CellSource& source) : source_(source), values_(source.info()) {}
  const MatrixInfo& info() const override { return source_.info(); }
  const Table& var() const override { return source_.var(); }
  std::int64_t chunk_cells() const override { return std::max<std::int64_t>(source_.chunk_cells(), 1); }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    source_.read(first, count, chunk);
    values_.add(chunk);
  }
  ValueSummary finish() { return values_.finish(source_.var().names); }

 private:
  CellSource& source_;
  ValueAccumulator values_;
};

void refuse_duplicates(const std::vector<std::string>& names, const std::string& path, const char* field,
                       const char* what) {
  const Duplicate found = find_duplicate(names);
  if (found.row_a < 0) return;
  throw DataError(
      fmt::format("{}: {} name '{}' stands in rows {} and {} of {} ({} rows repeat a name); make them unique "
                  "('scvet prepare' names genes)",
                  path, what, found.name, found.row_a, found.row_b, field, found.n_duplicated),
      {.file = path, .field = field, .row = found.row_b, .reason = std::string("duplicate_") + what});
}

std::string wanted_matrix(const CellFile& file, const std::string& layer) {
  std::string wanted = layer.empty() ? "X" : "layers/" + layer;
  std::vector<std::string> present;
  for (const MatrixInfo& matrix : file.matrices()) present.push_back(matrix.name);
  if (std::find(present.begin(), present.end(), wanted) != present.end()) return wanted;
  // Formats of one matrix call it as they like.
  if (layer.empty() && present.size() == 1 && std::string(file.format()) != "h5ad") return present.front();
  throw UsageError(fmt::format("{} has no {} ({}); choose one with --layer", file.path(), wanted,
                               present.empty() ? "no matrix at all" : "has: " + join(present, ", ")),
                   {.file = file.path(), .field = wanted, .reason = "no_matrix"});
}

// Fails with the names of layers that hold counts, where there are some by their look.
void require_counts_here(const EmbedInput& input, const ValueSummary& values, const std::vector<std::string>& genes) {
  const std::string& path = input.file->path();
  try {
    require_counts(values, path, input.matrix, input.file->obs().names, genes);
  } catch (const DataError& error) {
    std::vector<std::string> others;
    for (const MatrixInfo& matrix : input.file->matrices())
      if (matrix.name != input.matrix) others.push_back(matrix.name);
    throw DataError(std::string(error.what()) +
                        (others.empty() ? " (this file has no other matrix)"
                                        : " (other matrices here: " + join(others, ", ") + ")") +
                        "; --layer NAME reads a layer, --values as-is takes these values all the same",
                    error.facts());
  }
}

void read_values(EmbedInput& input, const embed::MethodRecord& method, const EmbedOptions& options) {
  input.matrix = wanted_matrix(*input.file, options.layer);
  const std::unique_ptr<CellSource> source = input.file->open_matrix(input.matrix);
  input.genes = source->var().names;
  if (source->info().ranked)
    throw DataError(input.file->path() +
                        " holds lists of tokens in rank order, not counts; embed the file that they "
                        "were made from",
                    {.file = input.file->path(), .field = input.matrix, .reason = "ranked"});
  SummedSource summed(*source);
  input.counts = read_csr(summed);
  const ValueSummary values = summed.finish();
  input.values = value_state_name(values.state);
  const bool counts = values.state == ValueState::kCounts || values.state == ValueState::kEmpty;
  if (counts || std::string(method.values) != "counts") return;
  if (!options.as_is) require_counts_here(input, values, input.genes);
  log_warning(fmt::format("{}: {} holds {} values, not counts ({}); taken as they are (--values as-is)",
                          input.file->path(), input.matrix, input.values, values.why));
}

// What a method that looks at no value gets.
CsrMatrix no_values(std::int64_t n_cells, std::int64_t n_genes) {
  CsrMatrix matrix;
  matrix.n_cells = n_cells;
  matrix.n_genes = n_genes;
  matrix.indptr.assign(static_cast<std::size_t>(n_cells) + 1, 0);
  return matrix;
}

Groups batches_of(const Table& obs, const std::string& path, const embed::MethodRecord& method,
                  const std::string& key) {
  if (const Column* column = obs.find(key)) return make_groups(*column);
  if (std::string(method.category) != "integration") return make_groups(require_column(obs, key, path, "--batch-key"));
  log_warning(fmt::format("{}: no obs column '{}' (has: {}); all cells are taken for one batch", path, key,
                          join_some(obs.column_names(), 12)));
  return make_groups(std::vector<std::string>(static_cast<std::size_t>(obs.rows()), "all"));
}

}  // namespace

EmbedInput open_embed_input(const std::string& path) {
  EmbedInput input;
  input.file = io::open_cells(path);
  if (input.file->obs().rows() == 0)
    throw DataError(path + " has no cell", {.file = path, .field = "obs", .reason = "no_cells"});
  refuse_duplicates(input.file->obs().names, path, "obs", "cell");
  input.genes = input.file->var().names;
  return input;
}

EmbedInput read_embed_input(const std::string& path, const embed::MethodRecord& method, const EmbedOptions& options) {
  EmbedInput input = open_embed_input(path);
  const Table& obs = input.file->obs();
  // Before the values: a wrong column is then told at once, however large the file.
  if (method.needs_labels) input.labels = make_groups(require_column(obs, options.label_key, path, "--label-key"));
  if (method.needs_batches) input.batches = batches_of(obs, path, method, options.batch_key);
  refuse_duplicates(input.genes, path, "var", "gene");
  if (std::string(method.values) == "none")
    input.counts = no_values(obs.rows(), static_cast<std::int64_t>(input.genes.size()));
  else
    read_values(input, method, options);
  return input;
}

}  // namespace scvet::jobs
