#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inspect_dictionary.h"
#include "scvet/base/text.h"
#include "scvet/jobs/inspect.h"

namespace scvet::jobs {
namespace {

constexpr std::size_t kColumnsShown = 16, kLevelsShown = 4, kListShown = 10;

std::string size_text(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (size < 1e6) return fmt::format("{:.1f} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.1f} MB", size / 1e6) : fmt::format("{:.2f} GB", size / 1e9);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  for (const std::int64_t size : shape) parts.push_back(format_count(size));
  return join(parts, " x ");
}

void add(std::string& text, std::string_view label, const std::string& content) {
  text += fmt::format("{:<8} {}\n", label, content);
}

std::string names_text(const AxisSummary& axis, const char* what) {
  if (axis.n == 0) return fmt::format("none");
  std::string text = fmt::format("{} ({}{})", format_count(axis.n), join(axis.first, ", "), axis.n > 2 ? ", ..." : "");
  const Duplicate& duplicate = axis.duplicate;
  if (duplicate.row_a < 0) return text + ", names unique";
  return text +
         fmt::format(", NAMES NOT UNIQUE: {} rows repeat a name, the first is '{}' ({}s {} and {}, counted from 0)",
                     format_count(duplicate.n_duplicated), duplicate.name, what, duplicate.row_a, duplicate.row_b);
}

std::string column_text(const ColumnSummary& column, std::int64_t rows) {
  std::string text;
  switch (column.kind) {
    case Column::Kind::kCategorical: {
      std::vector<std::string> levels;
      for (std::size_t at = 0; at < std::min(kLevelsShown, column.counts.size()); ++at)
        levels.push_back(fmt::format("{} ({})", column.categories[at], format_count(column.counts[at])));
      text = fmt::format("{} levels: {}{}", format_count(column.n_levels), join(levels, ", "),
                         column.n_levels > static_cast<std::int64_t>(levels.size()) ? ", ..." : "");
      break;
    }
    case Column::Kind::kString:
      text = fmt::format("{} distinct: {}", format_count(column.n_levels), join(column.first, ", "));
      break;
    case Column::Kind::kBoolean:
      text = join(column.first, ", ") + (rows > 3 ? ", ..." : "");
      break;
    default:
      text = rows > column.n_missing
                 ? fmt::format("mean {:.4g}", column.sum / static_cast<double>(rows - column.n_missing))
                 : "no values";
  }
  if (column.n_missing > 0) text += fmt::format("; {} missing", format_count(column.n_missing));
  return text;
}

void add_columns(std::string& text, const AxisSummary& axis) {
  std::size_t width = 0;
  const std::size_t shown = std::min(kColumnsShown, axis.columns.size());
  for (std::size_t at = 0; at < shown; ++at)
    width = std::max(width, std::min<std::size_t>(axis.columns[at].name.size(), 32));
  for (std::size_t at = 0; at < shown; ++at) {
    const ColumnSummary& column = axis.columns[at];
    text += fmt::format("         {:<{}}  {:<8}  {}\n", column.name, width, column.dtype, column_text(column, axis.n));
  }
  if (axis.columns.size() > shown)
    text += fmt::format("         ... and {} more columns (--json has all)\n", axis.columns.size() - shown);
}

std::string tokens_text(const TokenSummary& tokens, std::int64_t n_cells) {
  if (tokens.n_tokens == 0) return "token lists without a token";
  std::string text =
      fmt::format("tokens in rank order: {} in all, {:.1f} a cell ({} to {}); {} distinct, from {} to {}",
                  format_count(tokens.n_tokens), static_cast<double>(tokens.n_tokens) / static_cast<double>(n_cells),
                  format_count(tokens.shortest), format_count(tokens.longest), format_count(tokens.n_distinct),
                  tokens.least, tokens.greatest);
  if (tokens.n_empty > 0) text += fmt::format("; {} cells are empty", format_count(tokens.n_empty));
  return text;
}

void add_matrix(std::string& text, const std::string& name, const MatrixSummary& matrix) {
  const MatrixInfo& info = matrix.info;
  const ValueSummary& values = matrix.values;
  const double size = static_cast<double>(info.n_cells) * static_cast<double>(info.n_genes);
  const std::string filled = size > 0 && matrix.fault.empty() && !matrix.tokens
                                 ? ", " + format_percent(static_cast<double>(values.n_nonzero) / size) + " non-zero"
                                 : "";
  add(text, name,
      fmt::format("{} x {}, {} {}{}", format_count(info.n_cells), format_count(info.n_genes), info.kind, info.dtype,
                  filled));
  if (!matrix.fault.empty()) {
    add(text, "", "CANNOT BE READ: " + matrix.fault);
    return;
  }
  if (matrix.tokens) return add(text, "", tokens_text(*matrix.tokens, info.n_cells));
  add(text, "", fmt::format("{}: {}", value_state_name(values.state), values.why));
  if (values.n_zero_rows > 0 && values.n_nonzero > 0)
    add(text, "", fmt::format("{} cells have no value but zero", format_count(values.n_zero_rows)));
}

std::string genes_text(const GeneNames& genes) {
  std::vector<std::string> parts;
  const auto from = [](const std::string& name) {
    return name == "index" ? std::string("the index") : "column '" + name + "'";
  };
  if (!genes.ensembl_from.empty()) parts.push_back("Ensembl ids in " + from(genes.ensembl_from));
  if (!genes.symbol_from.empty()) parts.push_back("symbols in " + from(genes.symbol_from));
  if (parts.empty()) parts.push_back(std::string("no usable names (index: ") + gene_kind_name(genes.index_kind) + ")");
  return join(parts, ", ") + "; organism " + (genes.organism.empty() ? "unknown" : genes.organism);
}

std::string shapes_text(const std::vector<NamedShape>& shapes) {
  std::vector<std::string> parts;
  for (const NamedShape& shape : shapes) parts.push_back(fmt::format("{} ({})", shape.name, shape_text(shape.shape)));
  return join_some(parts, kListShown);
}

void add_cells(std::string& text, const CellsSummary& cells) {
  if (!cells.genome.empty()) add(text, "genome", cells.genome);
  if (!cells.modality.empty()) add(text, "modality", cells.modality);
  for (const MatrixSummary& matrix : cells.matrices)
    add_matrix(text, cells.genome.empty() ? matrix.info.name : "matrix", matrix);
  if (cells.matrices.empty()) add(text, "X", "none: the file has no matrix of values");
  add(text, "cells", names_text(cells.obs, "cell"));
  add_columns(text, cells.obs);
  add(text, "genes", names_text(cells.var, "gene"));
  if (cells.var.n > 0) add(text, "", genes_text(cells.genes));
  for (const std::string& note : cells.genes.notes) add(text, "", note);
  std::vector<std::string> columns;
  for (const ColumnSummary& column : cells.var.columns) columns.push_back(column.name);
  if (!columns.empty()) add(text, "", "columns: " + join_some(columns, kListShown));
  if (!cells.obsm.empty()) add(text, "obsm", shapes_text(cells.obsm) + "; embeddings, not expression");
  if (!cells.varm.empty()) add(text, "varm", shapes_text(cells.varm));
  if (!cells.obsp.empty()) add(text, "obsp", join_some(cells.obsp, kListShown));
  if (!cells.uns_keys.empty()) add(text, "uns", join_some(cells.uns_keys, kListShown));
  for (const std::string& note : cells.notes) add(text, "note", note);
}

void add_table(std::string& text, const TableSummary& table) {
  add(text, "table",
      fmt::format("{} rows x {} columns, {}{}", format_count(table.rows.n), format_count(table.n_columns),
                  table.delimiter == "\t" ? "tab" : "'" + table.delimiter + "'",
                  table.has_header ? " between fields, header in the first line" : " between fields, no header"));
  if (table.embedding) add(text, "", "an embedding: numbers in every column");
  add(text, "rows", names_text(table.rows, "row"));
  add(text, "", table.name_from.empty() ? "no column names the rows" : "named by column '" + table.name_from + "'");
  add_columns(text, table.rows);
  for (const std::string& comment : table.comments) add(text, "comment", comment);
}

}  // namespace

std::string inspect_text(const InspectResult& result) {
  std::string text;
  add(text, "file", fmt::format("{} ({}, {})", result.path, result.format, size_text(result.bytes)));
  if (result.table) add_table(text, *result.table);
  if (result.pickle) text += dictionary_text(*result.pickle);
  for (std::size_t at = 0; at < result.cells.size(); ++at) {
    if (at > 0) text += "\n";
    add_cells(text, result.cells[at]);
  }
  return text;
}

}  // namespace scvet::jobs
