#include <cmath>
#include <limits>

#include "h5ad_writer_fixture.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

using namespace h5ad_fixture;

class EmbeddingFile : public H5adWriter {
 protected:
  // Cells with a column, spatial coordinates, and parts that an embedding has no use for.
  std::string source() {
    MadeCells cells(57, 31, "float32", 10);
    obs_.columns = {categorical_column("cell_type", std::vector<std::string>(57, "B"))};
    H5adContent made = content();
    made.x = &cells;
    made.uns = {{"title", "t"}};
    for (const char* name : {"spatial", "X_old"}) made.obsm.push_back({name, 57, 2, std::vector<float>(57 * 2, 1.5F)});
    write_h5ad(path("source.h5ad"), made);
    return path("source.h5ad");
  }
  EmbeddingContent embedding(std::int64_t n_dims) {
    for (std::int64_t at = 0; at < 57 * n_dims; ++at) values_.push_back(std::sin(static_cast<float>(at)));
    values_[0] = std::numeric_limits<float>::quiet_NaN();
    return {.values = {values_.data(), 57, n_dims}, .genes = {}, .columns = {}, .uns = {{"scvet_method", "pca"}}};
  }
  std::vector<float> values_;
};

TEST_F(EmbeddingFile, ReadsBackAsTheSameFloatsInADenseX) {
  const auto file = open_cells(source());
  const EmbeddingContent content = embedding(3);
  EXPECT_TRUE(write_embedding(*file, path("pca.h5ad"), content).empty());
  const auto back = open_cells(path("pca.h5ad"));
  EXPECT_EQ(back->matrices().front().kind, "ndarray");
  EXPECT_EQ(back->matrices().front().dtype, "float32");
  EXPECT_EQ(back->var().names, (std::vector<std::string>{"V1", "V2", "V3"}));
  CellChunk chunk;
  back->open_matrix("X")->read(0, 57, chunk);
  ASSERT_EQ(chunk.values.size(), values_.size());  // none is zero
  EXPECT_TRUE(std::isnan(chunk.values[0]));
  for (std::size_t at = 1; at < values_.size(); ++at) EXPECT_EQ(static_cast<float>(chunk.values[at]), values_[at]);
}

TEST_F(EmbeddingFile, KeepsObsAndSpatialAndNothingElse) {
  const auto file = open_cells(source());
  write_embedding(*file, path("pca.h5ad"), embedding(2));
  const auto back = open_cells(path("pca.h5ad"));
  EXPECT_EQ(back->obs().names, file->obs().names);
  EXPECT_EQ(back->obs().find("cell_type")->text(56), "B");
  ASSERT_EQ(back->obsm().size(), 1u);
  EXPECT_EQ(back->read_obsm("spatial").values, std::vector<float>(57 * 2, 1.5F));
  EXPECT_EQ(back->uns_keys(), std::vector<std::string>{"scvet_method"});
}

TEST_F(EmbeddingFile, NamesGenesAndAddsColumns) {
  const auto file = open_cells(source());
  EmbeddingContent content = embedding(2);
  content.genes = {"CD4", "CD8A"};
  content.columns = {categorical_column("scvet_missing_reason", std::vector<std::string>(57, "no count"))};
  write_embedding(*file, path("hvg.h5ad"), content);
  const auto back = open_cells(path("hvg.h5ad"));
  EXPECT_EQ(back->var().find("gene")->text(1), "CD8A");
  EXPECT_EQ(back->obs().find("scvet_missing_reason")->text(3), "no count");
  EXPECT_TRUE(back->obs().find("cell_type"));
}

TEST_F(EmbeddingFile, SameContentGivesTheSameBytes) {
  const auto file = open_cells(source());
  write_embedding(*file, path("a.h5ad"), embedding(2));
  write_embedding(*file, path("b.h5ad"),
                  {.values = {values_.data(), 57, 2}, .genes = {}, .columns = {}, .uns = {{"scvet_method", "pca"}}});
  EXPECT_EQ(read_file(path("a.h5ad")), read_file(path("b.h5ad")));
}

TEST_F(EmbeddingFile, RefusesAnotherNumberOfCellsAndItsOwnSource) {
  const auto file = open_cells(source());
  EmbeddingContent content = embedding(2);
  EXPECT_THROW(write_embedding(*file, path("source.h5ad"), content), UsageError);
  content.values.rows = 56;
  EXPECT_THROW(write_embedding(*file, path("x.h5ad"), content), InternalError);
  EXPECT_FALSE(fs::exists(path("x.h5ad")));
}

}  // namespace
}  // namespace scvet::io
