// The h5ad reader over real files of every age, and over broken ones made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hdf5_builder.h"
#include "scvet/base/error.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;

struct Totals {
  std::int64_t stored = 0, nonzero = 0, n_nan = 0;
  double sum = 0;
  std::vector<double> row_sums;
};

// Reads in chunks of `step` cells and checks what every chunk promises.
Totals read_all(CellSource& source, std::int64_t step) {
  Totals totals;
  CellChunk chunk;
  const std::int64_t n_cells = source.info().n_cells;
  for (std::int64_t first = 0; first < n_cells; first += step) {
    source.read(first, std::min(step, n_cells - first), chunk);
    EXPECT_EQ(chunk.first_cell, first);
    EXPECT_EQ(chunk.indptr.size(), static_cast<std::size_t>(chunk.n_cells) + 1);
    EXPECT_EQ(chunk.indptr.front(), 0);
    EXPECT_EQ(chunk.indptr.back(), static_cast<std::int64_t>(chunk.genes.size()));
    for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
      double row_sum = 0;
      for (auto at = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell)]);
           at < static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell) + 1]); ++at) {
        const double value = chunk.values[at];
        totals.nonzero += value != 0;
        totals.n_nan += std::isnan(value);
        if (!std::isnan(value)) row_sum += value;
        EXPECT_LT(chunk.genes[at], source.info().n_genes);
      }
      totals.sum += row_sum;
      totals.row_sums.push_back(row_sum);
    }
    totals.stored += static_cast<std::int64_t>(chunk.genes.size());
  }
  return totals;
}

const MatrixInfo* find_info(const std::vector<MatrixInfo>& infos, const std::string& name) {
  for (const MatrixInfo& info : infos)
    if (info.name == name) return &info;
  return nullptr;
}

void expect_matrix(CellFile& file, const std::string& name, const json& expected) {
  const std::vector<MatrixInfo> infos = file.matrices();
  const MatrixInfo* info = find_info(infos, name);
  if (expected.is_null()) {
    EXPECT_EQ(info, nullptr) << name;
    return;
  }
  ASSERT_NE(info, nullptr) << name;
  EXPECT_EQ(info->kind, expected.at("kind"));
  EXPECT_EQ(info->dtype, expected.at("dtype"));
  EXPECT_EQ(info->stored, expected.at("stored"));
  EXPECT_EQ(json({info->n_cells, info->n_genes}), expected.at("shape"));
  const auto source = file.open_matrix(name);
  EXPECT_EQ(source->info().stored, info->stored);
  EXPECT_EQ(source->info().dtype, info->dtype);
  EXPECT_EQ(source->var().rows(), info->n_genes);
  const Totals totals = read_all(*source, source->chunk_cells());
  EXPECT_EQ(totals.nonzero, expected.at("nnz"));
  EXPECT_EQ(totals.n_nan, expected.at("n_nan"));
  const double sum = expected.at("sum");
  EXPECT_NEAR(totals.sum, sum, 1e-6 * std::max(1.0, std::abs(sum)));
  const Totals again = read_all(*source, 7);  // another chunking, the same rows
  EXPECT_EQ(again.row_sums, totals.row_sums);
  EXPECT_EQ(again.stored, totals.stored);
}

void expect_column(const Column& column, const json& expected) {
  EXPECT_EQ(column.dtype, expected.at("dtype")) << column.name;
  std::int64_t n_missing = 0;
  for (std::int64_t row = 0; row < column.size(); ++row) n_missing += column.is_missing(row);
  EXPECT_EQ(n_missing, expected.at("n_missing")) << column.name;
  if (expected.contains("categories")) {
    std::vector<std::string> first = column.categories;
    const std::vector<std::string> wanted = expected.at("categories");
    EXPECT_EQ(static_cast<std::int64_t>(column.categories.size()), expected.at("n_categories")) << column.name;
    first.resize(std::min(first.size(), wanted.size()));
    EXPECT_EQ(first, wanted) << column.name;
    for (const auto& [category, count] : expected.at("counts_of_first").items()) {
      const auto at = std::find(column.categories.begin(), column.categories.end(), category);
      EXPECT_EQ(std::count(column.codes.begin(), column.codes.end(), at - column.categories.begin()), count);
    }
  }
  if (expected.contains("sum")) {
    double sum = 0;
    for (std::int64_t row = 0; row < column.size(); ++row)
      if (!column.is_missing(row))
        sum += column.kind == Column::Kind::kReal ? column.reals[static_cast<std::size_t>(row)]
                                                  : static_cast<double>(column.integers[static_cast<std::size_t>(row)]);
    EXPECT_NEAR(sum, expected.at("sum"), 1e-6 * std::max(1.0, std::abs(sum))) << column.name;
  }
  if (expected.contains("first")) {
    std::vector<std::string> first;
    for (std::int64_t row = 0; row < 3 && row < column.size(); ++row)
      first.push_back(column.is_missing(row) && column.dtype != "object" ? "<NA>" : column.text(row));
    EXPECT_EQ(json(first), expected.at("first")) << column.name;
  }
}

void expect_table(const Table& table, const json& expected, const std::string& name) {
  EXPECT_EQ(table.columns.size(), expected.at(name + "_columns"));
  for (const auto& [column, facts] : expected.at(name).items()) {
    ASSERT_NE(table.find(column), nullptr) << column;
    expect_column(*table.find(column), facts);
  }
  const json first = expected.at(name + "_names_first");
  for (std::size_t row = 0; row < first.size(); ++row) EXPECT_EQ(table.names.at(row), first[row]);
  if (expected.contains(name + "_names_last")) {
    EXPECT_EQ(table.names.back(), expected.at(name + "_names_last").back());
  }
  EXPECT_EQ(find_duplicate(table.names).row_a < 0, expected.at(name + "_names_unique"));
}

json shapes(const std::vector<NamedShape>& items) {
  json result = json::object();
  for (const NamedShape& item : items) result[item.name] = item.shape;
  return result;
}

TEST(H5adRealFiles, EveryFileReadsAsItsRecordSays) {
  const std::string folder = SCVET_REAL_DIR;
  std::ifstream record(folder + "/expected.json");
  if (!record) GTEST_SKIP() << "no real files in " << folder;
  const json files = json::parse(record).at("files");
  int n_read = 0;
  for (const auto& [name, facts] : files.items()) {
    if (!name.ends_with(".h5ad")) continue;
    SCOPED_TRACE(name);
    ++n_read;
    const json& expected = facts.at("expect");
    const auto file = open_cells(folder + "/" + name);
    EXPECT_STREQ(file->format(), "h5ad");
    EXPECT_EQ(file->obs().rows(), expected.at("n_obs"));
    EXPECT_EQ(file->var().rows(), expected.at("n_vars"));
    expect_table(file->obs(), expected, "obs");
    expect_table(file->var(), expected, "var");
    expect_matrix(*file, "X", expected.at("X"));
    for (const auto& [layer, matrix] : expected.at("layers").items()) expect_matrix(*file, "layers/" + layer, matrix);
    const json raw = expected.at("raw");
    expect_matrix(*file, "raw/X", raw.is_null() ? raw : raw.at("X"));
    EXPECT_EQ(file->matrices().size(), !expected.at("X").is_null() + expected.at("layers").size() + !raw.is_null());
    EXPECT_EQ(shapes(file->obsm()), expected.at("obsm"));
    EXPECT_EQ(shapes(file->varm()), expected.at("varm"));
    EXPECT_EQ(json(file->obsp()), expected.at("obsp"));
    EXPECT_EQ(json(file->uns_keys()), expected.at("uns_keys"));
    for (const NamedShape& item : file->obsm()) {
      if (name == "anndata_v0.7.0.h5ad" && item.name == "df") continue;  // it has text columns
      const Embedding embedding = file->read_obsm(item.name);
      EXPECT_EQ(static_cast<std::int64_t>(embedding.values.size()), embedding.n_cells * embedding.n_dims);
      EXPECT_EQ(embedding.n_dims, item.shape.at(1)) << item.name;
    }
  }
  EXPECT_EQ(n_read, 20);
}

TEST(H5adReferenceFiles, FourLayoutsOfTheSameCountsGiveIdenticalRows) {
  const std::string folder = std::string(SCVET_REFERENCE_DIR) + "/audit";
  if (!fs::exists(folder)) GTEST_SKIP() << "no reference files in " << folder;
  const std::pair<const char*, const char*> files[] = {{"cellxgene_style.h5ad", "raw/X"},
                                                       {"csc_counts.h5ad", "X"},
                                                       {"legacy_categories.h5ad", "X"},
                                                       {"legacy_compound.h5ad", "X"}};
  CellChunk reference;
  std::vector<std::string> reference_genes;
  for (const auto& [name, matrix] : files) {
    SCOPED_TRACE(name);
    const auto file = open_cells(folder + "/" + name);
    const auto source = file->open_matrix(matrix);
    CellChunk chunk;
    source->read(0, source->info().n_cells, chunk);
    EXPECT_GT(chunk.genes.size(), 1000u);
    if (reference_genes.empty()) {
      reference = chunk;
      reference_genes = source->var().names;
      continue;
    }
    EXPECT_EQ(source->var().names, reference_genes);
    EXPECT_EQ(chunk.indptr, reference.indptr);
    EXPECT_EQ(chunk.genes, reference.genes);
    EXPECT_EQ(chunk.values, reference.values);
  }
}

TEST(H5adRealFiles, TruncatedFileIsRefusedWithBothSizes) {
  const std::string path = std::string(SCVET_REAL_DIR) + "/scp_truncated.h5";
  if (!fs::exists(path)) GTEST_SKIP() << "no real files in " << SCVET_REAL_DIR;
  try {
    open_cells(path);
    FAIL() << "opened a truncated file";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("truncated"), testing::HasSubstr("found 240,602")));
    EXPECT_EQ(error.facts().reason, "truncated");
  }
}

bool has_note(const CellFile& file, const std::string& part) {
  for (const std::string& note : file.notes())
    if (note.find(part) != std::string::npos) return true;
  return false;
}

// tests/data/make_chunked_h5ad.py: as other programs wrote them, through hdf5plugin.
TEST(H5ad, EveryFilterAndLayoutGivesTheSameCells) {
  int n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SCVET_TEST_DATA "/chunked_h5ad")) {
    ++n_files;
    const auto file = open_cells(entry.path().string());
    ASSERT_EQ(file->matrices().size(), 3u);
    for (const MatrixInfo& info : file->matrices()) {
      CellChunk chunk;
      const auto source = file->open_matrix(info.name);
      for (std::int64_t first = 0; first < 40; first += 7) {
        source->read(first, std::min<std::int64_t>(7, 40 - first), chunk);
        for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
          auto at = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell)]);
          for (std::int64_t gene = 0; gene < 30; ++gene) {
            if (((first + cell) * 7 + gene * 3) % 4 != 0) continue;
            ASSERT_EQ(chunk.genes.at(at), gene) << entry.path() << " " << info.name;
            ASSERT_EQ(chunk.values.at(at++), 1 + (first + cell) * gene % 9);
          }
          ASSERT_EQ(static_cast<std::int64_t>(at), chunk.indptr[static_cast<std::size_t>(cell) + 1]);
        }
      }
    }
  }
  EXPECT_EQ(n_files, 8);
}

TEST(H5ad, AbsentNullAndEmptyXAreNoX) {
  Hdf5Builder absent, null, empty, no_genes;
  absent.anndata(3, 2);
  null.anndata(3, 2).null("X").encoding("X", "null", "0.1.0");
  empty.anndata(3, 2).numbers<float>("X", {}, {0});
  no_genes.anndata(3, 0).numbers<float>("X", {}, {3, 0});
  for (Hdf5Builder* builder : {&absent, &null, &empty}) {
    const auto file = open_cells(builder->path());
    EXPECT_TRUE(file->matrices().empty());
    EXPECT_EQ(file->obs().rows(), 3);
    EXPECT_EQ(file->var().rows(), 2);
    EXPECT_THAT(message_of([&] { file->open_matrix("X"); }), testing::HasSubstr("no matrix 'X' (it has none)"));
  }
  const auto file = open_cells(no_genes.path());
  ASSERT_EQ(file->matrices().size(), 1u);
  EXPECT_EQ(read_all(*file->open_matrix("X"), 2).stored, 0);
}

TEST(H5ad, AnUnknownEncodingOfXIsAnErrorWithNameAndVersion) {
  Hdf5Builder group, dataset, unstated;
  group.anndata(1, 1).group("X").encoding("X", "bitpacked_matrix", "0.3.0");
  EXPECT_THAT(message_of([&] { open_cells(group.path()); }),
              testing::HasSubstr("X: has encoding 'bitpacked_matrix' version '0.3.0'"));
  dataset.anndata(1, 1).numbers<float>("X", {1}, {1, 1}).encoding("X", "array", "4.0.0");
  EXPECT_THAT(message_of([&] { open_cells(dataset.path()); }), testing::HasSubstr("version '4.0.0'"));
  unstated.anndata(1, 1).group("X");
  EXPECT_THAT(message_of([&] { open_cells(unstated.path()); }), testing::HasSubstr("states no encoding"));
}

TEST(H5ad, AShapeThatDisagreesWithObsIsRefused) {
  Hdf5Builder dense, sparse;
  dense.anndata(2, 2).numbers<float>("X", {1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_THAT(message_of([&] { open_cells(dense.path()); }), testing::HasSubstr("expected 2 x 2"));
  EXPECT_THAT(message_of([&] { open_cells(dense.path()); }), testing::HasSubstr("found 3 x 2"));
  sparse.anndata(2, 2).sparse<float, int, int>("X", "csr_matrix", {2, 5}, {1}, {0}, {0, 1, 1});
  EXPECT_THAT(message_of([&] { open_cells(sparse.path()); }), testing::HasSubstr("found 2 x 5"));
}

TEST(H5ad, ABrokenLayerIsLeftOutWithANoteAndItsErrorKept) {
  Hdf5Builder builder;
  builder.anndata(2, 2)
      .numbers<float>("X", {1, 2, 3, 4}, {2, 2})
      .numbers<float>("layers/good", {1, 2, 3, 4}, {2, 2})
      .group("layers/odd")
      .encoding("layers/odd", "quantised", "0.1.0")
      .numbers<float>("layers/wide", {1, 2, 3, 4, 5, 6}, {2, 3});
  const auto file = open_cells(builder.path());
  std::vector<std::string> names;
  for (const MatrixInfo& info : file->matrices()) names.push_back(info.name);
  EXPECT_THAT(names, testing::ElementsAre("X", "layers/good"));
  EXPECT_TRUE(has_note(*file, "layers/odd left out"));
  EXPECT_TRUE(has_note(*file, "layers/wide left out"));
  EXPECT_THAT(message_of([&] { file->open_matrix("layers/odd"); }), testing::HasSubstr("'quantised'"));
  EXPECT_THAT(message_of([&] { file->open_matrix("layers/none"); }), testing::HasSubstr("(has: X, layers/good)"));
}

TEST(H5ad, RawHasGenesOfItsOwn) {
  Hdf5Builder builder;
  builder.anndata(2, 1)
      .numbers<float>("X", {1, 2}, {2, 1})
      .frame("raw/var", {"r0", "r1", "r2"})
      .sparse<float, int, int>("raw/X", "csr_matrix", {2, 3}, {5, 6}, {2, 0}, {0, 1, 2})
      .encoding("raw", "raw", "0.1.0");
  const auto file = open_cells(builder.path());
  const auto source = file->open_matrix("raw/X");
  EXPECT_EQ(source->var().names, (std::vector<std::string>{"r0", "r1", "r2"}));
  EXPECT_EQ(read_all(*source, 1).sum, 11);
}

TEST(H5ad, FaultsInUnsAreIgnored) {
  Hdf5Builder builder, list;
  builder.anndata(2, 1).numbers<float>("X", {1, 2}, {2, 1}).group("uns/odd").encoding("uns/odd", "nobody-knows", "9.9");
  ASSERT_GE(H5Lcreate_external("/etc/none.h5", "/x", builder.id(), "uns/outside", H5P_DEFAULT, H5P_DEFAULT), 0);
  EXPECT_THAT(open_cells(builder.path())->uns_keys(), testing::ElementsAre("odd", "outside"));
  list.anndata(2, 1).numbers<float>("X", {1, 2}, {2, 1}).numbers<float>("uns", {1});
  EXPECT_TRUE(open_cells(list.path())->uns_keys().empty());
}

TEST(H5ad, AUsersCategoriesKeyInANewFileIsLeftAlone) {
  Hdf5Builder builder;
  builder.encoding("/", "anndata", "0.1.0")
      .frame("obs", {"a", "b"}, {"batch"})
      .numbers<std::int64_t>("obs/batch", {0, 1})
      .frame("var", {"g"})
      .texts("uns/batch_categories", {"x", "y"});
  const auto file = open_cells(builder.path());
  EXPECT_EQ(file->obs().find("batch")->dtype, "int64");
  EXPECT_THAT(file->uns_keys(), testing::ElementsAre("batch_categories"));
}

TEST(H5ad, ObjectsThatAreNotPartOfItAreSkippedAndNamed) {
  Hdf5Builder builder;
  builder.anndata(1, 1).numbers<float>("X", {1}, {1, 1}).group("extra");
  hdf5::Handle type(H5Tcopy(H5T_NATIVE_INT));
  ASSERT_GE(H5Tcommit2(builder.id(), "named", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), 0);
  ASSERT_GE(H5Lcreate_external("other.h5", "/", builder.id(), "outside", H5P_DEFAULT, H5P_DEFAULT), 0);
  type.reset();  // an open object keeps the file open
  const auto file = open_cells(builder.path());
  EXPECT_TRUE(has_note(*file, "named datatype 'named' skipped"));
  EXPECT_TRUE(has_note(*file, "'outside' is a link into another file: not followed"));
  EXPECT_TRUE(has_note(*file, "'extra' is no part of AnnData"));
}

TEST(H5ad, DuplicateNamesAreVisibleAndNotRefused) {
  Hdf5Builder builder;
  builder.encoding("/", "anndata", "0.1.0").frame("obs", {"a", "a"}).frame("var", {"g", "g"});
  const auto file = open_cells(builder.path());
  EXPECT_EQ(find_duplicate(file->obs().names).row_b, 1);
  EXPECT_EQ(find_duplicate(file->var().names).name, "g");
}

TEST(H5ad, EmbeddingsReadFromArraysSparseMatricesAndFrames) {
  Hdf5Builder builder;
  builder.anndata(2, 1)
      .numbers<double>("obsm/X_pca", {1, 2, 3, 4, 5, 6}, {2, 3})
      .numbers<float>("obsm/list", {7, 8})
      .sparse<float, int, int>("obsm/sparse", "csr_matrix", {2, 3}, {5, 6}, {2, 0}, {0, 1, 2})
      .frame("obsm/frame", {"a", "b"}, {"u", "v"})
      .numbers<double>("obsm/frame/u", {1, 2})
      .numbers<std::int32_t>("obsm/frame/v", {3, 4})
      .frame("obsm/words", {"a", "b"}, {"w"})
      .texts("obsm/words/w", {"x", "y"})
      .numbers<float>("obsm/short", {1, 2, 3}, {1, 3});
  const auto file = open_cells(builder.path());
  EXPECT_THAT(file->read_obsm("X_pca").values, testing::ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(file->read_obsm("list").n_dims, 1);
  EXPECT_THAT(file->read_obsm("sparse").values, testing::ElementsAre(0, 0, 5, 6, 0, 0));
  EXPECT_THAT(file->read_obsm("frame").values, testing::ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(message_of([&] { file->read_obsm("words"); }), testing::HasSubstr("column 'w' holds no numbers"));
  EXPECT_THAT(message_of([&] { file->read_obsm("short"); }), testing::HasSubstr("expected one row a cell (2)"));
  EXPECT_THAT(message_of([&] { file->read_obsm("X_umap"); }), testing::HasSubstr("(has: X_pca, frame, list"));
}

TEST(H5ad, AFileWithoutObsIsRefusedByName) {
  Hdf5Builder builder;
  builder.frame("var", {"g"}).numbers<float>("X", {1}, {1, 1});
  EXPECT_THAT(message_of([&] { open_cells(builder.path()); }), testing::HasSubstr("expected a group obs"));
}

}  // namespace
}  // namespace scvet::io
