#include "columnar/gene_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "columnar/columnar_cells.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/data/genes.h"
#include "scvet/io/columnar.h"
#include "scvet/io/dictionary.h"
#include "scvet/io/text_table.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;

std::vector<Column> read_columns(const std::string& path) {
  if (!looks_like_parquet(path) && !looks_like_arrow(path)) return read_text_table(path).table.columns;
  const auto file = open_columnar(path);
  std::vector<Column> columns;
  for (std::size_t at = 0; at < file->fields().size(); ++at) {
    const ColumnarKind kind = file->fields()[at].kind;
    if (kind == ColumnarKind::kInteger || kind == ColumnarKind::kText) columns.push_back(file->read_column(at));
  }
  return columns;
}

bool are_tokens(const Column& column) {
  if (column.kind != Column::Kind::kInteger || column.size() == 0) return false;
  std::vector<std::int64_t> sorted = column.integers;
  std::sort(sorted.begin(), sorted.end());
  return column.missing.empty() && sorted.front() >= 0 && sorted.back() < kMostTokens &&
         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

bool is_text(const Column& column) {
  return column.kind == Column::Kind::kString || column.kind == Column::Kind::kCategorical;
}

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> result;
  for (std::int64_t row = 0; row < column.size(); ++row) result.push_back(column.text(row));
  return result;
}

bool are_ensembl(const Column& column) {
  return is_text(column) && classify_genes(texts(column)) == GeneKind::kEnsembl;
}

// The first column that `fits`, those with `word` in their name before others.
template <typename Fits>
const Column* choose(const std::vector<Column>& columns, const char* word, const Fits& fits) {
  for (const bool named : {true, false})
    for (const Column& column : columns)
      if ((lower(column.name).find(word) != std::string::npos) == named && fits(column)) return &column;
  return nullptr;
}

std::string some_file_in(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && is_gene_metadata_name(entry.path().filename().string()))
      found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found.empty() ? "" : found.front();
}

bool holds_pickles(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (lower(entry.path().extension().string()) == ".pkl") return true;
  return false;
}

}  // namespace

std::string gene_metadata_table(const std::string& dictionary) {
  std::error_code error;
  if (dictionary.empty()) return "";
  if (fs::is_directory(dictionary, error)) {
    if (holds_pickles(dictionary)) return "";
    const std::string inside = some_file_in(dictionary);
    return inside.empty() ? some_file_in(fs::path(dictionary) / "metadata") : inside;
  }
  if (looks_like_parquet(dictionary) || looks_like_arrow(dictionary)) return dictionary;
  return fs::is_regular_file(dictionary, error) && is_gene_metadata_name(base_name(dictionary)) ? dictionary : "";
}

bool is_gene_metadata_name(const std::string& file_name) {
  const std::string name = lower(file_name);
  return name.starts_with("gene_metadata") &&
         (name.ends_with(".parquet") || name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".arrow"));
}

GeneMetadata read_gene_metadata(const std::string& path) {
  const std::vector<Column> columns = read_columns(path);
  const Column* tokens = choose(columns, "token", are_tokens);
  const Column* ensembl = choose(columns, "ensembl", are_ensembl);
  const Column* symbol =
      choose(columns, "symbol", [&](const Column& column) { return is_text(column) && &column != ensembl; });
  if (!tokens || (!ensembl && !symbol)) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(column.name);
    throw DataError(fmt::format("{} is no table of genes: expected a column of distinct tokens (token_id) and one of "
                                "Ensembl ids (ensembl_id) or symbols (gene_symbol), found {}",
                                path, names.empty() ? "none" : join_some(names)),
                    {.file = path, .reason = "bad_gene_metadata"});
  }
  GeneMetadata result;
  result.path = path;
  std::vector<std::size_t> order(tokens->integers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tokens->integers[a] < tokens->integers[b]; });
  std::vector<std::string> ids, symbols;
  for (const std::size_t row : order) {
    result.tokens.push_back(tokens->integers[row]);
    if (ensembl) ids.push_back(ensembl->text(static_cast<std::int64_t>(row)));
    if (symbol) symbols.push_back(symbol->text(static_cast<std::int64_t>(row)));
  }
  result.var.index_name = ensembl ? "ensembl_id" : "gene_symbol";
  result.var.names = ensembl ? std::move(ids) : symbols;
  if (ensembl && symbol) result.var.columns.push_back(string_column("gene_symbol", std::move(symbols)));
  result.var.columns.push_back(integer_column("token", result.tokens));
  return result;
}

std::optional<GeneMetadata> find_gene_metadata(const std::string& path, const std::string& dictionary) {
  if (const std::string named = gene_metadata_table(dictionary); !named.empty()) return read_gene_metadata(named);
  std::error_code error;
  const fs::path folder = fs::is_directory(path, error) ? fs::path(path) : fs::path(path).parent_path();
  for (const char* place : {".", "metadata", "../metadata"})
    if (const std::string found = some_file_in(folder / place); !found.empty())
      return read_gene_metadata(fs::path(found).lexically_normal().string());
  return std::nullopt;
}

}  // namespace scvet::io
