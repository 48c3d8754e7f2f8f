// Loom files (specification 1 to 3): `matrix` and `layers` are genes x cells, `row_attrs` tell of genes, `col_attrs` of
// cells. Attributes of one number or text each become columns, matrices of numbers become varm and obsm. What the whole
// file says of itself lies in attributes of the root (2) or in the group `attrs` (3).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "anndata/anndata_matrix.h"
#include "anndata/anndata_table.h"
#include "hdf5/hdf5_store.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "store/transposed_dense.h"

namespace scvet::io {
namespace {

using anndata::Notes;
using hdf5::LinkKind;

// Attributes that name the rows, the best first.
constexpr const char* kCellNames[] = {"CellID",   "obs_names", "cell_names", "CellName", "cell_id",
                                      "cell_ids", "barcode",   "Barcode",    "barcodes", "Cell"};
constexpr const char* kGeneNames[] = {"var_names", "Gene", "Accession", "gene_names", "gene_ids", "GeneName", "gene"};

// Of an axis: its table, what is a matrix, and the file's order of names.
struct Axis {
  Table table;
  std::vector<NamedShape> arrays;
};

// Before specification 3 texts were ASCII, with everything else as &#number; references.
std::string decode_references(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.compare(at, 2, "&#") == 0 ? text.find(';', at) : std::string::npos;
    const std::string digits = end == std::string::npos ? "" : text.substr(at + 2, end - at - 2);
    const bool number =
        !digits.empty() && digits.size() < 8 && digits.find_first_not_of("0123456789") == std::string::npos;
    const unsigned long code = number ? std::strtoul(digits.c_str(), nullptr, 10) : 0;
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      plain += text[at++];
      continue;
    }
    if (code < 0x80) {
      plain += static_cast<char>(code);
    } else {
      const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
      plain += static_cast<char>(kLead[more] | code >> (6 * more));
      for (int part = more - 1; part >= 0; --part) plain += static_cast<char>(0x80 | (code >> (6 * part) & 0x3F));
    }
    at = end + 1;
  }
  return plain;
}

void decode_references(std::vector<std::string>& texts) {
  for (std::string& text : texts)
    if (text.find("&#") != std::string::npos) text = decode_references(text);
}

class LoomFile : public CellFile {
 public:
  explicit LoomFile(const std::string& path)
      : path_(path), root_(hdf5::open_file(path)), store_(hdf5::open_store(path)) {
    const hdf5::Dataset matrix = root_.dataset("matrix");
    if (matrix.shape().size() != 2)
      throw matrix.error("expected genes x cells, found " + std::to_string(matrix.shape().size()) + " dimensions",
                         "bad_shape");
    n_genes_ = matrix.shape()[0];
    n_cells_ = matrix.shape()[1];
    if (n_genes_ >= std::int64_t{UINT32_MAX}) throw matrix.error("has more genes than 32-bit numbers", "damaged");
    Axis genes = read_axis("row_attrs", n_genes_, kGeneNames, "genes");
    Axis cells = read_axis("col_attrs", n_cells_, kCellNames, "cells");
    var_ = std::make_shared<const Table>(std::move(genes.table));
    obs_ = std::move(cells.table);
    varm_ = std::move(genes.arrays);
    obsm_ = std::move(cells.arrays);
    find_matrices();
    if (root_.kind("col_graphs") == LinkKind::kGroup) obsp_ = root_.group("col_graphs").members();
    find_global_attributes();
  }

  const std::string& path() const override { return path_; }
  const char* format() const override { return "loom"; }
  const Table& obs() const override { return obs_; }
  const Table& var() const override { return *var_; }
  std::vector<MatrixInfo> matrices() const override { return matrices_; }
  std::vector<NamedShape> obsm() const override { return obsm_; }
  std::vector<NamedShape> varm() const override { return varm_; }
  std::vector<std::string> obsp() const override { return obsp_; }
  std::vector<std::string> uns_keys() const override { return global_; }
  std::vector<std::string> notes() const override { return notes_.lines(); }

  std::unique_ptr<CellSource> open_matrix(const std::string& name) override {
    const std::string wanted = name == "matrix" ? "X" : name;
    std::vector<std::string> names;
    for (const MatrixInfo& info : matrices_) {
      if (info.name == wanted)
        return transposed_dense_source(root_.dataset(wanted == "X" ? "matrix" : wanted), info, var_);
      names.push_back(info.name);
    }
    throw DataError(fmt::format("{} has no matrix '{}' (has: {})", path_, name, join(names, ", ")),
                    {.file = path_, .field = name, .reason = "missing"});
  }

  Embedding read_obsm(const std::string& key) override {
    std::vector<std::string> names;
    for (const NamedShape& array : obsm_) {
      if (array.name == key) return anndata::read_array(*store_, "col_attrs", key, n_cells_);
      names.push_back(array.name);
    }
    throw UsageError(fmt::format("{} has no obsm '{}'{}", path_, key,
                                 names.empty() ? " (it has none)" : " (has: " + join(names, ", ") + ")"),
                     {.file = path_, .field = "col_attrs/" + key, .reason = "missing"});
  }

 private:
  Axis read_axis(const std::string& member, std::int64_t n, std::span<const char* const> known, const char* what) {
    Axis axis;
    const store::GroupPtr group = store_->group(member);
    for (const std::string& name : group->members()) {
      try {
        read_attribute(*group, name, n, axis);
      } catch (const DataError& error) {
        notes_.add(member + "/" + name + " left out: " + error.what());
      }
    }
    choose_names(axis.table, known);
    if (axis.table.names.empty()) number_rows(axis.table, n, what);
    return axis;
  }

  void read_attribute(const store::Group& group, const std::string& name, std::int64_t n, Axis& axis) {
    if (group.kind(name) != LinkKind::kDataset) {
      notes_.add(group.name() + "/" + name + " left out: it is no data set");
      return;
    }
    const store::DatasetPtr dataset = group.dataset(name);
    if (dataset->rows() != n || dataset->shape().empty())
      throw dataset->error(fmt::format("expected {} entries as the matrix says, found {}", format_count(n),
                                       format_count(dataset->rows())),
                           "bad_lengths");
    // A list stored as a column is a list.
    if (dataset->shape().size() > 1) {
      if (dataset->type().is_number()) {
        axis.arrays.push_back({name, dataset->shape()});
      } else {
        notes_.add(group.name() + "/" + name + " left out: a matrix of texts");
      }
      return;
    }
    Column column = anndata::read_column(group, name);
    column.name = name;
    if (!dataset->type().variable_length) decode_references(column.strings);
    axis.table.columns.push_back(std::move(column));
  }

  // The first attribute of a known name that tells all rows apart; else the first of a known name.
  static void choose_names(Table& table, std::span<const char* const> known) {
    std::vector<std::string> names;
    std::string chosen;
    for (const char* candidate : known) {
      const Column* column = table.find(candidate);
      if (!column || column->size() == 0) continue;
      std::vector<std::string> texts;
      for (std::int64_t row = 0; row < column->size(); ++row) texts.push_back(column->text(row));
      const bool unique = find_duplicate(texts).row_a < 0 && std::find(texts.begin(), texts.end(), "") == texts.end();
      if (!unique && !chosen.empty()) continue;
      chosen = candidate;
      names = std::move(texts);
      if (unique) break;
    }
    if (chosen.empty()) return;
    table.index_name = chosen;
    table.names = std::move(names);
    std::erase_if(table.columns, [&](const Column& column) { return column.name == chosen; });
  }

  void number_rows(Table& table, std::int64_t n, const char* what) {
    if (n == 0) return;
    const hdf5::Dataset matrix = root_.dataset("matrix");
    if (matrix.size() == 0) throw matrix.error(fmt::format("{} {} without a name", format_count(n), what), "missing");
    matrix.check_claim(sizeof(std::string));
    for (std::int64_t row = 0; row < n; ++row) table.names.push_back(std::to_string(row));
    notes_.add(fmt::format("no attribute names the {}: they are numbered", what));
  }

  void find_matrices() {
    const auto describe = [&](const hdf5::Dataset& dataset, const std::string& name) {
      return MatrixInfo{.name = name,
                        .kind = "ndarray",
                        .dtype = dataset.type().dtype,
                        .n_cells = n_cells_,
                        .n_genes = n_genes_,
                        .stored = dataset.size()};
    };
    const hdf5::Dataset matrix = root_.dataset("matrix");
    if (!matrix.type().is_number()) throw matrix.error("expected numbers, found another type of data", "wrong_type");
    matrices_.push_back(describe(matrix, "X"));
    if (root_.kind("layers") != LinkKind::kGroup) return;
    const hdf5::Group layers = root_.group("layers");
    for (const std::string& layer : layers.members()) {
      if (layers.kind(layer) != LinkKind::kDataset) continue;
      const hdf5::Dataset dataset = layers.dataset(layer);
      if (dataset.shape() == matrix.shape() && dataset.type().is_number())
        matrices_.push_back(describe(dataset, "layers/" + layer));
      else
        notes_.add("layers/" + layer + " left out: it is no matrix of numbers of the size of the main one");
    }
  }

  void find_global_attributes() {
    std::string version = root_.text_attribute("LOOM_SPEC_VERSION").value_or("");
    global_ = root_.attribute_names();
    if (root_.kind("attrs") == LinkKind::kGroup) {
      const hdf5::Group attributes = root_.group("attrs");
      for (const std::string& name : attributes.members()) {
        if (std::find(global_.begin(), global_.end(), name) == global_.end()) global_.push_back(name);
        if (name != "LOOM_SPEC_VERSION" || attributes.kind(name) != LinkKind::kDataset) continue;
        const hdf5::Dataset stated = attributes.dataset(name);
        if (stated.type().kind == store::ElementType::Kind::kText && stated.size() == 1)
          version = stated.read_texts().front();
      }
    }
    std::sort(global_.begin(), global_.end());
    notes_.add(version.empty() ? "loom, of a version that it does not state" : "loom, specification " + version);
  }

  std::string path_;
  hdf5::Group root_;
  store::GroupPtr store_;
  std::int64_t n_genes_ = 0, n_cells_ = 0;
  Table obs_;
  std::shared_ptr<const Table> var_;
  std::vector<MatrixInfo> matrices_;
  std::vector<NamedShape> obsm_, varm_;
  std::vector<std::string> obsp_, global_;
  Notes notes_;
};

bool recognises(const std::string& path) {
  try {
    if (!hdf5::has_signature(path)) return false;
    const hdf5::Group root = hdf5::open_file(path);
    return root.kind("matrix") == LinkKind::kDataset && root.kind("row_attrs") == LinkKind::kGroup &&
           root.kind("col_attrs") == LinkKind::kGroup;
  } catch (const Error&) {
    return false;
  }
}

std::unique_ptr<CellFile> open_loom(const std::string& path, const OpenOptions&) {
  return std::make_unique<LoomFile>(path);
}

}  // namespace

extern const FormatRecord loom_format = {"loom", "loom file (genes x cells; specification 1 to 3)", "loom", recognises,
                                         open_loom};

}  // namespace scvet::io
