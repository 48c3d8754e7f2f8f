#include "anndata/h5ad_writer_cells.h"

#include "anndata/h5ad_writer_matrix.h"
#include "scvet/base/error.h"
#include "scvet/data/reordered_cells.h"

namespace scvet::io {
namespace {

using hdf5::Dataset;
using hdf5::Group;
using hdf5::LinkKind;
using Rows = std::vector<std::int64_t>;

// Rows of an array of numbers, in the type it is stored in.
void write_array_rows(const H5adOut& out, const Dataset& source, hid_t parent, const std::string& name,
                      const Rows& rows) {
  source.check_claim(8);
  const Handle stored(H5Dget_type(source.id()));
  const Handle memory(H5Tget_native_type(stored.get(), H5T_DIR_ASCEND));
  const std::size_t row_bytes = static_cast<std::size_t>(source.row_size()) * H5Tget_size(memory.get());
  std::vector<char> all(static_cast<std::size_t>(source.rows()) * row_bytes);
  if (!all.empty() && H5Dread(source.id(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
    throw source.error("cannot be read: " + hdf5::take_error().text, "unreadable");
  std::vector<char> chosen;
  chosen.reserve(rows.size() * row_bytes);
  for (const std::int64_t row : rows) {
    const auto start = all.begin() + row * static_cast<std::ptrdiff_t>(row_bytes);
    chosen.insert(chosen.end(), start, start + static_cast<std::ptrdiff_t>(row_bytes));
  }
  std::vector<hsize_t> shape(source.shape().begin(), source.shape().end());
  shape.front() = rows.size();
  write_array(out, parent, name, stored.get(), memory.get(), shape, chosen.data());
}

void write_rows(const H5adOut& out, CellSource& source, hid_t parent, const std::string& name, const Rows& rows) {
  ReorderedCells chosen(source, rows);
  write_csr(out, parent, name, chosen);
}

void write_obsm(H5adOut& out, CellFile& source, const Group& root, const Rows& rows) {
  const Handle target = make_group(out, out.root(), "obsm", kDict);
  for (const NamedShape& array : source.obsm()) {
    const std::string path = "obsm/" + array.name;
    if (root.kind(path) == LinkKind::kDataset && root.dataset(path).type().is_number()) {
      write_array_rows(out, root.dataset(path), target.get(), array.name, rows);
    } else if (root.kind(path) == LinkKind::kGroup && root.group(path).has("indptr")) {
      write_rows(out, *source.open_obsm(array.name), target.get(), array.name, rows);
    } else {
      out.note(path + " is no array and was left out of the chosen cells");
    }
  }
}

}  // namespace

void write_chosen_cells(H5adOut& out, CellFile& source, const Group& root, const Table& obs, const Rows& rows) {
  write_frame(out, out.root(), "obs", select_rows(obs, rows));
  const Handle layers = make_group(out, out.root(), "layers", kDict);
  for (const MatrixInfo& info : source.matrices()) {
    if (info.name == "X") {
      write_rows(out, *source.open_matrix(info.name), out.root(), "X", rows);
      if (info.kind != "csr_matrix") out.note("X was " + info.kind + " and is csr_matrix in the chosen cells");
    } else if (info.name.starts_with("layers/")) {
      write_rows(out, *source.open_matrix(info.name), layers.get(), info.name.substr(7), rows);
    }
  }
  write_obsm(out, source, root, rows);
  make_group(out, out.root(), "obsp", kDict);
  for (const std::string& name : source.obsp()) out.note("obsp/" + name + " compares all cells and was left out");
}

}  // namespace scvet::io
