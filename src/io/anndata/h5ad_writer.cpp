// New h5ad files: obs, var and texts at once, matrices streamed in row chunks.
#include "scvet/io/h5ad_writer.h"

#include <algorithm>
#include <limits>

#include "anndata/h5ad_writer_elements.h"
#include "anndata/h5ad_writer_matrix.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/progress.h"

namespace scvet::io {
namespace {

// Appends to a data set that grows along its only dimension.
class Appender {
 public:
  Appender(const H5adOut& out, hid_t parent, const char* name, hid_t stored, std::int64_t expected)
      : out_(out), name_(name) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED;
    const Handle space = out.own(H5Screate_simple(1, &none, &unlimited), name_);
    const Handle list = out.growing_layout(expected);
    set_ = out.own(H5Dcreate2(parent, name, stored, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), name_);
    set_encoding(out, set_.get(), kArray);
  }

  void append(hid_t memory, std::size_t count, const void* values) {
    if (count == 0) return;
    const hsize_t start = size_, added = count;
    size_ += added;
    out_.check(H5Dset_extent(set_.get(), &size_), name_);
    const Handle space = out_.own(H5Dget_space(set_.get()), name_);
    out_.check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &added, nullptr), name_);
    const Handle rows = out_.own(H5Screate_simple(1, &added, nullptr), name_);
    out_.check(H5Dwrite(set_.get(), memory, rows.get(), space.get(), H5P_DEFAULT, values), name_);
  }

 private:
  const H5adOut& out_;
  std::string name_;
  Handle set_;
  hsize_t size_ = 0;
};

struct StoredType {
  Handle boolean;  // owned here, because only bool has a type of its own
  hid_t id;
  bool is_boolean = false;
};

// The stored type of a matrix's values. float16 and unknown types become float32 and float64, which hold them.
StoredType stored_type(const std::string& dtype) {
  if (dtype == "bool") {
    StoredType type{boolean_type(), 0, true};
    type.id = type.boolean.get();
    return type;
  }
  static const std::pair<const char*, hid_t> kTypes[] = {
      {"float16", H5T_IEEE_F32LE}, {"float32", H5T_IEEE_F32LE}, {"int8", H5T_STD_I8LE},  {"int16", H5T_STD_I16LE},
      {"int32", H5T_STD_I32LE},    {"int64", H5T_STD_I64LE},    {"uint8", H5T_STD_U8LE}, {"uint16", H5T_STD_U16LE},
      {"uint32", H5T_STD_U32LE},   {"uint64", H5T_STD_U64LE}};
  for (const auto& [name, type] : kTypes)
    if (dtype == name) return {Handle(), type, false};
  return {Handle(), H5T_IEEE_F64LE, false};
}

void write_indptr(const H5adOut& out, hid_t group, const std::vector<std::int64_t>& indptr) {
  const bool narrow = indptr.back() <= std::numeric_limits<std::int32_t>::max();
  write_integers(out, group, "indptr", narrow ? H5T_STD_I32LE : H5T_STD_I64LE, indptr);
}

// For sources that tell only by being read.
std::int64_t count_stored(CellSource& source) {
  const std::int64_t n_cells = source.info().n_cells, step = std::max<std::int64_t>(source.chunk_cells(), 1);
  std::int64_t stored = 0;
  CellChunk chunk;
  for (std::int64_t first = 0; first < n_cells; first += step) {
    throw_if_stopped();
    source.read(first, std::min(step, n_cells - first), chunk);
    stored += chunk.indptr.back();
  }
  return stored;
}

}  // namespace

void write_csr(const H5adOut& out, hid_t parent, const std::string& name, CellSource& source) {
  const MatrixInfo& info = source.info();
  if (info.n_genes > std::numeric_limits<std::int32_t>::max())
    throw DataError(name + ": " + std::to_string(info.n_genes) + " genes are more than h5ad's int32 indices hold");
  const Handle group = make_group(out, parent, name, kCsr);
  set_integers(out, group.get(), "shape", std::vector<std::int64_t>{info.n_cells, info.n_genes});
  const StoredType type = stored_type(info.ranked ? "int32" : info.dtype);  // ranks, whatever the tokens are stored as
  const std::int64_t stored = info.stored >= 0 ? info.stored : count_stored(source);
  Appender data(out, group.get(), "data", type.id, stored);
  Appender indices(out, group.get(), "indices", H5T_STD_I32LE, stored);
  std::vector<std::int64_t> indptr{0};
  indptr.reserve(static_cast<std::size_t>(info.n_cells) + 1);
  ProgressScope progress("writing " + name, info.n_cells);
  CellChunk chunk;
  const std::int64_t step = std::max<std::int64_t>(source.chunk_cells(), 1);
  for (std::int64_t first = 0; first < info.n_cells; first += step) {
    throw_if_stopped();
    const std::int64_t count = std::min(step, info.n_cells - first);
    source.read(first, count, chunk);
    if (type.is_boolean) {
      const std::vector<std::int8_t> bytes(chunk.values.begin(), chunk.values.end());
      data.append(type.id, bytes.size(), bytes.data());
    } else {
      data.append(H5T_NATIVE_DOUBLE, chunk.values.size(), chunk.values.data());
    }
    indices.append(H5T_NATIVE_UINT32, chunk.genes.size(), chunk.genes.data());
    const std::int64_t before = indptr.back();
    for (std::int64_t cell = 1; cell <= count; ++cell)
      indptr.push_back(before + chunk.indptr[static_cast<std::size_t>(cell)]);
    progress.advance(count);
  }
  write_indptr(out, group.get(), indptr);
}

namespace {

void require_shape(const MatrixInfo& info, std::int64_t n_cells, std::int64_t n_genes, const std::string& name) {
  if (info.n_cells == n_cells && (info.n_genes == n_genes || n_genes < 0)) return;
  throw InternalError("writing " + name + ": expected " + std::to_string(n_cells) + " x " + std::to_string(n_genes) +
                      ", found " + std::to_string(info.n_cells) + " x " + std::to_string(info.n_genes));
}

void write_raw(H5adOut& out, CellSource& raw, std::int64_t n_cells) {
  require_shape(raw.info(), n_cells, -1, "raw");
  const Handle group = make_group(out, out.root(), "raw", kRaw);
  set_integers(out, group.get(), "shape", std::vector<std::int64_t>{n_cells, raw.info().n_genes});
  write_csr(out, group.get(), "X", raw);
  write_frame(out, group.get(), "var", raw.var());
  make_group(out, group.get(), "varm", kDict);
}

void write_embeddings(const H5adOut& out, const std::vector<Embedding>& embeddings, std::int64_t n_cells) {
  const Handle group = make_group(out, out.root(), "obsm", kDict);
  for (const Embedding& embedding : embeddings) {
    require_shape({.kind = {}, .dtype = {}, .n_cells = embedding.n_cells}, n_cells, -1, "obsm/" + embedding.name);
    const hsize_t shape[] = {static_cast<hsize_t>(embedding.n_cells), static_cast<hsize_t>(embedding.n_dims)};
    write_array(out, group.get(), embedding.name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, shape, embedding.values.data());
  }
}

}  // namespace

std::vector<std::string> write_h5ad(const std::string& path, const H5adContent& content, const WriteOptions& options) {
  const std::int64_t n_cells = content.obs->rows(), n_genes = content.var->rows();
  if (content.x) require_shape(content.x->info(), n_cells, n_genes, "X");
  for (const auto& [name, source] : content.layers) require_shape(source->info(), n_cells, n_genes, "layers/" + name);
  AtomicPath atomic(path);
  H5adOut out(atomic.temporary(), path, options);
  write_frame(out, out.root(), "obs", *content.obs);
  write_frame(out, out.root(), "var", *content.var);
  if (content.x) write_csr(out, out.root(), "X", *content.x);
  {
    const Handle layers = make_group(out, out.root(), "layers", kDict);
    for (const auto& [name, source] : content.layers) write_csr(out, layers.get(), name, *source);
  }
  if (content.raw) write_raw(out, *content.raw, n_cells);
  write_embeddings(out, content.obsm, n_cells);
  for (const char* name : {"varm", "obsp", "varp"}) make_group(out, out.root(), name, kDict);
  {
    const Handle uns = make_group(out, out.root(), "uns", kDict);
    for (const UnsText& entry : content.uns) write_text(out, uns.get(), entry.key, entry.text);
  }
  out.close();
  atomic.commit();
  return std::move(out).notes();
}

}  // namespace scvet::io
