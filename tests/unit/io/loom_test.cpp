#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hdf5_builder.h"
#include "scvet/base/error.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

using hdf5::Handle;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Of gene g and cell c.
double value_at(std::int64_t gene, std::int64_t cell) { return (gene * 7 + cell * 3) % 5 == 0 ? 1 + gene + cell : 0; }

template <typename T>
std::vector<T> matrix_of(int n_genes, int n_cells) {
  std::vector<T> values;
  for (int gene = 0; gene < n_genes; ++gene)
    for (int cell = 0; cell < n_cells; ++cell) values.push_back(static_cast<T>(value_at(gene, cell)));
  return values;
}

Handle chunks_of(hsize_t high, hsize_t wide) {
  Handle list(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[2] = {high, wide};
  H5Pset_chunk(list.get(), 2, chunk);
  H5Pset_deflate(list.get(), 2);
  return list;
}

// Texts as loompy 2 wrote them: ASCII of one width.
void fixed_texts(Hdf5Builder& builder, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string bytes;
  for (std::string text : texts) bytes += (text.resize(width, '\0'), text);
  const Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), width);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  builder.raw(name, type.get(), {texts.size()}, bytes.data());
}

void names(Hdf5Builder& builder, int n_genes, int n_cells) {
  builder.texts("row_attrs/Gene", Hdf5Builder::numbered("g", n_genes))
      .texts("col_attrs/CellID", Hdf5Builder::numbered("c", n_cells));
}

// Every cell, read `step` at a time, is what value_at says.
void expect_cells(CellSource& source, std::int64_t n_genes, std::int64_t n_cells, std::int64_t step) {
  CellChunk chunk;
  for (std::int64_t first = 0; first < n_cells; first += step) {
    const std::int64_t count = std::min(step, n_cells - first);
    source.read(first, count, chunk);
    ASSERT_EQ(chunk.indptr.size(), static_cast<std::size_t>(count) + 1);
    ASSERT_EQ(chunk.indptr.front(), 0);
    for (std::int64_t cell = 0; cell < count; ++cell) {
      auto at = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell)]);
      for (std::int64_t gene = 0; gene < n_genes; ++gene) {
        const double expected = value_at(gene, first + cell);
        if (expected == 0) continue;
        ASSERT_EQ(chunk.genes[at], gene);
        ASSERT_EQ(chunk.values[at++], expected);
      }
      ASSERT_EQ(static_cast<std::int64_t>(at), chunk.indptr[static_cast<std::size_t>(cell) + 1]);
    }
  }
}

TEST(Loom, GenesInRowsAreReadAsCellsInEveryLayoutAndType) {
  const int n_genes = 37, n_cells = 211;
  Hdf5Builder builder;
  names(builder, n_genes, n_cells);
  builder.numbers("matrix", matrix_of<float>(n_genes, n_cells), {37, 211}, chunks_of(16, 64).get())
      .numbers("layers/bytes", matrix_of<std::uint8_t>(n_genes, n_cells), {37, 211}, chunks_of(37, 1).get())
      .numbers("layers/integers", matrix_of<std::int32_t>(n_genes, n_cells), {37, 211}, chunks_of(1, 211).get())
      .numbers("layers/piece", matrix_of<double>(n_genes, n_cells), {37, 211});
  const auto file = open_cells(builder.path());
  EXPECT_STREQ(file->format(), "loom");
  ASSERT_EQ(file->matrices().size(), 4u);
  EXPECT_EQ(file->matrices().front().name, "X");
  for (const MatrixInfo& info : file->matrices()) {
    const auto source = file->open_matrix(info.name);
    EXPECT_EQ(source->info().n_cells, n_cells);
    EXPECT_EQ(source->info().n_genes, n_genes);
    if (info.name == "layers/bytes") continue;  // its numbers do not fit: below
    for (const std::int64_t step : {1, 50, 64, 211}) expect_cells(*source, n_genes, n_cells, step);
  }
  CellChunk chunk;
  file->open_matrix("layers/bytes")->read(210, 1, chunk);
  for (std::size_t at = 0; at < chunk.genes.size(); ++at)
    EXPECT_EQ(chunk.values[at], static_cast<std::uint8_t>(value_at(chunk.genes[at], 210)));
}

TEST(Loom, BandsAreWholeChunksOfCells) {
  Hdf5Builder builder;
  names(builder, 4000, 3000);
  builder.raw("matrix", H5T_NATIVE_FLOAT, {4000, 3000}, nullptr, chunks_of(4000, 700).get());
  // 64 MiB hold 2,097 cells of 4,000 doubles.
  EXPECT_EQ(open_cells(builder.path())->open_matrix("X")->chunk_cells(), 1400);
}

TEST(Loom, AttributesOfSpecificationThreeAreColumnsArraysAndKeys) {
  Hdf5Builder builder;
  builder.numbers("matrix", matrix_of<float>(3, 2), {3, 2})
      .texts("row_attrs/Gene", {"A", "B", "A"})
      .texts("row_attrs/Accession", {"ENSG1", "ENSG2", "ENSG3"})
      .numbers("row_attrs/Selected", std::vector<std::int32_t>{1, 0, 1})
      .texts("col_attrs/CellID", {"x", "y"})
      .texts("col_attrs/Type", {"T cell", "B\xc3\xa9ta"})
      .numbers("col_attrs/Age", std::vector<double>{3.5, 4})
      .numbers("col_attrs/Embedding", std::vector<float>{1, 2, 3, 4}, {2, 2})
      .group("layers")
      .group("row_graphs")
      .numbers("col_graphs/KNN/a", std::vector<std::int32_t>{0})
      .text("attrs/LOOM_SPEC_VERSION", "3.0.0")
      .text("attrs/title", "a title");
  const auto file = open_cells(builder.path());
  EXPECT_EQ(file->var().index_name, "Accession") << "Gene repeats a name";
  EXPECT_THAT(file->var().names, ElementsAre("ENSG1", "ENSG2", "ENSG3"));
  EXPECT_EQ(file->var().find("Gene")->text(2), "A");
  EXPECT_EQ(file->var().find("Selected")->integers, (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(file->obs().index_name, "CellID");
  EXPECT_EQ(file->obs().find("Type")->text(1), "B\xc3\xa9ta");
  EXPECT_EQ(file->obs().find("Age")->reals, (std::vector<double>{3.5, 4}));
  ASSERT_EQ(file->obsm().size(), 1u);
  EXPECT_EQ(file->read_obsm("Embedding").values, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_THAT(file->obsp(), ElementsAre("KNN"));
  EXPECT_THAT(file->uns_keys(), ElementsAre("LOOM_SPEC_VERSION", "title"));
  EXPECT_THAT(file->notes(), Contains("loom, specification 3.0.0"));
}

TEST(Loom, SpecificationTwoHasFixedTextsWithReferencesAndAttributesOfTheRoot) {
  Hdf5Builder builder;
  builder.numbers("matrix", matrix_of<std::int16_t>(2, 3), {2, 3});
  fixed_texts(builder, "row_attrs/Gene", {"A", "IL-1&#946;"});
  fixed_texts(builder, "col_attrs/cell_names", {"c1", "c22", "c333"});
  fixed_texts(builder, "col_attrs/Type", {"R&D", "&#233;", "&#xyz;&#99999999999;"});
  builder.attribute("/", "LOOM_SPEC_VERSION", "2.0.1").attribute("/", "CreationDate", "20190918");
  const auto file = open_cells(builder.path());
  EXPECT_THAT(file->var().names, ElementsAre("A", "IL-1\xce\xb2"));
  EXPECT_THAT(file->obs().names, ElementsAre("c1", "c22", "c333"));
  EXPECT_THAT(file->obs().find("Type")->strings, ElementsAre("R&D", "\xc3\xa9", "&#xyz;&#99999999999;"));
  EXPECT_THAT(file->uns_keys(), ElementsAre("CreationDate", "LOOM_SPEC_VERSION"));
  EXPECT_THAT(file->notes(), Contains("loom, specification 2.0.1"));
}

TEST(Loom, RowsThatNoAttributeNamesAreNumberedWithANote) {
  Hdf5Builder builder;
  builder.numbers("matrix", matrix_of<float>(2, 3), {2, 3}).group("row_attrs").group("col_attrs");
  const auto file = open_cells(builder.path());
  EXPECT_THAT(file->obs().names, ElementsAre("0", "1", "2"));
  EXPECT_THAT(file->notes(), Contains("no attribute names the genes: they are numbered"));
}

TEST(Loom, ABrokenAttributeOrLayerLosesOnlyItself) {
  Hdf5Builder builder;
  names(builder, 2, 3);
  builder.numbers("matrix", matrix_of<float>(2, 3), {2, 3})
      .numbers("col_attrs/short", std::vector<double>{1, 2})
      .numbers("layers/turned", matrix_of<float>(3, 2), {3, 2});
  const auto file = open_cells(builder.path());
  EXPECT_FALSE(file->obs().find("short"));
  EXPECT_EQ(file->matrices().size(), 1u);
  EXPECT_THAT(file->notes(), Contains(AllOf(HasSubstr("col_attrs/short left out"), HasSubstr("expected 3 entries"))));
  EXPECT_THAT(file->notes(), Contains(HasSubstr("layers/turned left out")));
}

TEST(Loom, AClaimOfTerabytesIsAnErrorAndNotAnAllocation) {
  Hdf5Builder unnamed;
  unnamed.raw("matrix", H5T_NATIVE_FLOAT, {1000000000, 4000000}, nullptr, chunks_of(64, 64).get())
      .group("row_attrs")
      .group("col_attrs");
  EXPECT_THAT(message_of([&] { open_cells(unnamed.path()); }), HasSubstr("its header is broken"));
  Hdf5Builder named;
  names(named, 2, 3);
  named.raw("matrix", H5T_NATIVE_FLOAT, {2, 4000000000}, nullptr, chunks_of(1, 64).get());
  EXPECT_NE(message_of([&] { open_cells(named.path())->open_matrix("X"); }), "no error");
}

}  // namespace
}  // namespace scvet::io
