// Embedding files: a dense X, and the cells as their source describes them.
#include <algorithm>
#include <string_view>

#include "anndata/h5ad_writer_copier.h"
#include "anndata/h5ad_writer_elements.h"
#include "hdf5/hdf5_file.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::io {
namespace {

Table dimensions(const EmbeddingContent& content) {
  Table var;
  for (std::int64_t dim = 1; dim <= content.values.cols; ++dim) var.names.push_back("V" + std::to_string(dim));
  if (!content.genes.empty()) var.columns.push_back(string_column("gene", content.genes));
  return var;
}

void require_content(const CellFile& source, const EmbeddingContent& content) {
  const MatrixView<const float>& values = content.values;
  if (values.rows == source.obs().rows() && values.stride == values.cols &&
      (content.genes.empty() || static_cast<std::int64_t>(content.genes.size()) == values.cols))
    return;
  throw InternalError("an embedding of " + std::to_string(values.rows) + " x " + std::to_string(values.cols) +
                      " does not fit the " + std::to_string(source.obs().rows()) + " cells of " + source.path());
}

void copy_cells(H5adOut& out, const std::string& path, const std::vector<Column>& columns) {
  const hdf5::Group source = hdf5::open_file(path);
  Copier copier(out, source);
  copier.obs(columns);
  copier.one_of("obsm", "spatial");
}

// Of any other format: what the reader gives.
void write_cells(H5adOut& out, CellFile& source, const std::vector<Column>& columns) {
  Table obs = source.obs();
  obs.columns.insert(obs.columns.end(), columns.begin(), columns.end());
  write_frame(out, out.root(), "obs", obs);
  const Handle obsm = make_group(out, out.root(), "obsm", kDict);
  for (const NamedShape& entry : source.obsm()) {
    if (entry.name != "spatial") continue;
    const Embedding spatial = source.read_obsm(entry.name);
    const hsize_t shape[] = {static_cast<hsize_t>(spatial.n_cells), static_cast<hsize_t>(spatial.n_dims)};
    write_array(out, obsm.get(), entry.name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, shape, spatial.values.data());
  }
}

}  // namespace

std::vector<std::string> write_embedding(CellFile& source, const std::string& target, const EmbeddingContent& content) {
  refuse_same_file(source.path(), target);
  require_content(source, content);
  AtomicPath atomic(target);
  H5adOut out(atomic.temporary(), target, {.compression = Compression::kNone});
  if (std::string_view(source.format()) == "h5ad")
    copy_cells(out, source.path(), content.columns);
  else
    write_cells(out, source, content.columns);
  write_frame(out, out.root(), "var", dimensions(content));
  const hsize_t shape[] = {static_cast<hsize_t>(content.values.rows), static_cast<hsize_t>(content.values.cols)};
  write_array(out, out.root(), "X", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, shape, content.values.data);
  for (const char* name : {"layers", "varm", "obsp", "varp"}) make_group(out, out.root(), name, kDict);
  {
    const Handle uns = make_group(out, out.root(), "uns", kDict);
    for (const UnsText& entry : content.uns) write_text(out, uns.get(), entry.key, entry.text);
  }
  out.close();
  atomic.commit();
  return std::move(out).notes();
}

}  // namespace scvet::io
