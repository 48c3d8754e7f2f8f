#include "anndata/h5ad_writer_rewrite.h"

#include <memory>

#include "anndata/h5ad_frame_changes.h"
#include "scvet/data/reordered_cells.h"

namespace scvet::io {
namespace {

bool is_layer(const MatrixInfo& info) { return info.name.starts_with("layers/"); }

// Matrices of a file, whole or the chosen cells of them.
class Matrices {
 public:
  Matrices(CellFile& file, const std::optional<std::vector<std::int64_t>>& cells) : file_(file), cells_(cells) {}
  CellSource* open(const std::string& name) {
    opened_.push_back(file_.open_matrix(name));
    if (cells_) opened_.push_back(std::make_unique<ReorderedCells>(*opened_.back(), *cells_));
    return opened_.back().get();
  }

 private:
  CellFile& file_;
  const std::optional<std::vector<std::int64_t>>& cells_;
  std::vector<std::unique_ptr<CellSource>> opened_;
};

Embedding choose(Embedding all, const std::optional<std::vector<std::int64_t>>& cells) {
  if (!cells) return all;
  Embedding chosen{all.name, static_cast<std::int64_t>(cells->size()), all.n_dims, {}};
  for (const std::int64_t row : *cells) {
    const auto start = all.values.begin() + row * all.n_dims;
    chosen.values.insert(chosen.values.end(), start, start + all.n_dims);
  }
  return chosen;
}

}  // namespace

std::vector<std::string> write_anew(CellFile& source, const std::string& target, const CopyChanges& changes,
                                    const WriteOptions& options) {
  Table obs = source.obs(), var = source.var();
  change_table(obs, obs_change(source.path(), changes));
  change_table(var, var_change(source.path(), changes));
  if (changes.cells) obs = select_rows(obs, *changes.cells);
  H5adContent content;
  content.obs = &obs;
  content.var = &var;
  content.uns = changes.uns;
  for (const NamedShape& array : source.obsm())
    if (array.shape.size() == 2) content.obsm.push_back(choose(source.read_obsm(array.name), changes.cells));
  Matrices matrices(source, changes.cells);
  for (const MatrixInfo& info : source.matrices()) {
    if (is_layer(info))
      content.layers.emplace_back(info.name.substr(7), matrices.open(info.name));
    else if (info.name == "raw/X")
      content.raw = changes.drop_raw ? nullptr : matrices.open(info.name);
    else if (!content.x)
      content.x = matrices.open(info.name);
  }
  return write_h5ad(target, content, options);
}

}  // namespace scvet::io
