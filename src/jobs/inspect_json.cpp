#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "inspect_dictionary.h"
#include "scvet/base/text.h"
#include "scvet/jobs/inspect.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

constexpr std::size_t kTableColumns = 5;

// JSON has no NaN and no infinity: null stands for the first, text for the other.
json number(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json shapes_json(const std::vector<NamedShape>& shapes) {
  json object = json::object();
  for (const NamedShape& shape : shapes) object[shape.name] = shape.shape;
  return object;
}

json column_json(const ColumnSummary& column) {
  json object = {{"dtype", column.dtype}, {"n_missing", column.n_missing}};
  switch (column.kind) {
    case Column::Kind::kCategorical:
      object["categories"] = column.categories;
      object["n_categories"] = column.n_levels;
      object["counts_of_first"] = json::object();
      for (std::size_t at = 0; at < column.counts.size(); ++at)
        object["counts_of_first"][column.categories[at]] = column.counts[at];
      break;
    case Column::Kind::kReal:
    case Column::Kind::kInteger:
      object["sum"] = number(column.sum);
      object["min"] = number(column.min);
      object["max"] = number(column.max);
      if (column.kind == Column::Kind::kInteger) object["n_distinct"] = column.n_levels;
      break;
    case Column::Kind::kString:
      object["n_distinct"] = column.n_levels;
      object["first"] = column.first;
      break;
    case Column::Kind::kBoolean:
      object["first"] = column.first;
      break;
  }
  return object;
}

json columns_json(const AxisSummary& axis) {
  json object = json::object();
  for (const ColumnSummary& column : axis.columns) object[column.name] = column_json(column);
  return object;
}

json duplicate_json(const AxisSummary& axis) {
  if (axis.duplicate.row_a < 0) return nullptr;
  return {{"name", axis.duplicate.name},
          {"rows", {axis.duplicate.row_a, axis.duplicate.row_b}},
          {"n_duplicated", axis.duplicate.n_duplicated}};
}

json state_json(const MatrixSummary& matrix) {
  const ValueSummary& values = matrix.values;
  json object = {{"state", value_state_name(values.state)},
                 {"why", values.why},
                 {"n_negative", values.n_negative},
                 {"n_fractional", values.n_fractional},
                 {"n_infinite", values.n_infinite}};
  json examples = json::array();
  for (const auto& example : values.examples)
    examples.push_back({{"cell", example.cell}, {"gene", example.gene}, {"value", number(example.value)}});
  object["examples"] = std::move(examples);
  if (!matrix.fault.empty()) object = {{"fault", matrix.fault}};
  return object;
}

json matrix_json(const MatrixSummary& matrix) {
  const ValueSummary& values = matrix.values;
  json object = state_json(matrix);
  object["kind"] = matrix.info.kind;
  object["dtype"] = matrix.info.dtype;
  object["shape"] = {matrix.info.n_cells, matrix.info.n_genes};
  if (!matrix.fault.empty()) return object;
  object["all_integer"] = values.n_fractional + values.n_nan + values.n_infinite == 0;
  object["stored"] = values.stored;
  object["nnz"] = values.n_nonzero;
  object["n_nan"] = values.n_nan;
  object["sum"] = number(values.sum);
  object["min_stored"] = number(values.min_stored);
  object["max"] = number(values.max);
  object["n_zero_rows"] = values.n_zero_rows;
  return object;
}

json genes_json(const GeneNames& genes) {
  return {{"index", gene_kind_name(genes.index_kind)},
          {"ensembl_from", genes.ensembl_from},
          {"symbol_from", genes.symbol_from},
          {"organism", genes.organism},
          {"notes", genes.notes}};
}

void add_axis(json& object, const std::string& name, const AxisSummary& axis) {
  object["n_" + name + (name == "var" ? "s" : "")] = axis.n;
  object[name] = columns_json(axis);
  object[name + "_columns"] = axis.columns.size();
  object[name + "_names_first"] = axis.first;
  object[name + "_names_last"] = axis.last;
  object[name + "_names_unique"] = axis.duplicate.row_a < 0;
  object[name + "_names_duplicate"] = duplicate_json(axis);
}

json row_sums(const MatrixSummary& matrix) {
  json sums = json::array();
  for (std::size_t cell = 0; cell < std::min<std::size_t>(3, matrix.values.row_sums.size()); ++cell)
    sums.push_back(number(matrix.values.row_sums[cell]));
  return sums;
}

json anndata_json(const CellsSummary& cells) {
  json object = {{"X", nullptr}, {"raw", nullptr}, {"layers", json::object()}};
  add_axis(object, "obs", cells.obs);
  add_axis(object, "var", cells.var);
  for (const MatrixSummary& matrix : cells.matrices) {
    if (matrix.info.name == "X") {
      object["X"] = matrix_json(matrix);
      object["row_sums_first"] = row_sums(matrix);
      if (matrix.info.kind != "ndarray" && matrix.fault.empty()) object["n_zero_rows"] = matrix.values.n_zero_rows;
    } else if (matrix.info.name == "raw/X") {
      object["raw"] = {{"X", matrix_json(matrix)}, {"shape", {matrix.info.n_cells, matrix.info.n_genes}}};
    } else {
      const std::size_t slash = matrix.info.name.find('/');
      object["layers"][slash == std::string::npos ? matrix.info.name : matrix.info.name.substr(slash + 1)] =
          matrix_json(matrix);
    }
  }
  object["obsm"] = shapes_json(cells.obsm);
  object["varm"] = shapes_json(cells.varm);
  object["obsp"] = cells.obsp;
  object["uns_keys"] = cells.uns_keys;
  object["genes"] = genes_json(cells.genes);
  object["notes"] = cells.notes;
  return object;
}

json tokens_json(const MatrixSummary& matrix) {
  json object = {{"column", matrix.info.name}, {"dtype", matrix.info.dtype}};
  if (!matrix.tokens) {
    object["fault"] = matrix.fault;
    return object;
  }
  const TokenSummary& tokens = *matrix.tokens;
  const bool any = tokens.n_tokens > 0;
  object["n"] = tokens.n_tokens;
  object["n_distinct"] = tokens.n_distinct;
  object["vocabulary_size"] = matrix.info.n_genes;
  object["least"] = any ? json(tokens.least) : json();
  object["greatest"] = any ? json(tokens.greatest) : json();
  object["mean_length"] =
      any ? json(static_cast<double>(tokens.n_tokens) / static_cast<double>(matrix.info.n_cells)) : json();
  object["shortest"] = tokens.shortest;
  object["longest"] = tokens.longest;
  object["n_empty"] = tokens.n_empty;
  return object;
}

// Token lists and count lists: one matrix.
json columnar_json(const CellsSummary& cells) {
  json object = {{"genes", genes_json(cells.genes)}, {"notes", cells.notes}};
  add_axis(object, "obs", cells.obs);
  add_axis(object, "var", cells.var);
  const MatrixSummary& matrix = cells.matrices.front();
  if (matrix.info.ranked) {
    object["tokens"] = tokens_json(matrix);
  } else {
    object["matrix"] = matrix_json(matrix);
    object["matrix"]["name"] = matrix.info.name;
    object["row_sums_first"] = row_sums(matrix);
  }
  return object;
}

// One modality among others: its columns are listed.
json modality_json(const CellsSummary& cells) {
  json object = anndata_json(cells);
  for (const auto& [key, axis] : {std::pair{"obs_columns", &cells.obs}, {"var_columns", &cells.var}}) {
    object[key] = json::array();
    for (const ColumnSummary& column : axis->columns) object[key].push_back(column.name);
  }
  return object;
}

// Names of the attributes of an axis, whatever became of them: index, columns, arrays.
json attributes_json(const AxisSummary& axis, const std::vector<NamedShape>& arrays) {
  std::vector<std::string> names;
  if (!axis.index_name.empty()) names.push_back(axis.index_name);
  for (const ColumnSummary& column : axis.columns) names.push_back(column.name);
  for (const NamedShape& array : arrays) names.push_back(array.name);
  std::sort(names.begin(), names.end());
  return names;
}

json loom_json(const CellsSummary& cells) {
  json object = anndata_json(cells);
  json matrix = object["X"];
  matrix.update({{"cells", cells.obs.n},
                 {"genes", cells.var.n},
                 {"layers", json::array()},
                 {"layer_values", object["layers"]},
                 {"row_attrs", attributes_json(cells.var, cells.varm)},
                 {"col_attrs", attributes_json(cells.obs, cells.obsm)},
                 {"global_attrs", cells.uns_keys},
                 {"col_graphs", cells.obsp},
                 {"gene_names", object["genes"]}});
  for (const auto& [layer, values] : object["layers"].items()) matrix["layers"].push_back(layer);
  for (const char* key : {"X", "raw", "layers", "genes", "uns_keys", "obsp"}) object.erase(key);
  object.update(matrix);
  return object;
}

json tenx_json(const CellsSummary& cells) {
  json object = {{"cells", cells.obs.n},
                 {"genes", cells.var.n},
                 {"feature_fields", cells.feature_fields},
                 {"first_barcodes", cells.obs.first},
                 {"first_names", cells.first_names},
                 {"n_duplicated_names", cells.n_duplicated_names},
                 {"barcodes_unique", cells.obs.duplicate.row_a < 0},
                 {"barcodes_duplicate", duplicate_json(cells.obs)},
                 {"gene_names", genes_json(cells.genes)},
                 {"notes", cells.notes}};
  if (!cells.first_ids.empty()) object["first_ids"] = cells.first_ids;
  if (!cells.feature_types.empty()) object["feature_types"] = cells.feature_types;
  if (!cells.genomes.empty()) object["genomes"] = cells.genomes;
  const MatrixSummary& matrix = cells.matrices.front();
  object["values"] = state_json(matrix);
  object["data_dtype"] = matrix.info.dtype;
  if (!matrix.info.indptr_dtype.empty()) object["indptr_dtype"] = matrix.info.indptr_dtype;
  if (!matrix.fault.empty()) return object;
  object["nnz"] = matrix.values.n_nonzero;
  object["stored"] = matrix.values.stored;
  object["sum"] = number(matrix.values.sum);
  object["max"] = number(matrix.values.max);
  object["n_zero_rows"] = matrix.values.n_zero_rows;
  object["row_sums_first"] = row_sums(matrix);
  return object;
}

json table_json(const TableSummary& table) {
  json object = {{"columns", json::array()},
                 {"all_columns", table.header},
                 {"shape", {table.rows.n, table.n_columns}},
                 {"lines", table.n_lines},
                 {"first", table.first_line},
                 {"numeric_sum", number(table.numeric_sum)},
                 {"numeric_magnitude", number(table.numeric_magnitude)},
                 {"delimiter", table.delimiter},
                 {"header", table.has_header},
                 {"names_from", table.name_from},
                 {"names_first", table.rows.first},
                 {"names_unique", table.rows.duplicate.row_a < 0},
                 {"names_duplicate", duplicate_json(table.rows)},
                 {"comments", table.comments},
                 {"embedding", table.embedding},
                 {"obs", columns_json(table.rows)}};
  for (std::size_t at = 0; at < std::min(kTableColumns, table.header.size()); ++at)
    object["columns"].push_back(table.header[at]);
  return object;
}

}  // namespace

std::string inspect_json(const InspectResult& result) {
  json object = json::object();
  if (result.table) object = table_json(*result.table);
  if (result.pickle) object = dictionary_json(*result.pickle);
  for (const CellsSummary& cells : result.cells) {
    if (result.format == "tenx_h5")
      object[cells.genome.empty() ? "matrix" : cells.genome] = tenx_json(cells);
    else if (result.format == "tenx_mtx")
      object = tenx_json(cells);
    else if (result.format == "hf_dataset" || result.format == "parquet")
      object = columnar_json(cells);
    else if (result.format == "loom")
      object = loom_json(cells);
    else if (result.format == "h5mu")
      object["modalities"][cells.modality] = modality_json(cells);
    else
      object = anndata_json(cells);
  }
  if (result.format == "h5mu") object["n_obs"] = result.n_obs >= 0 ? json(result.n_obs) : json();
  object["file"] = result.path;
  object["format"] = result.format;
  object["bytes"] = result.bytes;
  object["faults"] = result.faults;
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace scvet::jobs
