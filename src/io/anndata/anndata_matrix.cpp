#include "anndata/anndata_matrix.h"

#include <algorithm>
#include <limits>

#include "scvet/base/text.h"

namespace scvet::io::anndata {
namespace {

using store::Dataset;
using store::Group;
using store::LinkKind;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  parts.reserve(shape.size());
  for (const std::int64_t size : shape) parts.push_back(std::to_string(size));
  return parts.empty() ? "one value" : join(parts, " x ");
}

DataError wrong_shape(const store::Object& object, const std::vector<std::int64_t>& shape, std::int64_t n_cells,
                      std::int64_t n_genes) {
  return object.error("expected " + std::to_string(n_cells) + " x " + std::to_string(n_genes) +
                          " (the rows of obs and of its var), found " + shape_text(shape),
                      "bad_shape");
}

std::optional<MatrixInfo> describe_dense(const Dataset& dataset, MatrixInfo info, Notes& notes) {
  const Encoding encoding = encoding_of(dataset);
  if (!is_known(encoding)) throw dataset.error(describe_unknown(encoding), "unknown_encoding");
  if (encoding.type == "null" || dataset.is_null()) return std::nullopt;
  if (!encoding.type.empty() && encoding.type != "array")
    throw dataset.error("expected a matrix, found encoding '" + encoding.type + "'", "unknown_encoding");
  if (!dataset.type().is_number()) throw dataset.error("expected numbers, found another type of data", "wrong_type");
  const std::vector<std::int64_t>& shape = dataset.shape();
  const bool matrix = shape.size() == 2 && shape[0] == info.n_cells && shape[1] == info.n_genes;
  // Before 0.7 a matrix of one gene, or of one cell, was stored as a list.
  const bool list = shape.size() == 1 && ((info.n_genes == 1 && shape[0] == info.n_cells) ||
                                          (info.n_cells == 1 && shape[0] == info.n_genes));
  if (!matrix && !list) {
    if (dataset.size() != 0) throw wrong_shape(dataset, shape, info.n_cells, info.n_genes);
    notes.add(info.name + " is empty (" + shape_text(shape) + "): taken as absent");
    return std::nullopt;
  }
  info.kind = "ndarray";
  info.dtype = dataset.type().dtype;
  info.stored = dataset.size();
  return info;
}

// csr_matrix or csc_matrix, by today's attribute or that of h5sparse (before 0.7); "" when neither is there.
std::string sparse_kind(const Group& group) {
  const Encoding encoding = encoding_of(group);
  if (encoding.type == "csr_matrix" || encoding.type == "csc_matrix") return encoding.type;
  const std::string format = group.text_attribute("h5sparse_format").value_or("");
  return encoding.type.empty() && (format == "csr" || format == "csc") ? format + "_matrix" : "";
}

std::optional<std::vector<std::int64_t>> sparse_shape(const Group& group) {
  auto shape = group.integers_attribute("shape");
  if (!shape) shape = group.integers_attribute("h5sparse_shape");
  return shape;
}

std::optional<MatrixInfo> describe_sparse(const Group& group, MatrixInfo info) {
  const Encoding encoding = encoding_of(group);
  if (!is_known(encoding)) throw group.error(describe_unknown(encoding), "unknown_encoding");
  if (encoding.type == "null") return std::nullopt;
  info.kind = sparse_kind(group);
  if (info.kind.empty())
    throw group.error("expected a matrix, found a group " +
                          (encoding.type.empty() ? "that states no encoding" : "of encoding '" + encoding.type + "'"),
                      "unknown_encoding");
  const auto shape = sparse_shape(group);
  if (shape && *shape != std::vector<std::int64_t>{info.n_cells, info.n_genes})
    throw wrong_shape(group, *shape, info.n_cells, info.n_genes);
  const store::DatasetPtr data = group.dataset("data");
  info.dtype = data->type().dtype;
  info.stored = data->size();
  return info;
}

// Shape of one member of obsm; nothing when it has none.
std::optional<std::vector<std::int64_t>> shape_of(const Group& parent, const std::string& member) {
  if (parent.kind(member) == LinkKind::kDataset) {
    const store::DatasetPtr dataset = parent.dataset(member);
    if (dataset->is_null() || dataset->shape().empty()) return std::nullopt;
    std::vector<std::int64_t> shape = dataset->shape();
    if (dataset->type().kind == store::ElementType::Kind::kCompound)  // a data frame of old
      shape.push_back(static_cast<std::int64_t>(dataset->type().members.size()) - 1);
    return shape;
  }
  const store::GroupPtr group = parent.group(member);
  if (!sparse_kind(*group).empty()) return sparse_shape(*group);
  if (encoding_of(*group).type != "dataframe") return std::nullopt;
  const std::string index = group->text_attribute("_index").value_or("_index");
  if (group->kind(index) != LinkKind::kDataset) return std::nullopt;
  const auto order = group->texts_attribute("column-order");
  return std::vector<std::int64_t>{
      group->dataset(index)->rows(),
      order ? static_cast<std::int64_t>(order->size()) : static_cast<std::int64_t>(group->members().size()) - 1};
}

void check_cells(const store::Object& object, std::int64_t found, std::int64_t n_cells) {
  if (found != n_cells)
    throw object.error("expected one row a cell (" + std::to_string(n_cells) + "), found " + std::to_string(found),
                       "bad_shape");
}

void read_dense(const Dataset& dataset, std::int64_t n_cells, Embedding& result) {
  if (!dataset.type().is_number() || dataset.shape().empty() || dataset.shape().size() > 2)
    throw dataset.error("expected a matrix of numbers", "wrong_type");
  check_cells(dataset, dataset.rows(), n_cells);
  dataset.check_claim(sizeof(float));
  result.n_dims = dataset.shape().size() == 2 ? dataset.shape()[1] : 1;
  result.values.resize(static_cast<std::size_t>(dataset.size()));
  dataset.read_rows(0, n_cells, result.values);
}

void read_sparse(const Group& group, std::int64_t n_cells, Embedding& result) {
  const auto shape = sparse_shape(group);
  if (!shape || shape->size() != 2) throw group.error("states no shape", "bad_shape");
  check_cells(group, shape->front(), n_cells);
  result.n_dims = shape->back();
  std::int64_t size = 0;
  const double most = 16.0 * (1 << 20) + 1024.0 * static_cast<double>(group.file_bytes());
  if (result.n_dims < 0 || __builtin_mul_overflow(n_cells, result.n_dims, &size) || static_cast<double>(size) > most)
    throw group.error("is too wide to be an embedding (" + shape_text(*shape) + ")", "bad_shape");
  result.values.assign(static_cast<std::size_t>(size), 0.0f);
  MatrixInfo info{.name = group.name(), .kind = sparse_kind(group), .dtype = {}};
  info.n_cells = n_cells;
  info.n_genes = result.n_dims;
  const auto source = sparse_source(group, info, std::make_shared<const Table>());
  CellChunk chunk;
  for (std::int64_t first = 0; first < n_cells; first += source->chunk_cells()) {
    source->read(first, std::min(source->chunk_cells(), n_cells - first), chunk);
    for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell)
      for (std::int64_t at = chunk.indptr[static_cast<std::size_t>(cell)];
           at < chunk.indptr[static_cast<std::size_t>(cell) + 1]; ++at)
        result.values[static_cast<std::size_t>((first + cell) * result.n_dims +
                                               chunk.genes[static_cast<std::size_t>(at)])] =
            static_cast<float>(chunk.values[static_cast<std::size_t>(at)]);
  }
}

void read_frame(const store::Object& object, const Table& table, std::int64_t n_cells, Embedding& result) {
  check_cells(object, table.rows(), n_cells);
  result.n_dims = static_cast<std::int64_t>(table.columns.size());
  for (const Column& column : table.columns)
    if (column.kind == Column::Kind::kString || column.kind == Column::Kind::kCategorical)
      throw object.error("its column '" + column.name + "' holds no numbers", "wrong_type");
  for (std::int64_t cell = 0; cell < n_cells; ++cell)
    for (const Column& column : table.columns) {
      const auto at = static_cast<std::size_t>(cell);
      const double value = column.is_missing(cell)              ? std::numeric_limits<double>::quiet_NaN()
                           : column.kind == Column::Kind::kReal ? column.reals[at]
                                                                : static_cast<double>(column.integers[at]);
      result.values.push_back(static_cast<float>(value));
    }
}

// A field of the compound obsm that anndata wrote before 0.7.
void read_field_array(const Dataset& dataset, const std::string& key, std::int64_t n_cells, Embedding& result) {
  const store::Member* member = dataset.type().find(key);
  if (!member) throw dataset.error("has no field '" + key + "'", "missing");
  check_cells(dataset, dataset.rows(), n_cells);
  const bool array = member->type.kind == store::ElementType::Kind::kArray;
  const std::vector<double> values = array ? dataset.read_array_field(key) : dataset.read_reals(key);
  result.n_dims = array ? member->type.dims.front() : 1;
  if (array && member->type.dims.size() != 1) throw dataset.error("field '" + key + "' is no matrix", "wrong_type");
  result.values.assign(values.begin(), values.end());
}

}  // namespace

std::optional<MatrixInfo> describe_matrix(const Group& parent, const std::string& member, const std::string& name,
                                          std::int64_t n_cells, std::int64_t n_genes, Notes& notes) {
  MatrixInfo info{.name = name, .kind = {}, .dtype = {}};
  info.n_cells = n_cells;
  info.n_genes = n_genes;
  switch (parent.kind(member)) {
    case LinkKind::kMissing:
      return std::nullopt;
    case LinkKind::kDataset:
      return describe_dense(*parent.dataset(member), info, notes);
    default:
      return describe_sparse(*parent.group(member), info);
  }
}

std::unique_ptr<CellSource> open_matrix(const Group& parent, const std::string& member, const MatrixInfo& info,
                                        std::shared_ptr<const Table> var) {
  if (info.kind == "ndarray") return dense_source(parent, member, info, std::move(var));
  return sparse_source(*parent.group(member), info, std::move(var));
}

std::vector<NamedShape> array_shapes(const Group& root, const std::string& member, Notes& notes) {
  std::vector<NamedShape> shapes;
  const LinkKind kind = root.kind(member);
  if (kind == LinkKind::kDataset) {
    const store::DatasetPtr dataset = root.dataset(member);
    for (const store::Member& field : dataset->type().members) {
      std::vector<std::int64_t> shape = {dataset->rows()};
      shape.insert(shape.end(), field.type.dims.begin(), field.type.dims.end());
      shapes.push_back({field.name, std::move(shape)});
    }
  }
  if (kind != LinkKind::kGroup) return shapes;
  const store::GroupPtr group = root.group(member);
  for (const std::string& key : group->members()) {
    try {
      if (const auto shape = shape_of(*group, key)) {
        shapes.push_back({key, *shape});
        continue;
      }
      notes.add(member + "/" + key + " has no shape that scvet understands: left out");
    } catch (const DataError& error) {
      notes.add(member + "/" + key + " left out: " + error.what());
    }
  }
  return shapes;
}

std::unique_ptr<CellSource> open_array(const Group& root, const std::string& member, const std::string& key,
                                       std::int64_t n_cells) {
  if (root.kind(member) != LinkKind::kGroup) return nullptr;
  const store::GroupPtr parent = root.group(member);
  const auto shape = shape_of(*parent, key);
  if (!shape || shape->empty() || shape->size() > 2) return nullptr;
  const std::int64_t n_dims = shape->size() == 2 ? shape->back() : 1;
  const bool dense = parent->kind(key) == LinkKind::kDataset;
  if (dense ? parent->dataset(key)->type().kind == store::ElementType::Kind::kCompound
            : sparse_kind(*parent->group(key)).empty())
    return nullptr;
  Notes notes;
  const auto info = describe_matrix(*parent, key, member + "/" + key, n_cells, n_dims, notes);
  if (!info) return nullptr;
  return open_matrix(*parent, key, *info, std::make_shared<const Table>(numbered_dimensions(n_dims)));
}

Embedding read_array(const Group& root, const std::string& member, const std::string& key, std::int64_t n_cells) {
  Embedding result;
  result.name = key;
  result.n_cells = n_cells;
  if (root.kind(member) == LinkKind::kDataset) {
    read_field_array(*root.dataset(member), key, n_cells, result);
    return result;
  }
  const store::GroupPtr parent = root.group(member);
  if (parent->kind(key) == LinkKind::kDataset &&
      parent->dataset(key)->type().kind != store::ElementType::Kind::kCompound) {
    read_dense(*parent->dataset(key), n_cells, result);
    return result;
  }
  if (parent->kind(key) == LinkKind::kGroup && !sparse_kind(*parent->group(key)).empty()) {
    read_sparse(*parent->group(key), n_cells, result);
    return result;
  }
  Notes notes;
  const Table table = read_table(*parent, key, nullptr, notes);
  if (!notes.lines().empty()) throw parent->error("'" + key + "': " + notes.lines().front(), "wrong_type");
  read_frame(*parent, table, n_cells, result);
  return result;
}

}  // namespace scvet::io::anndata
