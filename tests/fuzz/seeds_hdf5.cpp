#include <cmath>
#include <cstring>

#include "anndata/h5ad_writer_elements.h"
#include "scvet/io/h5ad_writer.h"
#include "seeds.h"
#include "temporary_file.h"

namespace scvet {
namespace {

using io::H5adOut;
using io::hdf5::Handle;

constexpr std::int64_t kCells = 6, kGenes = 5;

struct FewCells : CellSource {
  explicit FewCells(std::string dtype) {
    info_ = {"X", "csr_matrix", std::move(dtype), kCells, kGenes, 9};
    for (std::int64_t gene = 0; gene < kGenes; ++gene) var_.names.push_back("ENSG0000000000" + std::to_string(gene));
    var_.columns = {string_column("gene_symbols", {"TP53", "ACTB", "MT-CO1", "CD3D", "LYZ"})};
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return 4; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    chunk = {first, count, {0}, {}, {}};
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      for (std::int64_t gene = cell % 2; gene < kGenes; gene += 2) {
        chunk.genes.push_back(static_cast<std::uint32_t>(gene));
        chunk.values.push_back(static_cast<double>(1 + (cell * gene) % 3));
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }
  MatrixInfo info_;
  Table var_;
};

Table some_obs() {
  Table obs;
  for (std::int64_t cell = 0; cell < kCells; ++cell) obs.names.push_back("cell" + std::to_string(cell));
  Column copies = integer_column("copies", {1, 2, 3, 4, 5, 6});
  copies.missing = {0, 1, 0, 0, 0, 1};
  Column doublet = boolean_column("doublet", {true, false, true, false, true, false});
  doublet.missing = copies.missing;
  obs.columns = {categorical_column("cell_type", {"B", "T", "", "T", "B", "NK"}),
                 copies,
                 doublet,
                 real_column("score", {0.5, 1, NAN, 2, 3, 4}),
                 boolean_column("kept", {true, true, false, true, true, true}),
                 string_column("note", {"a", "", "\xc3\xa9", "d", "e", "f"})};
  return obs;
}

void typed_h5ad(const std::string& path, const std::string& dtype, io::Compression compression) {
  FewCells cells(dtype);
  const Table obs = some_obs();
  io::H5adContent content;
  content.obs = &obs;
  content.var = &cells.var_;
  content.x = content.raw = &cells;
  content.layers = {{"counts", &cells}};
  content.obsm = {{"X_pca", kCells, 2, std::vector<float>(2 * kCells, 0.25f)}};
  content.uns = {{"title", "seed"}};
  io::write_h5ad(path, content, {.compression = compression});
}

void numbers(const H5adOut& out, hid_t parent, const char* name, hid_t type, const std::vector<std::int64_t>& values) {
  const hsize_t size = values.size();
  io::write_array(out, parent, name, type, H5T_NATIVE_INT64, {&size, 1}, values.data());
}

// A compound table of fixed-length texts, codes and reals, as anndata wrote before 0.7.
void compound(const H5adOut& out, const char* name, std::int64_t rows) {
  struct Row {
    char index[8];
    std::int8_t code;
    float score;
  };
  std::vector<Row> table(static_cast<std::size_t>(rows));
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::snprintf(table[row].index, sizeof table[row].index, "n%zu", row);
    table[row].code = static_cast<std::int8_t>(row % 2);
    table[row].score = static_cast<float>(row);
  }
  const Handle text(H5Tcopy(H5T_C_S1)), type(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
  H5Tset_size(text.get(), 8);
  H5Tinsert(type.get(), "index", offsetof(Row, index), text.get());
  H5Tinsert(type.get(), "kind", offsetof(Row, code), H5T_NATIVE_INT8);
  H5Tinsert(type.get(), "score", offsetof(Row, score), H5T_NATIVE_FLOAT);
  const hsize_t size = table.size();
  io::write_array(out, out.root(), name, type.get(), type.get(), {&size, 1}, table.data());
}

void h5sparse(const H5adOut& out, const char* name) {
  const Handle x(H5Gcreate2(out.root(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  io::set_text(out, x.get(), "h5sparse_format", "csr");
  io::set_integers(out, x.get(), "h5sparse_shape", std::vector<std::int64_t>{kCells, kGenes});
  numbers(out, x.get(), "data", H5T_IEEE_F32LE, {1, 2, 3});
  numbers(out, x.get(), "indices", H5T_STD_I32LE, {0, 4, 2});
  numbers(out, x.get(), "indptr", H5T_STD_I32LE, {0, 1, 1, 2, 2, 3, 3});
}

void old_h5ad(const std::string& path) {
  H5adOut out(path, path, {.compression = io::Compression::kNone});
  const Handle root = io::open_object(out, out.root(), "/");
  io::remove_attribute(out, root.get(), "encoding-type");
  io::remove_attribute(out, root.get(), "encoding-version");
  compound(out, "obs", kCells);
  compound(out, "var", kGenes);
  h5sparse(out, "X");
  h5sparse(out, "raw.X");
  compound(out, "raw.var", kGenes);
  const Handle uns(H5Gcreate2(out.root(), "uns", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  io::write_texts(out, uns.get(), "kind_categories", std::vector<std::string>{"x", "y"});
  out.close();
}

// Frames of 0.7: codes with a reference to a table of categories.
void frame_07(H5adOut& out, const char* name, std::int64_t rows) {
  const Handle frame = io::make_group(out, out.root(), name, {"dataframe", "0.1.0"});
  const Handle tables(H5Gcreate2(frame.get(), "__categories", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  io::write_texts(out, tables.get(), "kind", std::vector<std::string>{"x", "y"});
  std::vector<std::string> names;
  std::vector<std::int64_t> codes;
  for (std::int64_t row = 0; row < rows; ++row) {
    names.push_back("n" + std::to_string(row));
    codes.push_back(row % 3 - 1);
  }
  io::write_texts(out, frame.get(), "_index", names);
  numbers(out, frame.get(), "kind", H5T_STD_I8LE, codes);
  hobj_ref_t reference;
  H5Rcreate(&reference, tables.get(), "kind", H5R_OBJECT, -1);
  const Handle column = io::open_object(out, frame.get(), "kind"), space(H5Screate(H5S_SCALAR));
  const Handle attribute(
      H5Acreate2(column.get(), "categories", H5T_STD_REF_OBJ, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  H5Awrite(attribute.get(), H5T_STD_REF_OBJ, &reference);
  io::set_text(out, frame.get(), "_index", "_index");
  io::set_texts(out, frame.get(), "column-order", std::vector<std::string>{"kind"});
}

void h5ad_07(const std::string& path) {
  H5adOut out(path, path, {.compression = io::Compression::kNone});
  frame_07(out, "obs", kCells);
  frame_07(out, "var", kGenes);
  const hsize_t shape[] = {kCells, kGenes};
  const std::vector<double> dense(kCells * kGenes, 1.5);
  io::write_array(out, out.root(), "X", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, shape, dense.data());
  out.close();
}

void tenx_group(H5adOut& out, const char* name, bool third) {
  const Handle matrix(H5Gcreate2(out.root(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  numbers(out, matrix.get(), "data", H5T_STD_I32LE, {1, 2, 3, 4});
  numbers(out, matrix.get(), "indices", H5T_STD_I64LE, {0, 4, 1, 2});
  numbers(out, matrix.get(), "indptr", H5T_STD_I64LE, {0, 2, 2, 4});
  numbers(out, matrix.get(), "shape", H5T_STD_I32LE, {kGenes, 3});
  io::write_texts(out, matrix.get(), "barcodes", std::vector<std::string>{"AAAC-1", "AAAG-1", "AAAT-1"});
  const std::vector<std::string> ids = {"ENSG1", "ENSG2", "ENSG3", "ENSG4", "ENSG5"}, names = {"A", "B", "C", "D", "E"};
  if (!third) {
    io::write_texts(out, matrix.get(), "genes", ids);
    io::write_texts(out, matrix.get(), "gene_names", names);
    return;
  }
  const Handle features(H5Gcreate2(matrix.get(), "features", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  io::write_texts(out, features.get(), "id", ids);
  io::write_texts(out, features.get(), "name", names);
  io::write_texts(out, features.get(), "feature_type", std::vector<std::string>(5, "Gene Expression"));
  io::write_texts(out, features.get(), "genome", std::vector<std::string>(5, "GRCh38"));
}

void tenx_h5(const std::string& path, const std::vector<const char*>& groups) {
  H5adOut out(path, path, {.compression = io::Compression::kNone});
  for (const char* group : groups) tenx_group(out, group, std::strcmp(group, "matrix") == 0);
  out.close();
}

// Two modalities, each a whole h5ad.
void h5mu(const std::string& path) {
  const fuzz::TemporaryFolder scratch;
  const std::string h5ad = scratch.path() + "/modality.h5ad";
  typed_h5ad(h5ad, "float32", io::Compression::kNone);
  H5adOut out(path, path, {.compression = io::Compression::kNone});
  const Handle root = io::open_object(out, out.root(), "/");
  io::set_text(out, root.get(), "encoding-type", "MuData");
  const Handle mod(H5Gcreate2(out.root(), "mod", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  io::set_texts(out, mod.get(), "mod-order", std::vector<std::string>{"rna", "adt"});
  const Handle source(H5Fopen(h5ad.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  for (const char* name : {"adt", "rna"})
    out.check(H5Ocopy(source.get(), "/", mod.get(), name, H5P_DEFAULT, H5P_DEFAULT), name);
  frame_07(out, "obs", kCells);
  frame_07(out, "var", kGenes);
  out.close();
}

// A loom file with a layer, and attributes as the specification of its time has them.
void loom(const std::string& path, bool third) {
  H5adOut out(path, path, {.compression = io::Compression::kNone});
  const Handle list(H5Pcreate(H5P_DATASET_CREATE)), links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links.get(), 1);
  const hsize_t shape[] = {kGenes, kCells}, chunk[] = {2, 4};
  H5Pset_chunk(list.get(), 2, chunk);
  H5Pset_deflate(list.get(), 2);
  const Handle space(H5Screate_simple(2, shape, nullptr));
  std::vector<float> values(kGenes * kCells, 0);
  for (std::size_t at = 0; at < values.size(); at += 3) values[at] = static_cast<float>(at);
  for (const char* name : {"matrix", "layers/spliced"}) {
    const Handle matrix(
        H5Dcreate2(out.root(), name, H5T_IEEE_F32LE, space.get(), links.get(), list.get(), H5P_DEFAULT));
    H5Dwrite(matrix.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  const Handle rows(H5Gcreate2(out.root(), "row_attrs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const Handle columns(H5Gcreate2(out.root(), "col_attrs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  io::write_texts(out, rows.get(), "Gene", std::vector<std::string>{"A", "B", "C", "B", "E"});
  numbers(out, rows.get(), "Selected", H5T_STD_I8LE, {1, 0, 1, 0, 1});
  numbers(out, columns.get(), "CellID", H5T_STD_I64LE, {1, 2, 3, 4, 5, 6});
  const hsize_t flat[] = {kCells, 2};
  io::write_array(out, columns.get(), "Embedding", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, flat, values.data());
  if (third) {
    const Handle attributes(H5Gcreate2(out.root(), "attrs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    io::write_texts(out, attributes.get(), "LOOM_SPEC_VERSION", std::vector<std::string>{"3.0.0"});
  } else {
    const Handle root = io::open_object(out, out.root(), "/");
    io::set_text(out, root.get(), "LOOM_SPEC_VERSION", "2.0.1");
  }
  out.close();
}

}  // namespace

void hdf5_seeds(const std::string& folder) {
  for (const char* target : {"/fuzz_h5ad", "/fuzz_h5ad_copy"}) {
    typed_h5ad(folder + target + "/typed", "float32", io::Compression::kNone);
    typed_h5ad(folder + target + "/gzip", "int64", io::Compression::kGzip);
    typed_h5ad(folder + target + "/zstd", "bool", io::Compression::kZstd);
    old_h5ad(folder + target + "/compound");
    h5ad_07(folder + target + "/categories");
  }
  tenx_h5(folder + "/fuzz_tenx_h5/v3", {"matrix"});
  tenx_h5(folder + "/fuzz_tenx_h5/v2", {"hg19"});
  tenx_h5(folder + "/fuzz_tenx_h5/genomes", {"hg19", "mm10"});
  h5mu(folder + "/fuzz_h5mu/two");
  loom(folder + "/fuzz_loom/v2", false);
  loom(folder + "/fuzz_loom/v3", true);
}

}  // namespace scvet
