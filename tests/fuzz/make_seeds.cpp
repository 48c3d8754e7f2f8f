// make_seeds FOLDER: a small valid input of every kind for each fuzz target, in FOLDER/<target>/.
#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "anndata/h5ad_writer_elements.h"
#include "scvet/base/files.h"
#include "scvet/io/h5ad_writer.h"
#include "scvet/sketch/corpus_writer.h"
#include "temporary_file.h"
#include "unit/io/zip_builder.h"
#include "zip/zip_file.h"

namespace scvet {
namespace {
namespace fs = std::filesystem;
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

std::string gzipped(const std::string& text) {
  const fuzz::TemporaryFolder folder;
  const std::string path = folder.path() + "/x.gz";
  gzFile file = gzopen(path.c_str(), "wb9");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file(path);
}

void text_seeds(const std::string& folder) {
  const std::string tsv = "cell\tpc_1\tpc_2\tkind\nAAAC-1\t0.5\t-1e3\tB\nAAAG-1\tNA\t2\t\"T, \"\"CD4\"\"\"\n";
  const std::string csv = "# made by hand\n\"\",a,b\nx,1,2\ny,3,nan\n";
  write_file(folder + "/fuzz_text_table/tsv", tsv);
  write_file(folder + "/fuzz_text_table/csv", csv);
  write_file(folder + "/fuzz_text_table/gz", gzipped(tsv));
  write_file(folder + "/fuzz_text_table/numbers", "1 2 3\n4 5 6\n");
  const std::string genes = "# source: by hand\nENSG00000141510.2\tTP53\thuman\nENSMUSG00000059552\tTrp53\tmouse\n";
  write_file(folder + "/fuzz_name_table/plain", genes);
  write_file(folder + "/fuzz_name_table/gz", gzipped(genes));
  const std::string features = "ENSG1\tA\tGene Expression\nENSG2\tB\tGene Expression\n",
                    barcodes = "AAAC-1\nAAAG-1\nAAAT-1\n";
  const std::string integers = "%%MatrixMarket matrix coordinate integer general\n%\n2 3 3\n1 1 5\n2 1 1\n2 3 7\n";
  const std::string reals = "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 0.5\n";
  write_file(folder + "/fuzz_tenx_mtx/integers", fuzz::join_parts({integers, features, barcodes}));
  write_file(folder + "/fuzz_tenx_mtx/reals", fuzz::join_parts({reals, features, barcodes}));
  write_file(folder + "/fuzz_tenx_mtx/old", fuzz::join_parts({integers, "ENSG1\tA\nENSG2\tB\n", barcodes}));
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

// The keys of a store and their bytes, see fuzz_zarr; and the archive itself.
void zarr_seeds(const std::string& folder) {
  for (const char* name : {"v2", "v3"}) {
    const std::string path = std::string(SCVET_TEST_DATA) + "/zarr_tiny/" + name + ".zarr.zip";
    const io::ZipFile zip(path);
    std::vector<std::string> parts;
    for (const auto& [key, member] : zip.members()) {
      const std::vector<std::byte> bytes = zip.read(member, 1 << 20);
      parts.push_back(key + "\n" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    write_file(folder + "/fuzz_zarr/" + name, fuzz::join_parts(parts));
    write_file(folder + "/fuzz_zip/" + name, read_file(path));
  }
}

void zip_seeds(const std::string& folder) {
  for (const bool zip64 : {false, true}) {
    io::ZipBuilder zip;
    zip.zip64 = zip64;
    zip.comment = "a comment";
    zip.add("__MACOSX/._t.tsv", "x");
    zip.add("t.tsv", "cell\tscore\na\t1.5\nb\t2\n", !zip64);
    zip.write(folder + "/fuzz_zip/" + (zip64 ? "zip64" : "deflated"));
  }
}

// Pickles by hand, as Python writes them: protocol 4 with numpy scalars of V1, protocol 2 with plain numbers of V2.
struct SeedPickle {
  bool old = false;
  std::string body = "}", dtype = {};
  std::string text(const std::string& value) const {
    const std::string size(1, static_cast<char>(value.size()));
    return (old ? "X" + size + std::string(3, '\0') : "\x8c" + size) + value;
  }
  void add(const std::string& key, const std::string& value) { body += text(key) + value + "s"; }
  // An int16 or float64 scalar; the dtype is written once and remembered.
  std::string scalar(const std::string& code, const std::string& bytes) {
    std::string value = "cnumpy.core.multiarray\nscalar\n";
    value += dtype.empty() ? "cnumpy\ndtype\n" + text(code) + "\x89\x88\x87R(K\x03" + text("<") +
                                 "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" + std::string(1, '\0') + "tbq\x01"
                           : "h\x01";
    dtype = code;
    return value + "C" + std::string(1, static_cast<char>(bytes.size())) + bytes + "\x86R";
  }
  std::string done() const { return (old ? "\x80\x02" : "\x80\x04") + body + "."; }
};

void pickle_seeds(const std::string& folder) {
  const std::vector<std::string> genes = {"ENSG00000000003", "ENSG00000000005", "ENSG00000000419.2"};
  SeedPickle tokens, medians, tokens2{.old = true}, medians2{.old = true}, map{.old = true};
  char token = 0;
  for (const char* special : {"<pad>", "<mask>"}) tokens.add(special, std::string("K") + token++);
  for (const std::string& gene : genes) {
    tokens.add(gene, tokens.scalar("i2", std::string{token++, '\0'}));
    medians.add(gene, medians.scalar("f8", std::string("\0\0\0\0\0\0\x04\x40", 8)));
  }
  token = 0;
  for (const char* special : {"<pad>", "<mask>", "<cls>", "<eos>"}) tokens2.add(special, std::string("K") + token++);
  for (const std::string& gene : genes) {
    tokens2.add(gene, std::string("K") + token++);
    medians2.add(gene, std::string("G\x40\x04\0\0\0\0\0\0", 9));
  }
  map.add("ENSG00000999999", map.text(genes[0]));
  write_file(folder + "/fuzz_pickle/v1", fuzz::join_parts({tokens.done(), medians.done(), ""}));
  write_file(folder + "/fuzz_pickle/v2", fuzz::join_parts({tokens2.done(), medians2.done(), map.done()}));
}

// A store of two sources, one without counts; whole (its last byte is even) and to be sealed (odd), see fuzz_corpus.
void corpus_seeds(const std::string& folder) {
  const fuzz::TemporaryFolder scratch;
  const std::string path = scratch.path() + "/seed.corpus";
  const auto writer = sketch::CorpusWriter::create(path, {}, {"seed", "1", "2024-01", {}, {}, {}, {}});
  const GenePanel panel({{"ENSG00000000003", "TSPAN6"}, {"ENSG00000000005", "TNMD"}, {"", "ACTB"}, {"", "LYZ"}},
                        "human");
  for (const bool counts : {true, false}) {
    sketch::CorpusSource source;
    source.file = counts ? "a.h5ad" : "b.h5ad";
    source.sha256 = counts ? "aa" : "bb";
    source.format = "h5ad";
    source.matrix = "X";
    source.has_counts = counts;
    writer->begin_source(source, panel);
    RankedCells cells;
    cells.offsets = {0, 2, 2, 5};
    cells.tokens = {1, 0, 3, 0, 2};
    cells.values = {300, 2, 7, 5, 1};
    writer->add(cells, {{"c1", "c2", "c3"}, {"d1", "", "d2"}, {"s1", "s1", ""}});
    writer->end_source({"a note"}, {5, 0, 0});
  }
  writer->finish();
  const std::string bytes = read_file(path);
  make_folders(folder + "/fuzz_corpus");
  write_file(folder + "/fuzz_corpus/whole", bytes + std::string(1, '\0'));
  write_file(folder + "/fuzz_corpus/sealed", bytes + "\1");
}

// Real files that are small enough to mutate well.
void real_seeds(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(SCVET_REAL_DIR, error)) {
    if (!entry.is_regular_file() || entry.file_size() > 72000) continue;
    const std::string name = entry.path().filename().string(), bytes = read_file(entry.path().string());
    if (name.ends_with(".h5ad"))
      for (const char* target : {"/fuzz_h5ad/", "/fuzz_h5ad_copy/"}) write_file(folder + target + name, bytes);
    if (name.ends_with(".loom")) write_file(folder + "/fuzz_loom/" + name, bytes);
    if (name.ends_with(".h5")) write_file(folder + "/fuzz_tenx_h5/" + name, bytes);
    if (name.ends_with(".tsv.gz") || name.ends_with(".csv")) write_file(folder + "/fuzz_text_table/" + name, bytes);
  }
}

// The small files of every layout that the unit tests read.
void arrow_seeds(const std::string& folder) {
  for (const char* source : {"token_layouts", "token_lists", "count_lists"})
    for (const auto& entry : fs::directory_iterator(fs::path(SCVET_TEST_DATA) / source)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".json")) continue;
      write_file(folder + "/fuzz_arrow/" + source + "_" + name, read_file(entry.path().string()));
    }
}

// Files whose chunks went through filters, and odd 10x files, that the unit tests read.
void chunk_seeds(const std::string& folder) {
  const fs::path data = SCVET_TEST_DATA;
  for (const auto& entry : fs::directory_iterator(data / "chunked_h5ad"))
    write_file(folder + "/fuzz_h5ad/chunked_" + entry.path().stem().string(), read_file(entry.path().string()));
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tenx_") && name.ends_with(".h5"))
      write_file(folder + "/fuzz_tenx_h5/" + name, read_file(entry.path().string()));
  }
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

// As fuzz_codecs takes them: codec, room, block.
void codec_seeds(const std::string& folder) {
  std::ifstream file(fs::path(SCVET_TEST_DATA) / "codecs.txt");
  for (std::string name, hex; file >> name >> hex;) {
    const int codec = name == "zlib" ? 0 : name.starts_with("gzip") ? 1 : name == "zstd" ? 2 : name == "lz4" ? 4 : 7;
    std::string bytes = {static_cast<char>(codec), 64};
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
      bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    write_file(folder + "/fuzz_codecs/" + name, bytes);
  }
  // Two blocks of 4 bytes, one of them stored; literals of lz4 and lzf; bit planes.
  const auto seed = [&](const char* name, std::string bytes) { write_file(folder + "/fuzz_codecs/" + name, bytes); };
  seed("lz4_block", std::string("\x03\x40\x40"
                                "abcd",
                                7));
  seed("lz4_hdf5", std::string("\x05\x40"
                               "\0\0\0\0\0\0\0\x08"
                               "\0\0\0\x04"
                               "\0\0\0\x04"
                               "abcd"
                               "\0\0\0\x05"
                               "\x40"
                               "efgh",
                               31));
  seed("lzf", std::string("\x06\x40\x03"
                          "abcd",
                          7));
  seed("bitshuffle", std::string("\x38\x08", 2) + std::string(64, 'x'));
  seed("shuffle", std::string("\x3c\x08", 2) + std::string(64, 'x'));
}

void make(const std::string& folder) {
  for (const char* target : {"fuzz_h5ad", "fuzz_h5ad_copy", "fuzz_tenx_h5", "fuzz_loom", "fuzz_arrow", "fuzz_h5mu",
                             "fuzz_zarr", "fuzz_zip", "fuzz_pickle", "fuzz_codecs"})
    make_folders(folder + "/" + target);
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
  zarr_seeds(folder);
  zip_seeds(folder);
  loom(folder + "/fuzz_loom/v2", false);
  loom(folder + "/fuzz_loom/v3", true);
  chunk_seeds(folder);
  codec_seeds(folder);
  text_seeds(folder);
  pickle_seeds(folder);
  corpus_seeds(folder);
  arrow_seeds(folder);
  real_seeds(folder);
}

}  // namespace
}  // namespace scvet

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER\n");
    return 2;
  }
  try {
    scvet::make(argv[1]);
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
