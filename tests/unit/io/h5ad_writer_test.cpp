#include "scvet/io/h5ad_writer.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "h5ad_writer_fixture.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

using namespace h5ad_fixture;

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

}  // namespace
}  // namespace scvet::io
