#include "scvet/io/h5ad_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "hdf5/hdf5_file.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/random.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;

// Cells made from their numbers: gene g of cell c holds a value where a hash says so.
class MadeCells : public CellSource {
 public:
  MadeCells(std::int64_t n_cells, std::int64_t n_genes, std::string dtype, std::int64_t step) : step_(step) {
    info_ = {"X", "csr_matrix", std::move(dtype), n_cells, n_genes, -1};
    for (std::int64_t gene = 0; gene < n_genes; ++gene) var_.names.push_back("G" + std::to_string(gene));
  }
  static double value(std::int64_t cell, std::int64_t gene) {
    const std::uint64_t hash = mix(static_cast<std::uint64_t>(cell) * 1000003 + static_cast<std::uint64_t>(gene));
    return hash % 4 != 0 || cell % 10 == 3 ? 0 : static_cast<double>(hash >> 8 & 63) + 1;
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return step_; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    chunk = {first, count, {0}, {}, {}};
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      for (std::int64_t gene = 0; gene < info_.n_genes; ++gene) {
        const double x = value(cell, gene);
        if (x == 0) continue;
        chunk.genes.push_back(static_cast<std::uint32_t>(gene));
        chunk.values.push_back(info_.dtype == "bool" ? 1 : x);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }

 private:
  MatrixInfo info_;
  Table var_;
  std::int64_t step_;
};

class H5adWriter : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("scvet_h5ad_" + std::string(info->name()) + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (int cell = 0; cell < 57; ++cell) obs_.names.push_back("c" + std::to_string(cell));
    for (int gene = 0; gene < 31; ++gene) var_.names.push_back("G" + std::to_string(gene));
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string real(const std::string& name) const { return std::string(SCVET_REAL_DIR) + "/" + name; }
  H5adContent content() const {
    H5adContent made;
    made.obs = &obs_;
    made.var = &var_;
    return made;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
  Table obs_, var_;
};

std::string encoding(const hdf5::Object& object) {
  return object.text_attribute("encoding-type").value_or("none") + " " +
         object.text_attribute("encoding-version").value_or("none");
}

void expect_cells(const hdf5::Group& matrix, std::int64_t n_cells, std::int64_t n_genes) {
  EXPECT_EQ(encoding(matrix), "csr_matrix 0.1.0");
  EXPECT_EQ(matrix.integers_attribute("shape"), (std::vector<std::int64_t>{n_cells, n_genes}));
  const auto indptr = matrix.dataset("indptr").read_integers();
  const auto indices = matrix.dataset("indices").read_integers();
  const auto data = matrix.dataset("data").read_reals();
  ASSERT_EQ(indptr.size(), static_cast<std::size_t>(n_cells) + 1);
  ASSERT_EQ(static_cast<std::size_t>(indptr.back()), indices.size());
  ASSERT_EQ(indices.size(), data.size());
  std::size_t at = 0;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    ASSERT_EQ(static_cast<std::size_t>(indptr[static_cast<std::size_t>(cell)]), at);
    for (std::int64_t gene = 0; gene < n_genes; ++gene) {
      if (MadeCells::value(cell, gene) == 0) continue;
      ASSERT_EQ(indices[at], gene);
      ASSERT_EQ(data[at++], MadeCells::value(cell, gene));
    }
  }
}

TEST_F(H5adWriter, ChunksOfAnySizeGiveTheSameMatrix) {
  for (const std::int64_t step : {1, 7, 57, 1000}) {
    MadeCells cells(57, 31, "float32", step);
    H5adContent made = content();
    made.x = &cells;
    write_h5ad(path("x.h5ad"), made);
    const hdf5::Group root = hdf5::open_file(path("x.h5ad"));
    EXPECT_EQ(encoding(root), "anndata 0.1.0");
    expect_cells(root.group("X"), 57, 31);
  }
}

TEST_F(H5adWriter, ValuesSpanManyCompressedChunks) {
  for (int cell = 57; cell < 3000; ++cell) obs_.names.push_back("c" + std::to_string(cell));
  for (int gene = 31; gene < 200; ++gene) var_.names.push_back("G" + std::to_string(gene));
  for (const Compression compression : {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
    MadeCells cells(3000, 200, "int32", 640);
    H5adContent made = content();
    made.x = &cells;
    write_h5ad(path("x.h5ad"), made, {.compression = compression});
    const hdf5::Group root = hdf5::open_file(path("x.h5ad"));
    expect_cells(root.group("X"), 3000, 200);
    EXPECT_EQ(root.dataset("X/data").type().dtype, "int32");
    EXPECT_EQ(root.dataset("obs/_index").read_texts(), obs_.names);
  }
}

TEST_F(H5adWriter, KeepsTheValueTypeThatTheSourceStates) {
  for (const std::string dtype : {"float32", "float64", "int8", "int64", "uint16", "bool"}) {
    MadeCells cells(57, 31, dtype, 10);
    H5adContent made = content();
    made.x = &cells;
    made.layers = {{"again", &cells}};
    made.raw = &cells;
    write_h5ad(path("x.h5ad"), made);
    const hdf5::Group root = hdf5::open_file(path("x.h5ad"));
    for (const char* matrix : {"X", "layers/again", "raw/X"})
      EXPECT_EQ(root.dataset(std::string(matrix) + "/data").type().dtype, dtype) << matrix;
    EXPECT_EQ(root.dataset("X/indptr").type().dtype, "int32");
    EXPECT_EQ(root.dataset("X/indices").type().dtype, "int32");
    EXPECT_EQ(encoding(root.group("raw/var")), "dataframe 0.2.0");
  }
}

TEST_F(H5adWriter, ColumnsTakeTheEncodingsOfAnndata08) {
  Column few = categorical_column("few", {});
  Column many = categorical_column("many", {});
  for (int level = 0; level < 300; ++level) many.categories.push_back("m" + std::to_string(level));
  few.categories = {"b", "a"};
  few.ordered = true;
  Column gaps = string_column("gaps", {});
  Column maybe = integer_column("maybe", {});
  for (int cell = 0; cell < 57; ++cell) {
    few.codes.push_back(cell % 3 - 1);
    many.codes.push_back(cell * 5);
    gaps.strings.push_back(cell % 2 ? "x" : "");
    gaps.missing.push_back(cell % 2 == 0);
    maybe.integers.push_back(cell);
    maybe.missing.push_back(cell == 4);
  }
  maybe.dtype = "Int16";
  Column sure = boolean_column("sure", std::vector<bool>(57, true));
  Column unsure = sure;
  unsure.name = "unsure";
  unsure.missing.assign(57, 0);
  unsure.missing[9] = 1;
  Column plain = string_column("plain", std::vector<std::string>(57, "na\xc3\xafve"));
  Column real = real_column("real", std::vector<double>(57, std::nan("")));
  obs_.columns = {few, many, gaps, maybe, sure, unsure, plain, real};
  write_h5ad(path("x.h5ad"), content());
  const hdf5::Group obs = hdf5::open_file(path("x.h5ad")).group("obs");
  EXPECT_EQ(encoding(obs), "dataframe 0.2.0");
  EXPECT_EQ(obs.text_attribute("_index"), "_index");
  EXPECT_EQ(obs.texts_attribute("column-order"), obs_.column_names());
  EXPECT_EQ(encoding(obs.group("few")), "categorical 0.2.0");
  EXPECT_EQ(obs.group("few").integers_attribute("ordered"), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(obs.dataset("few/codes").type().dtype, "int8");
  EXPECT_EQ(obs.dataset("few/categories").read_texts(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(obs.dataset("many/codes").type().dtype, "int16");
  EXPECT_EQ(obs.dataset("many/codes").read_integers()[56], 280);
  EXPECT_EQ(encoding(obs.group("gaps")), "categorical 0.2.0");
  EXPECT_EQ(obs.dataset("gaps/codes").read_integers()[0], -1);
  EXPECT_EQ(encoding(obs.group("maybe")), "nullable-integer 0.1.0");
  EXPECT_EQ(obs.dataset("maybe/values").type().dtype, "int16");
  EXPECT_EQ(obs.dataset("maybe/mask").read_integers()[4], 1);
  EXPECT_EQ(obs.dataset("sure").type().dtype, "bool");
  EXPECT_EQ(encoding(obs.group("unsure")), "nullable-boolean 0.1.0");
  EXPECT_EQ(encoding(obs.dataset("plain")), "string-array 0.2.0");
  EXPECT_TRUE(obs.dataset("plain").type().variable_length);
  EXPECT_TRUE(std::isnan(obs.dataset("real").read_reals()[3]));
}

TEST_F(H5adWriter, OddColumnNamesAreRenamedAndNoted) {
  for (const char* name : {"_index", "a/b", "a_b", "", "."})
    obs_.columns.push_back(integer_column(name, std::vector<std::int64_t>(57, 1)));
  const auto notes = write_h5ad(path("x.h5ad"), content());
  const auto order = hdf5::open_file(path("x.h5ad")).group("obs").texts_attribute("column-order");
  EXPECT_EQ(order, (std::vector<std::string>{"column_index", "a_b", "a_b_1", "column_", "column_."}));
  EXPECT_EQ(notes.size(), 5u);
}

TEST_F(H5adWriter, BytesThatAreNotUtf8AreTakenForLatin1AndNoted) {
  obs_.columns = {string_column("where", std::vector<std::string>(57, "Z\xfcrich"))};
  obs_.names[5] = "\xed\xa0\x80";  // a lone surrogate is no UTF-8 either
  const auto notes = write_h5ad(path("x.h5ad"), content());
  const hdf5::Group obs = hdf5::open_file(path("x.h5ad")).group("obs");
  EXPECT_EQ(obs.dataset("where").read_texts()[0], "Z\xc3\xbcrich");
  EXPECT_EQ(obs.dataset("_index").read_texts()[4], "c4");
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("57 texts of where"), std::string::npos) << notes[0];
}

TEST_F(H5adWriter, NoCellsAndNoGenesAreAFileToo) {
  obs_.names.clear();
  var_.names.clear();
  MadeCells cells(0, 0, "float32", 10);
  H5adContent made = content();
  made.x = &cells;
  write_h5ad(path("x.h5ad"), made);
  const hdf5::Group root = hdf5::open_file(path("x.h5ad"));
  EXPECT_EQ(root.dataset("X/indptr").read_integers(), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(root.dataset("obs/_index").size(), 0);
}

TEST_F(H5adWriter, TheSameContentGivesTheSameBytes) {
  obs_.columns = {string_column("s", std::vector<std::string>(57, "x")),
                  categorical_column("c", std::vector<std::string>(57, "y"))};
  const auto write = [&](const std::string& name) {
    MadeCells cells(57, 31, "float32", 10);
    H5adContent made = content();
    made.x = &cells;
    made.uns = {{"k", "v"}};
    write_h5ad(path(name), made);
    return sha256_path(path(name));
  };
  const std::string first = write("one.h5ad");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 would store times in seconds
  EXPECT_EQ(write("two.h5ad"), first);
}

TEST_F(H5adWriter, AFailingSourceLeavesNoFile) {
  struct Broken : MadeCells {
    using MadeCells::MadeCells;
    void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
      if (first > 0) throw DataError("row 10 is broken");
      MadeCells::read(first, count, chunk);
    }
  } broken(57, 31, "float32", 10);
  H5adContent made = content();
  made.x = &broken;
  EXPECT_THROW(write_h5ad(path("x.h5ad"), made), DataError);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(H5adWriter, AMatrixOfAnotherShapeIsRefused) {
  MadeCells cells(56, 31, "float32", 10);
  H5adContent made = content();
  made.x = &cells;
  EXPECT_THROW(write_h5ad(path("x.h5ad"), made), InternalError);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(H5adWriter, AnUnwritableTargetIsAResourceErrorWithItsName) {
  write_file(path("file"), "x");
  try {
    write_h5ad(path("file/x.h5ad"), content());
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find(path("file")), std::string::npos) << error.what();
  }
}

// Annotated copies, of files written here or by others.
class AnnotatedCopy : public H5adWriter {
 protected:
  // A small typed file with a column of its own and one of an earlier run.
  std::string source() {
    MadeCells cells(57, 31, "float32", 10);
    obs_.columns = {categorical_column("cell_type", std::vector<std::string>(57, "B")),
                    real_column("scvet_jstar", std::vector<double>(57, 0.25))};
    H5adContent made = content();
    made.x = &cells;
    made.uns = {{"title", "t"}};
    write_h5ad(path("source.h5ad"), made);
    return path("source.h5ad");
  }
  std::vector<Column> columns(const std::string& name, std::int64_t rows = 57) const {
    return {real_column(name, std::vector<double>(static_cast<std::size_t>(rows), 0.75))};
  }
  // Opens a file for changes with the C API.
  static hdf5::Handle edit(const std::string& file) {
    return hdf5::Handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  }
};

// The compressed chunks of a data set, as they lie in the file.
std::vector<std::string> stored_chunks(const hdf5::Dataset& set) {
  std::vector<std::string> chunks;
  hsize_t count = 0;
  const hdf5::Handle space(H5Dget_space(set.id()));
  EXPECT_GE(H5Dget_num_chunks(set.id(), space.get(), &count), 0);
  for (hsize_t at = 0; at < count; ++at) {
    hsize_t offset[2] = {}, bytes = 0;
    haddr_t address = 0;
    unsigned mask = 0;
    EXPECT_GE(H5Dget_chunk_info(set.id(), space.get(), at, offset, &mask, &address, &bytes), 0);
    chunks.emplace_back(bytes, '\0');
    std::uint32_t filters = 0;
    EXPECT_GE(H5Dread_chunk(set.id(), H5P_DEFAULT, offset, &filters, chunks.back().data()), 0);
  }
  return chunks;
}

TEST_F(AnnotatedCopy, AddsColumnsAndKeepsAllElse) {
  const auto notes = annotate_copy(source(), path("copy.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  EXPECT_TRUE(notes.empty());
  const hdf5::Group copy = hdf5::open_file(path("copy.h5ad"));
  EXPECT_EQ(copy.group("obs").texts_attribute("column-order"),
            (std::vector<std::string>{"cell_type", "scvet_jstar", "scvet_p"}));
  EXPECT_EQ(copy.dataset("obs/scvet_p").read_reals()[56], 0.75);
  EXPECT_EQ(copy.dataset("obs/_index").read_texts(), obs_.names);
  EXPECT_EQ(copy.dataset("uns/title").read_texts(), (std::vector<std::string>{"t"}));
  EXPECT_EQ(copy.dataset("uns/scvet_version").read_texts(), (std::vector<std::string>{"1"}));
  expect_cells(copy.group("X"), 57, 31);
}

TEST_F(AnnotatedCopy, MatricesAreCopiedByteForByte) {
  if (!fs::exists(real("kang_pbmc_2000.h5ad"))) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  annotate_copy(real("kang_pbmc_2000.h5ad"), path("copy.h5ad"), columns("scvet_p", 2000));
  const hdf5::Group from = hdf5::open_file(real("kang_pbmc_2000.h5ad")), to = hdf5::open_file(path("copy.h5ad"));
  for (const char* part : {"X/data", "X/indices"}) {
    const auto chunks = stored_chunks(from.dataset(part));
    EXPECT_GT(chunks.size(), 1u);
    EXPECT_EQ(chunks, stored_chunks(to.dataset(part))) << part;
  }
}

TEST_F(AnnotatedCopy, ReplacesItsOwnColumnsOnly) {
  annotate_copy(source(), path("copy.h5ad"), columns("scvet_jstar"), {});
  const hdf5::Group obs = hdf5::open_file(path("copy.h5ad")).group("obs");
  EXPECT_EQ(obs.texts_attribute("column-order"), (std::vector<std::string>{"cell_type", "scvet_jstar"}));
  EXPECT_EQ(obs.dataset("scvet_jstar").read_reals()[0], 0.75);
  try {
    annotate_copy(source(), path("second.h5ad"), columns("cell_type"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().field, "cell_type");
    EXPECT_EQ(error.facts().file, path("source.h5ad"));
  }
  EXPECT_FALSE(fs::exists(path("second.h5ad")));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(AnnotatedCopy, ACopyOfACopyIsStable) {
  annotate_copy(source(), path("one.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  annotate_copy(path("one.h5ad"), path("two.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  annotate_copy(path("one.h5ad"), path("again.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  EXPECT_EQ(sha256_path(path("two.h5ad")), sha256_path(path("again.h5ad")));
  const std::unique_ptr<CellFile> file = open_cells(path("two.h5ad"));
  EXPECT_EQ(file->obs().column_names(), (std::vector<std::string>{"cell_type", "scvet_jstar", "scvet_p"}));
}

TEST_F(AnnotatedCopy, NeverReplacesItsSource) {
  const std::string file = source(), before = sha256_path(file);
  EXPECT_THROW(annotate_copy(file, file, columns("scvet_p")), UsageError);
  fs::create_symlink(file, path("link.h5ad"));
  EXPECT_THROW(annotate_copy(file, path("link.h5ad"), columns("scvet_p")), UsageError);
  EXPECT_EQ(sha256_path(file), before);
}

TEST_F(AnnotatedCopy, ColumnsOfAnotherLengthAreRefused) {
  EXPECT_THROW(annotate_copy(source(), path("copy.h5ad"), columns("scvet_p", 56)), InternalError);
}

TEST_F(AnnotatedCopy, BrokenEntriesOfUnsAndForeignObjectsAreLeftOutAndNoted) {
  const std::string file = source();
  {
    const hdf5::Handle open = edit(file);
    H5Lcreate_soft("/nowhere", open.get(), "uns/dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", open.get(), "uns/outside", H5P_DEFAULT, H5P_DEFAULT);
    const hdf5::Handle inner(H5Gcreate2(open.get(), "uns/inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hdf5::Handle odd(H5Gcreate2(inner.get(), "odd", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hdf5::Handle text(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
    H5Tset_size(text.get(), 8);
    const hdf5::Handle attribute(
        H5Acreate2(odd.get(), "encoding-type", text.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute.get(), text.get(), "unheard");
    const hdf5::Handle type(H5Tcopy(H5T_NATIVE_INT));
    H5Tcommit2(open.get(), "a_type", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }
  const auto notes = annotate_copy(file, path("copy.h5ad"), columns("scvet_p"));
  const std::string all = join(notes, "\n");
  for (const char* name : {"dangling", "outside", "odd", "a_type"})
    EXPECT_NE(all.find(name), std::string::npos) << name << " in:\n" << all;
  EXPECT_EQ(notes.size(), 4u) << all;
  const hdf5::Group copy = hdf5::open_file(path("copy.h5ad"));
  EXPECT_EQ(copy.group("uns").members(), (std::vector<std::string>{"inner", "title"}));
  EXPECT_FALSE(copy.has("a_type"));
}

TEST_F(AnnotatedCopy, NullableStringsBecomeWhatEveryVersionReads) {
  const std::string file = source();
  {
    const hdf5::Handle open = edit(file);
    Column gaps = string_column("gaps", std::vector<std::string>(57, "x"));
    Table other = obs_;
    other.columns = {boolean_column("mask", std::vector<bool>(57, true)), gaps};
    H5adContent made = content();
    made.obs = &other;
    write_h5ad(path("parts.h5ad"), made);
    const hdf5::Handle parts(H5Fopen(path("parts.h5ad").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hdf5::Handle group(H5Gcreate2(open.get(), "obs/gaps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Ocopy(parts.get(), "obs/gaps", group.get(), "values", H5P_DEFAULT, H5P_DEFAULT);
    H5Ocopy(parts.get(), "obs/mask", group.get(), "mask", H5P_DEFAULT, H5P_DEFAULT);
    const hdf5::Handle text(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
    H5Tset_size(text.get(), 22);
    const hdf5::Handle type(
        H5Acreate2(group.get(), "encoding-type", text.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(type.get(), text.get(), "nullable-string-array\0");
  }
  const auto notes = annotate_copy(file, path("copy.h5ad"), columns("scvet_p"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("obs/gaps"), std::string::npos) << notes[0];
  const hdf5::Group gaps = hdf5::open_file(path("copy.h5ad")).group("obs/gaps");
  EXPECT_EQ(encoding(gaps), "categorical 0.2.0");
  EXPECT_EQ(gaps.dataset("codes").read_integers(), std::vector<std::int64_t>(57, -1));
}

TEST_F(AnnotatedCopy, OldLayoutsBecomeTypedGroups) {
  for (const char* name :
       {"anndata_v0.5.0_pbmc68k_reduced.h5ad", "anndata_v0.7.0.h5ad", "scvi_tm_droplet_h5sparse.h5ad"}) {
    if (!fs::exists(real(name))) GTEST_SKIP() << "no " << name << " under " << SCVET_REAL_DIR;
    const std::unique_ptr<CellFile> from = open_cells(real(name));
    annotate_copy(*from, path("copy.h5ad"), columns("scvet_p", from->obs().rows()));
    const hdf5::Group root = hdf5::open_file(path("copy.h5ad"));
    EXPECT_EQ(encoding(root), "anndata 0.1.0") << name;
    for (const char* frame : {"obs", "var"}) EXPECT_EQ(encoding(root.group(frame)), "dataframe 0.2.0") << name;
    const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
    EXPECT_EQ(to->obs().names, from->obs().names) << name;
    for (const Column& column : from->obs().columns) {
      const Column* same = to->obs().find(column.name);
      ASSERT_NE(same, nullptr) << name << " " << column.name;
      EXPECT_EQ(same->categories, column.categories) << name << " " << column.name;
      EXPECT_EQ(same->codes, column.codes) << name << " " << column.name;
      EXPECT_EQ(same->integers, column.integers) << name << " " << column.name;
      EXPECT_EQ(same->dtype, column.dtype) << name << " " << column.name;
    }
  }
}

TEST_F(AnnotatedCopy, CategoriesOfACompoundTableAreNoLongerInUns) {
  const std::string name = "anndata_v0.5.0_pbmc68k_reduced.h5ad";
  if (!fs::exists(real(name))) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  annotate_copy(real(name), path("copy.h5ad"), columns("scvet_p", 700));
  const hdf5::Group uns = hdf5::open_file(path("copy.h5ad")).group("uns");
  EXPECT_FALSE(uns.has("louvain_categories"));
  EXPECT_TRUE(uns.has("louvain_colors"));
  EXPECT_EQ(encoding(uns.group("neighbors/connectivities")), "csr_matrix 0.1.0");
}

TEST_F(AnnotatedCopy, TenxFilesAreWrittenAnew) {
  const std::string name = real("tenx_v3_filtered_feature_bc_matrix.h5");
  if (!fs::exists(name)) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  const std::unique_ptr<CellFile> from = open_cells(name);
  const std::int64_t rows = from->obs().rows();
  annotate_copy(*from, path("copy.h5ad"), columns("scvet_p", rows));
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_STREQ(to->format(), "h5ad");
  EXPECT_EQ(to->obs().names, from->obs().names);
  EXPECT_EQ(to->var().names, from->var().names);
  EXPECT_EQ(to->var().column_names(), from->var().column_names());
  ASSERT_NE(to->obs().find("scvet_p"), nullptr);
  CellChunk left, right;
  from->open_matrix(from->matrices().front().name)->read(0, rows, left);
  to->open_matrix("X")->read(0, rows, right);
  EXPECT_EQ(left.indptr, right.indptr);
  EXPECT_EQ(left.genes, right.genes);
  EXPECT_EQ(left.values, right.values);
  EXPECT_GT(left.values.size(), 1000u);
}

TEST_F(AnnotatedCopy, ATruncatedSourceLeavesNoCopy) {
  const std::string bytes = read_file(source());
  write_file(path("short.h5ad"), std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_THROW(annotate_copy(path("short.h5ad"), path("copy.h5ad"), columns("scvet_p")), DataError);
  EXPECT_EQ(entries(), 2u);
}

}  // namespace
}  // namespace scvet::io
