#include "cell_subset.h"

#include <memory>

#include "scvet/data/reordered_cells.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::jobs {
namespace {

Embedding choose(const Embedding& all, const std::vector<std::int64_t>& rows) {
  Embedding chosen{all.name, static_cast<std::int64_t>(rows.size()), all.n_dims, {}};
  for (const std::int64_t row : rows) {
    const auto start = all.values.begin() + row * all.n_dims;
    chosen.values.insert(chosen.values.end(), start, start + all.n_dims);
  }
  return chosen;
}

}  // namespace

void write_cell_subset(const std::string& source, const std::string& target, const std::vector<std::int64_t>& rows) {
  const std::unique_ptr<CellFile> file = io::open_cells(source);
  const Table obs = select_rows(file->obs(), rows);
  std::vector<std::unique_ptr<CellSource>> whole;
  std::vector<std::unique_ptr<ReorderedCells>> matrices;
  io::H5adContent content;
  content.obs = &obs;
  content.var = &file->var();
  for (const MatrixInfo& info : file->matrices()) {
    whole.push_back(file->open_matrix(info.name));
    matrices.push_back(std::make_unique<ReorderedCells>(*whole.back(), rows));
    if (info.name == "X")
      content.x = matrices.back().get();
    else if (info.name.starts_with("layers/"))
      content.layers.emplace_back(info.name.substr(7), matrices.back().get());
    else if (info.name == "raw/X")
      content.raw = matrices.back().get();
  }
  for (const NamedShape& array : file->obsm())
    if (array.shape.size() == 2) content.obsm.push_back(choose(file->read_obsm(array.name), rows));
  io::write_h5ad(target, content);
}

}  // namespace scvet::jobs
