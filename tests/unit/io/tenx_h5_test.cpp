#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "hdf5/hdf5_file.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/format.h"
#include "scvet/io/tenx.h"

namespace scvet::io {
extern const FormatRecord tenx_h5_format;
namespace {
namespace fs = std::filesystem;
using hdf5::Handle;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

CellChunk read_all(CellFile& file) {
  CellChunk chunk;
  const auto source = file.open_matrix(file.matrices().at(0).name);
  source->read(0, source->info().n_cells, chunk);
  return chunk;
}

std::string message_of(const std::string& path, const OpenOptions& options = {}) {
  try {
    const auto file = tenx_h5_format.open(path, options);
    read_all(*file);
  } catch (const Error& error) {
    return std::to_string(error.exit_code()) + ": " + error.what();
  }
  return "no error";
}

// Writes a file of 3 genes and 2 cells, whole or with faults.
class TenxH5 : public testing::Test {
 protected:
  TenxH5()
      : path_(testing::TempDir() + "tenx_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".h5") {
    hdf5::start_library();
    file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  }
  ~TenxH5() override { fs::remove(path_); }

  void group(const std::string& name) {
    const Handle made(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_TRUE(made);
  }
  void numbers(const std::string& name, const std::vector<std::int64_t>& values) {
    const hsize_t n = values.size();
    const Handle space(H5Screate_simple(1, &n, nullptr));
    const Handle made(
        H5Dcreate2(file_.get(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(made.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  void texts(const std::string& name, const std::vector<std::string>& values) {
    constexpr std::size_t kWidth = 24;
    std::string bytes;
    for (std::string value : values) {
      value.resize(kWidth);
      bytes += value;
    }
    const hsize_t n = values.size();
    const Handle space(H5Screate_simple(1, &n, nullptr));
    const Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), kWidth);
    const Handle made(
        H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  }
  void arrays(const std::string& at, std::vector<std::int64_t> indptr = {0, 2, 3},
              std::vector<std::int64_t> indices = {2, 0, 1}) {
    numbers(at + "/indptr", indptr);
    numbers(at + "/indices", indices);
    numbers(at + "/data", {7, 5, 9});
    numbers(at + "/shape", {3, 2});
    texts(at + "/barcodes", {"c1", "c2"});
  }
  void layout_3() {
    group("matrix");
    group("matrix/features");
    arrays("matrix");
    texts("matrix/features/name", {"A", "B", "CD3"});
  }
  const std::string& close() {
    file_.reset();
    return path_;
  }
  std::string path_;
  Handle file_;
};

TEST_F(TenxH5, NamesAloneAreEnoughAndUnsortedGenesAreSorted) {
  layout_3();
  ASSERT_TRUE(tenx_h5_format.recognises(close()));
  const auto file = tenx_h5_format.open(path_, {});
  EXPECT_THAT(file->var().names, ElementsAre("A", "B", "CD3"));
  EXPECT_THAT(file->feature_fields(), ElementsAre("name"));
  const CellChunk chunk = read_all(*file);
  EXPECT_THAT(chunk.indptr, ElementsAre(0, 2, 3));
  EXPECT_THAT(chunk.genes, ElementsAre(0, 2, 1));
  EXPECT_THAT(chunk.values, ElementsAre(5, 7, 9));
}

TEST_F(TenxH5, IdsAreTheIndexAndTypesAreTold) {
  layout_3();
  texts("matrix/features/id", {"ENSG01", "ENSG02", "ab"});
  texts("matrix/features/feature_type", {"Gene Expression", "Gene Expression", "Antibody Capture"});
  const auto file = tenx_h5_format.open(close(), {});
  EXPECT_THAT(file->var().names, ElementsAre("ENSG01", "ENSG02", "ab"));
  EXPECT_EQ(file->var().find("feature_name")->text(0), "A");
  EXPECT_THAT(file->notes().at(0), HasSubstr("Antibody Capture (1), Gene Expression (2)"));
}

TEST_F(TenxH5, RepeatedIdsDoNotBecomeTheIndex) {
  layout_3();
  texts("matrix/features/id", {"x", "x", "y"});
  const auto file = tenx_h5_format.open(close(), {});
  EXPECT_THAT(file->var().names, ElementsAre("A", "B", "CD3"));
  EXPECT_EQ(file->var().find("gene_ids")->text(1), "x");
}

TEST_F(TenxH5, SeveralGenomesAreAskedForAndTheAnswerIsObeyed) {
  for (const std::string genome : {"GRCh38", "mm10"}) {
    group(genome);
    arrays(genome);
    texts(genome + "/gene_names", {genome + "_A", genome + "_B", genome + "_C"});
  }
  EXPECT_THAT(tenx_matrices(close()), ElementsAre("GRCh38", "mm10"));
  EXPECT_THAT(message_of(path_), AllOf(HasSubstr("2: "), HasSubstr("GRCh38, mm10"), HasSubstr("--genome")));
  EXPECT_THAT(message_of(path_, {.genome = "mm9"}), AllOf(HasSubstr("2: "), HasSubstr("not 'mm9'")));
  EXPECT_EQ(tenx_h5_format.open(path_, {.genome = "mm10"})->var().names[0], "mm10_A");
  EXPECT_EQ(tenx_h5_format.open(path_, {.genome = "GRCh38"})->var().names[0], "GRCh38_A");
}

TEST_F(TenxH5, EachGenomeOfLayout3GivesItsOwnGenesWithoutThePrefix) {
  layout_3();
  texts("matrix/features/genome", {"GRCh38", "mm10", "GRCh38"});
  texts("matrix/features/id", {"GRCh38_ENSG1", "mm10___ENSMUSG1", "GRCh38_ENSG2"});
  const auto both = tenx_h5_format.open(close(), {});
  EXPECT_THAT(both->var().names, ElementsAre("GRCh38_ENSG1", "mm10___ENSMUSG1", "GRCh38_ENSG2"));
  EXPECT_THAT(both->notes().front(), HasSubstr("several genomes: GRCh38 (2), mm10 (1)"));
  const auto human = tenx_h5_format.open(path_, {.genome = "GRCh38"}),
             mouse = tenx_h5_format.open(path_, {.genome = "mm10"});
  EXPECT_THAT(human->var().names, ElementsAre("ENSG1", "ENSG2"));
  EXPECT_EQ(human->matrices()[0].n_genes, 2);
  EXPECT_THAT(human->notes().front(), HasSubstr("genome GRCh38: 2 of 3 features are kept, its name taken off theirs"));
  EXPECT_THAT(mouse->var().names, ElementsAre("ENSMUSG1"));
  const CellChunk a = read_all(*human), b = read_all(*mouse);
  EXPECT_THAT(a.indptr, ElementsAre(0, 2, 2));
  EXPECT_THAT(a.genes, ElementsAre(0, 1));
  EXPECT_THAT(a.values, ElementsAre(5, 7));
  EXPECT_THAT(b.indptr, ElementsAre(0, 0, 1));
  EXPECT_THAT(b.values, ElementsAre(9));
}

TEST_F(TenxH5, AGenomeThatLayout3DoesNotHaveIsNeverIgnored) {
  layout_3();
  EXPECT_THAT(message_of(close(), {.genome = "mm10"}), AllOf(HasSubstr("2: "), HasSubstr("does not say")));
  EXPECT_THAT(message_of(SCVET_TEST_DATA "/tenx_two_genomes.h5", {.genome = "rn6"}),
              AllOf(HasSubstr("2: "), HasSubstr("GRCh38, mm10"), HasSubstr("not of 'rn6'")));
}

// Files of tests/data/make_tenx_oddities.py, after the layouts that 10x documents.

TEST(TenxOddities, ProbesThatPassedAreSummedByGene) {
  const auto file = tenx_h5_format.open(SCVET_TEST_DATA "/tenx_probes.h5", {});
  EXPECT_THAT(file->var().names, ElementsAre("ENSG01", "ENSG02"));
  EXPECT_EQ(file->var().find("feature_name")->text(1), "BBB");
  EXPECT_THAT(file->notes(), testing::Contains(HasSubstr("4 of 5 probes passed the filter, summed by gene (2 genes)")));
  EXPECT_THAT(file->feature_fields(), testing::Contains("probe_region"));
  const CellChunk chunk = read_all(*file);
  EXPECT_THAT(chunk.indptr, ElementsAre(0, 2, 3, 3));
  EXPECT_THAT(chunk.genes, ElementsAre(0, 1, 0));
  EXPECT_THAT(chunk.values, ElementsAre(1 + 2, 8, 32 + 64)) << "the second probe of BBB did not pass";
  EXPECT_EQ(file->obs().find("filtered_barcodes")->integers, (std::vector<std::int64_t>{1, 0, 0}));
  EXPECT_THAT(file->notes(), testing::Contains(HasSubstr("1 of 3 barcodes are cells")));
}

TEST(TenxOddities, AFileWithoutGenomesAsCellBenderWritesIsRead) {
  const auto file = tenx_h5_format.open(SCVET_TEST_DATA "/tenx_cellbender.h5", {});
  EXPECT_THAT(file->var().names, ElementsAre("ENSG01", "ENSG02"));
  EXPECT_FALSE(file->var().find("genome"));
  EXPECT_THAT(read_all(*file).values, ElementsAre(1, 2, 3));
}

TEST(TenxOddities, AntibodiesGuidesAndTagsAreToldFromGenes) {
  const auto file = tenx_h5_format.open(SCVET_TEST_DATA "/tenx_citeseq.h5", {});
  EXPECT_EQ(file->var().rows(), 5);
  EXPECT_THAT(file->notes().front(), AllOf(HasSubstr("not all genes"), HasSubstr("Antibody Capture (1)"),
                                           HasSubstr("CRISPR Guide Capture (1)"), HasSubstr("Gene Expression (2)"),
                                           HasSubstr("Multiplexing Capture (1)")));
}

TEST(TenxOddities, MoleculeInfoOfToday) {
  EXPECT_THAT(message_of(SCVET_TEST_DATA "/tenx_molecule_info.h5"),
              AllOf(HasSubstr("3: "), HasSubstr("molecule_info"), HasSubstr("filtered_feature_bc_matrix.h5")));
}

TEST_F(TenxH5, MoleculeInfoSaysWhatIsNeeded) {
  numbers("barcode_idx", {0});
  numbers("feature_idx", {0});
  numbers("count", {1});
  ASSERT_TRUE(tenx_h5_format.recognises(close()));
  EXPECT_THAT(message_of(path_), AllOf(HasSubstr("3: "), HasSubstr("filtered_feature_bc_matrix.h5")));
}

TEST_F(TenxH5, BadPointersAndIndicesNameTheCell) {
  group("matrix");
  group("matrix/features");
  texts("matrix/features/name", {"A", "B", "CD3"});
  arrays("matrix", {0, 3, 2});
  EXPECT_THAT(message_of(close()),
              AllOf(HasSubstr("matrix/indptr"), HasSubstr("fall from 3 to 2"), HasSubstr("cell 1")));
}

TEST_F(TenxH5, AnIndexBeyondTheGenesNamesTheCell) {
  group("matrix");
  group("matrix/features");
  texts("matrix/features/name", {"A", "B", "CD3"});
  arrays("matrix", {0, 2, 3}, {2, 0, 3});
  EXPECT_THAT(message_of(close()), AllOf(HasSubstr("gene number 3 of cell 1"), HasSubstr("3 genes")));
}

TEST_F(TenxH5, ListsOfAnotherLengthThanTheShapeAreRefused) {
  group("matrix");
  group("matrix/features");
  texts("matrix/features/name", {"A", "B"});
  arrays("matrix");
  EXPECT_THAT(message_of(close()), AllOf(HasSubstr("features/name"), HasSubstr("expected 3"), HasSubstr("found 2")));
}

TEST(TenxH5Real, LigersFilesWithoutIdsAndWithFloatCountsAreRead) {
  const std::string path = std::string(SCVET_REAL_DIR) + "/kang_liger_ctrl_300.h5";
  if (!fs::exists(path)) GTEST_SKIP() << "not here: " << path;
  const auto file = tenx_h5_format.open(path, {});
  EXPECT_EQ(file->matrices()[0].dtype, "float64");
  EXPECT_EQ(file->matrices()[0].indptr_dtype, "uint32");
  const CellChunk chunk = read_all(*file);
  EXPECT_EQ(std::accumulate(chunk.values.begin(), chunk.values.end(), 0.0), 323389);
}

TEST(TenxH5Real, TheTwoGenomesOfLayout2GiveDifferentMatrices) {
  const std::string path = std::string(SCVET_REAL_DIR) + "/tenx_v2_multiple_genomes.h5";
  if (!fs::exists(path)) GTEST_SKIP() << "not here: " << path;
  EXPECT_THAT(message_of(path), AllOf(HasSubstr("2: "), HasSubstr("another_genome, hg19_chr21")));
  const auto one = tenx_h5_format.open(path, {.genome = "another_genome"});
  const auto other = tenx_h5_format.open(path, {.genome = "hg19_chr21"});
  const CellChunk a = read_all(*one), b = read_all(*other);
  EXPECT_EQ(std::accumulate(a.values.begin(), a.values.end(), 0.0), 13);
  EXPECT_EQ(std::accumulate(b.values.begin(), b.values.end(), 0.0), 12);
  EXPECT_NE(one->var().names, other->var().names);
}

}  // namespace
}  // namespace scvet::io
