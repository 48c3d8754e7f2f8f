// Which column of var holds ids, and which symbols.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/data/genes.h"

namespace scvet {
namespace {

// In order of preference; compared in lower case.
const char* const kIdColumns[] = {"gene_ids",  "gene_id",         "ensembl_id", "ensembl_ids", "ensembl",
                                  "ensemblid", "ensembl_gene_id", "ensg",       "feature_id",  "id",
                                  "accession", "_index",          "index"};
const char* const kSymbolColumns[] = {"feature_name", "gene_symbols",
                                      "gene_symbol",  "symbol",
                                      "symbols",      "hgnc_symbol",
                                      "hgnc",         "gene_name",
                                      "gene_names",   "gene_short_name",
                                      "gene",         "genes",
                                      "name",         "names",
                                      "features",     "original_gene_symbols",
                                      "_index",       "index"};

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(column.size()));
  for (std::int64_t row = 0; row < column.size(); ++row) values.push_back(column.text(row));
  return values;
}

bool may_hold_names(const Column& column) {
  return column.kind == Column::Kind::kString || column.kind == Column::Kind::kCategorical;
}

double share_distinct(const std::vector<std::string>& values) {
  const std::set<std::string_view> distinct(values.begin(), values.end());
  return values.empty() ? 0 : static_cast<double>(distinct.size()) / static_cast<double>(values.size());
}

// Whether `values` name genes in the wanted way. Symbols must tell most genes apart, or any column of words would do.
bool holds(const std::vector<std::string>& values, GeneKind wanted) {
  if (classify_genes(values) != wanted) return false;
  return wanted == GeneKind::kEnsembl || share_distinct(values) > 0.8;
}

struct Candidate {
  std::string from;
  std::vector<std::string> values;
};

template <typename Names>
Candidate find_column(const Table& var, const Names& names, GeneKind wanted) {
  for (const char* name : names)
    for (const Column& column : var.columns)
      if (lower(column.name) == name && may_hold_names(column)) {
        Candidate found{column.name, texts(column)};
        if (holds(found.values, wanted)) return found;
      }
  return {};
}

Candidate find_any_column(const Table& var, GeneKind wanted) {
  for (const Column& column : var.columns) {
    if (!may_hold_names(column)) continue;
    Candidate found{column.name, texts(column)};
    if (holds(found.values, wanted)) return found;
  }
  return {};
}

// Ids without versions, "" where a name is no id (an antibody among genes).
std::vector<std::string> only_ids(const std::vector<std::string>& names) {
  std::vector<std::string> ids;
  ids.reserve(names.size());
  for (const std::string& name : names) ids.push_back(is_ensembl(name) ? strip_version(name) : "");
  return ids;
}

// Symbols, "" where the maker wrote the id for want of a symbol.
std::vector<std::string> only_symbols(std::vector<std::string> names) {
  for (std::string& name : names)
    if (is_ensembl(name)) name.clear();
  return names;
}

Candidate index_of(const Table& var, const std::string& gene_key, const std::string& file) {
  if (gene_key.empty()) return {"index", var.names};
  if (const Column* column = var.find(gene_key)) return {gene_key, texts(*column)};
  const std::vector<std::string> names = var.column_names();
  std::string message = fmt::format("var column '{}' not found in {} (has: {})", gene_key, file,
                                    names.empty() ? "no columns" : join_some(names, 12));
  if (const auto near = nearest_name(gene_key, names)) message += "; did you mean '" + *near + "'?";
  throw UsageError(message + "; pass --gene-key, or leave it out to use the index",
                   {.file = file, .field = gene_key, .reason = "missing_column"});
}

void note_numbers(GeneNames& names, const Table& var) {
  if (names.index_kind != GeneKind::kNumber) return;
  const std::string& found = !names.symbol_from.empty() ? names.symbol_from : names.ensembl_from;
  names.notes.push_back(
      found.empty()
          ? fmt::format(
                "the genes are only numbered ({}, {}, ...) and no column of var names them; name one with --gene-key",
                var.names.front(), var.names.back())
          : fmt::format(
                "the genes are only numbered ({}, ...), as some converters leave them; their names are taken from "
                "column '{}'",
                var.names.front(), found));
}

}  // namespace

GeneNames read_gene_names(const Table& var, const std::string& gene_key, const std::string& file) {
  const Candidate index = index_of(var, gene_key, file);
  GeneNames result;
  result.index_kind = classify_genes(index.values);
  Candidate ids, symbols;
  if (result.index_kind == GeneKind::kEnsembl) ids = index;
  if (result.index_kind == GeneKind::kSymbol) symbols = index;
  if (ids.from.empty()) ids = find_column(var, kIdColumns, GeneKind::kEnsembl);
  if (ids.from.empty()) ids = find_any_column(var, GeneKind::kEnsembl);
  if (symbols.from.empty()) symbols = find_column(var, kSymbolColumns, GeneKind::kSymbol);
  if (symbols.from.empty() && ids.from.empty()) symbols = find_any_column(var, GeneKind::kSymbol);
  if (!ids.from.empty()) {
    result.ensembl = only_ids(ids.values);
    result.ensembl_from = ids.from;
    const auto lacking = std::count(result.ensembl.begin(), result.ensembl.end(), std::string());
    if (lacking > 0)
      result.notes.push_back(fmt::format("{} of {} features have no Ensembl id", format_count(lacking),
                                         format_count(static_cast<std::int64_t>(result.ensembl.size()))));
  }
  if (!symbols.from.empty()) {
    result.symbol = only_symbols(symbols.values);
    result.symbol_from = symbols.from;
  }
  result.organism = organism_of(result.ensembl.empty() ? result.symbol : result.ensembl);
  if (result.organism.empty() && !result.symbol.empty()) result.organism = organism_of(result.symbol);
  note_numbers(result, var);
  return result;
}

std::vector<std::uint8_t> mark_genes(const Table& var) {
  for (const char* name : {"feature_type", "feature_types"}) {
    const Column* column = var.find(name);
    if (!column || !may_hold_names(*column)) continue;
    std::vector<std::uint8_t> marks;
    for (const std::string& type : texts(*column)) marks.push_back(type == "Gene Expression");
    const auto genes = static_cast<std::size_t>(std::count(marks.begin(), marks.end(), 1));
    if (genes == marks.size()) return {};
    if (genes > 0) return marks;
  }
  return {};
}

}  // namespace scvet
