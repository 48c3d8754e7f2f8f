#include "scvet/jobs/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_set>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/io/mudata.h"
#include "scvet/io/tenx.h"
#include "scvet/io/text_table.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCategoriesShown = 40, kCategoriesCounted = 12, kValuesShown = 3;

template <typename Values>
std::vector<std::string> first_of(const Values& values, std::size_t n) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(n, values.size()))};
}

bool is_nullable(const Column& column) {
  return column.dtype == "boolean" || column.dtype == "string" || column.dtype.starts_with("string[");
}

void add_number(ColumnSummary& summary, double value) {
  summary.sum += value;
  // The first is compared with NaN.
  if (!(value >= summary.min)) summary.min = value;
  if (!(value <= summary.max)) summary.max = value;
}

std::int64_t count_distinct(const Column& column) {
  std::vector<std::int64_t> values;
  for (std::int64_t row = 0; row < column.size(); ++row)
    if (!column.is_missing(row)) values.push_back(column.integers[static_cast<std::size_t>(row)]);
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

void summarise_values_of(const Column& column, ColumnSummary& summary) {
  const std::int64_t rows = column.size();
  if (column.kind == Column::Kind::kString) {
    std::unordered_set<std::string_view> distinct;
    for (std::int64_t row = 0; row < rows; ++row)
      if (!column.is_missing(row)) distinct.insert(column.strings[static_cast<std::size_t>(row)]);
    summary.n_levels = static_cast<std::int64_t>(distinct.size());
  }
  if (column.kind == Column::Kind::kInteger) summary.n_levels = count_distinct(column);
  summary.min = summary.max = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool missing = column.is_missing(row);
    summary.n_missing += missing;
    if (missing) continue;
    const auto at = static_cast<std::size_t>(row);
    if (column.kind == Column::Kind::kReal) add_number(summary, column.reals[at]);
    if (column.kind == Column::Kind::kInteger) add_number(summary, static_cast<double>(column.integers[at]));
  }
  if (column.kind != Column::Kind::kString && column.kind != Column::Kind::kBoolean) return;
  for (std::int64_t row = 0; row < std::min<std::int64_t>(kValuesShown, rows); ++row)
    summary.first.push_back(!column.is_missing(row) ? column.text(row) : is_nullable(column) ? "<NA>" : "nan");
}

ColumnSummary summarise_column(const Column& column) {
  ColumnSummary summary;
  summary.name = column.name;
  summary.dtype = column.dtype;
  summary.kind = column.kind;
  summarise_values_of(column, summary);
  if (column.kind == Column::Kind::kCategorical) {
    summary.n_levels = static_cast<std::int64_t>(column.categories.size());
    summary.categories = first_of(column.categories, kCategoriesShown);
    summary.counts.assign(std::min(kCategoriesCounted, column.categories.size()), 0);
    for (const std::int32_t code : column.codes)
      if (code >= 0 && static_cast<std::size_t>(code) < summary.counts.size())
        ++summary.counts[static_cast<std::size_t>(code)];
  }
  return summary;
}

AxisSummary summarise_axis(const Table& table) {
  AxisSummary axis;
  axis.index_name = table.index_name;
  axis.n = table.rows();
  axis.first = first_of(table.names, 2);
  if (!table.names.empty()) axis.last = {table.names.back()};
  axis.duplicate = find_duplicate(table.names);
  for (const Column& column : table.columns) axis.columns.push_back(summarise_column(column));
  return axis;
}

TokenSummary summarise_tokens(CellSource& source) {
  TokenSummary summary;
  const MatrixInfo info = source.info();
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(info.n_genes), 0);
  CellChunk chunk;
  ProgressScope progress("reading " + info.name, info.n_cells);
  for (std::int64_t first = 0; first < info.n_cells; first += source.chunk_cells()) {
    throw_if_stopped();
    const std::int64_t count = std::min(source.chunk_cells(), info.n_cells - first);
    source.read(first, count, chunk);
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(count); ++cell) {
      const std::int64_t length = chunk.indptr[cell + 1] - chunk.indptr[cell];
      summary.shortest = first == 0 && cell == 0 ? length : std::min(summary.shortest, length);
      summary.longest = std::max(summary.longest, length);
      summary.n_empty += length == 0;
    }
    summary.n_tokens += chunk.indptr.back();
    for (const std::uint32_t token : chunk.genes) seen[token] = 1;
    progress.advance(count);
  }
  for (std::int64_t token = 0; token < info.n_genes; ++token) {
    if (!seen[static_cast<std::size_t>(token)]) continue;
    if (summary.n_distinct++ == 0) summary.least = token;
    summary.greatest = token;
  }
  return summary;
}

MatrixSummary summarise_matrix(CellFile& file, const MatrixInfo& info, std::vector<std::string>& faults) {
  MatrixSummary summary;
  summary.info = info;
  try {
    const auto source = file.open_matrix(info.name);
    summary.info = source->info();
    if (summary.info.indptr_dtype.empty()) summary.info.indptr_dtype = info.indptr_dtype;
    if (summary.info.ranked)
      summary.tokens = summarise_tokens(*source);
    else
      summary.values = summarise_values(*source);
  } catch (const DataError& error) {
    summary.values = {};
    summary.values.why = "it cannot be read";
    summary.fault = error.what();
    faults.push_back(error.what());
  }
  return summary;
}

void describe_features(const CellFile& file, CellsSummary& summary) {
  const Table& var = file.var();
  const Column* names = var.find("feature_name");
  const Column* ids = var.find("gene_ids");
  const std::vector<std::string>& all_names = names ? names->strings : var.names;
  summary.feature_fields = file.feature_fields();
  summary.first_names = first_of(all_names, 2);
  if (names) summary.first_ids = first_of(var.names, 2);
  if (ids) summary.first_ids = first_of(ids->strings, 2);
  summary.n_duplicated_names = find_duplicate(all_names).n_duplicated;
  if (const Column* types = var.find("feature_type"))
    for (std::int64_t row = 0; row < types->size(); ++row) ++summary.feature_types[types->text(row)];
  if (const Column* genomes = var.find("genome")) summary.genomes = genomes->categories;
}

CellsSummary summarise_cells(CellFile& file, const std::string& genome, std::vector<std::string>& faults) {
  CellsSummary summary;
  summary.genome = genome;
  summary.obs = summarise_axis(file.obs());
  summary.var = summarise_axis(file.var());
  for (const MatrixInfo& info : file.matrices()) summary.matrices.push_back(summarise_matrix(file, info, faults));
  summary.genes = read_gene_names(file.var(), "", file.path());
  const bool ranked = !summary.matrices.empty() && summary.matrices.front().info.ranked;
  if (ranked && summary.genes.index_kind == GeneKind::kNumber) summary.genes.notes.clear();  // tokens are no gene names
  summary.obsm = file.obsm();
  summary.varm = file.varm();
  summary.obsp = file.obsp();
  summary.uns_keys = file.uns_keys();
  summary.notes = file.notes();
  if (!file.feature_fields().empty()) describe_features(file, summary);
  return summary;
}

// Fractional numbers in every column that does not name the rows.
bool is_embedding(const Table& table) {
  bool fractional = false;
  for (const Column& column : table.columns) {
    if (column.kind != Column::Kind::kReal && column.kind != Column::Kind::kInteger) return false;
    fractional = fractional || std::any_of(column.reals.begin(), column.reals.end(),
                                           [](double value) { return value != std::nearbyint(value); });
  }
  return fractional;
}

TableSummary summarise_table(const std::string& path) {
  const io::TextTable read = io::read_text_table(path);
  TableSummary summary;
  summary.header = read.header;
  summary.comments = read.comments;
  summary.first_line = read.first_line;
  summary.delimiter = std::string(1, read.delimiter);
  summary.name_from = read.name_from;
  summary.has_header = read.has_header;
  summary.embedding = is_embedding(read.table);
  summary.n_lines = read.n_lines;
  summary.n_columns = static_cast<std::int64_t>(read.header.size());
  summary.numeric_sum = read.numeric_sum;
  summary.numeric_magnitude = read.numeric_magnitude;
  summary.rows = summarise_axis(read.table);
  return summary;
}

// Every modality of a MuData file. One that cannot be read does not hide the others.
void summarise_modalities(const InspectOptions& options, const io::MudataParts& parts, InspectResult& result) {
  result.format = "h5mu";
  result.n_obs = parts.n_obs;
  std::vector<std::string> modalities = parts.modalities;
  if (!options.modality.empty()) modalities = {options.modality};
  for (const std::string& modality : modalities) {
    try {
      const auto file = io::open_cells(options.path, {.modality = modality});
      result.cells.push_back(summarise_cells(*file, "", result.faults));
      result.cells.back().modality = modality;
    } catch (const DataError& error) {
      if (modalities.size() == 1) throw;
      result.faults.push_back(error.what());
    }
  }
}

std::int64_t size_of(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return static_cast<std::int64_t>(fs::file_size(path, error));
  std::int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path, error))
    if (entry.is_regular_file(error)) bytes += static_cast<std::int64_t>(entry.file_size(error));
  return bytes;
}

// A flag that does not apply is never ignored.
void refuse_foreign_flags(const InspectOptions& options, const std::string& format) {
  if (!options.genome.empty() && format != "tenx_h5")
    throw UsageError(fmt::format("--genome chooses a matrix of a 10x HDF5 file; {} is {}", options.path, format),
                     {.file = options.path, .field = "genome", .reason = "foreign_flag"});
  if (!options.modality.empty() && format != "h5mu")
    throw UsageError(fmt::format("--modality chooses a part of an h5mu file; {} is {}", options.path, format),
                     {.file = options.path, .field = "modality", .reason = "foreign_flag"});
  if (!options.dictionary.empty() && format != "hf_dataset" && format != "parquet")
    throw UsageError(fmt::format("--dictionary names the tokens of a Hugging Face data set or of parquet; {} is {}",
                                 options.path, format),
                     {.file = options.path, .field = "dictionary", .reason = "foreign_flag"});
}

}  // namespace

InspectResult inspect(const InspectOptions& options) {
  InspectResult result;
  result.path = options.path;
  result.bytes = size_of(options.path);
  if (io::looks_like_pickle(options.path)) {
    result.format = "pickle";
    refuse_foreign_flags(options, result.format);
    result.pickle = io::read_dictionary_pickle(options.path);
    return result;
  }
  if (io::looks_like_text_table(options.path)) {
    result.format = "table";
    refuse_foreign_flags(options, result.format);
    result.table = summarise_table(options.path);
    return result;
  }
  if (const io::MudataParts parts = io::mudata_parts(options.path); !parts.modalities.empty()) {
    refuse_foreign_flags(options, "h5mu");
    summarise_modalities(options, parts, result);
    return result;
  }
  std::vector<std::string> genomes = {options.genome};
  if (options.genome.empty())
    if (const auto found = io::tenx_matrices(options.path); found.size() > 1) genomes = found;
  for (const std::string& genome : genomes) {
    const auto file = io::open_cells(
        options.path, {.genome = genome, .modality = options.modality, .dictionary = options.dictionary});
    result.format = file->format();
    refuse_foreign_flags(options, result.format);
    const auto matrices = file->matrices();
    // The group of a v2 file is its genome, also where it is the only one.
    const bool named = result.format == "tenx_h5" && !matrices.empty() && matrices.front().name != "matrix";
    result.cells.push_back(summarise_cells(*file, named ? matrices.front().name : "", result.faults));
  }
  return result;
}

}  // namespace scvet::jobs
