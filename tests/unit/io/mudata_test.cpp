#include "scvet/io/mudata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hdf5_builder.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Hdf5Builder& modality(Hdf5Builder& builder, const std::string& name, std::int64_t n_cells, std::int64_t n_genes) {
  const std::string folder = "mod/" + name;
  std::vector<std::string> cells, genes;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) cells.push_back(name + "_cell" + std::to_string(cell));
  for (std::int64_t gene = 0; gene < n_genes; ++gene) genes.push_back(name + "_gene" + std::to_string(gene));
  return builder.frame(folder + "/obs", cells, {})
      .frame(folder + "/var", genes, {})
      .numbers<float>(folder + "/X", std::vector<float>(static_cast<std::size_t>(n_cells * n_genes), 1.0f),
                      {static_cast<hsize_t>(n_cells), static_cast<hsize_t>(n_genes)});
}

TEST(Mudata, AModalityIsReadByItsName) {
  Hdf5Builder builder;
  modality(builder, "rna", 3, 4);
  modality(builder, "adt", 2, 5);
  builder.frame("obs", {"a", "b", "c"}, {});
  const std::string path = builder.path();
  EXPECT_THAT(mudata_parts(path).modalities, ElementsAre("adt", "rna"));
  EXPECT_EQ(mudata_parts(path).n_obs, 3);
  const auto rna = open_cells(path, {.modality = "rna"}), adt = open_cells(path, {.modality = "adt"});
  EXPECT_STREQ(rna->format(), "h5mu");
  EXPECT_EQ(rna->path(), path);
  EXPECT_EQ(rna->obs().rows(), 3);
  EXPECT_EQ(rna->var().names.front(), "rna_gene0");
  EXPECT_EQ(adt->obs().rows(), 2);
  EXPECT_EQ(adt->open_matrix("X")->info().n_genes, 5);
  EXPECT_THAT(rna->notes().front(), HasSubstr("modality rna of adt, rna"));
}

TEST(Mudata, WithoutAChoiceOneModalityIsTakenAndSeveralAreListed) {
  Hdf5Builder one, two;
  modality(one, "rna", 3, 4);
  EXPECT_EQ(open_cells(one.path())->var().rows(), 4);
  modality(two, "rna", 3, 4);
  modality(two, "adt", 2, 5);
  const std::string path = two.path();
  EXPECT_THROW(open_cells(path), UsageError);
  EXPECT_THAT(message_of([&] { open_cells(path); }), testing::AllOf(HasSubstr("adt, rna"), HasSubstr("--modality")));
  EXPECT_THAT(message_of([&] { open_cells(path, {.modality = "RNA"}); }), HasSubstr("did you mean 'rna'"));
}

TEST(Mudata, AnnDataIsNoMudata) {
  Hdf5Builder builder;
  builder.anndata(3, 2);
  EXPECT_THAT(mudata_parts(builder.path()).modalities, IsEmpty());
  EXPECT_THAT(mudata_parts("/nowhere").modalities, IsEmpty());
}

TEST(MudataReal, ModalitiesStandInTheOrderThatTheFileStates) {
  const std::string path = std::string(SCVET_REAL_DIR) + "/mudata_v0.4.1.h5mu";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "SCVET_REAL_DIR: " << path << " is not there";
  EXPECT_THAT(mudata_parts(path).modalities, ElementsAre("mod2", "mod1"));
  EXPECT_EQ(mudata_parts(path).n_obs, 100);
  const auto file = open_cells(path, {.modality = "mod1"});
  EXPECT_EQ(file->obs().names.front(), "obs_0");
  EXPECT_EQ(file->var().rows(), 20);
}

}  // namespace
}  // namespace scvet::io
