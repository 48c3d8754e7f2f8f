#include "scvet/jobs/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "test_cells.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

TestFile file_of(const std::string& prefix, double scale = 1) {
  TestFile file{.cells = {},
                .genes = {"TP53", "ACTB", "CD4", "CD8A"},
                .x = {},
                .raw = {},
                .counts_layer = {},
                .obs = {},
                .var = {}};
  for (int cell = 0; cell < 10; ++cell) {
    file.cells.push_back(prefix + std::to_string(cell));
    file.x.push_back({scale * (cell + 1), 3, cell % 2 ? 0. : 7., 400});
  }
  file.obs = {string_column("donor_id", std::vector<std::string>(10, prefix + "donor"))};
  return file;
}

class CorpusBuild : public testing::Test {
 protected:
  CorpusBuildOptions options(std::vector<std::string> inputs) const {
    CorpusBuildOptions all;
    all.out = folder_ / "c.corpus";
    all.inputs = std::move(inputs);
    return all;
  }
  TestFolder folder_{"corpus_build"};
  std::string a_ = file_of("a").write(folder_ / "in/a.h5ad"), b_ = file_of("b", 2).write(folder_ / "in/b.h5ad");
};

TEST_F(CorpusBuild, AFolderOfFilesBecomesOneStoreThatSaysWhereEachCellIsFrom) {
  write_file(folder_ / "in/README.txt", "about these cells");
  CorpusBuildOptions build = options({folder_ / "in"});
  build.name = "two";
  build.cutoff = "2021-06";
  const CorpusBuildResult result = build_corpus(build);
  EXPECT_EQ(result.n_cells, 20);
  const auto corpus = sketch::Corpus::open(result.path);
  EXPECT_EQ(corpus->panels().size(), 1u);
  EXPECT_EQ(corpus->card().name, "two");
  const sketch::CellOrigin origin = corpus->origin(13);
  EXPECT_EQ(origin.cell, "b3");
  EXPECT_EQ(origin.donor, "bdonor");
  EXPECT_EQ(origin.dataset, "b");
  EXPECT_EQ(origin.file, b_);
  std::vector<std::uint32_t> tokens, counts;
  corpus->read_cell(13, tokens, counts);
  EXPECT_THAT(tokens, ElementsAre(2, 3, 0));  // CD8A 400, TP53 8, ACTB 3
  EXPECT_THAT(counts, ElementsAre(400, 8, 3));
  EXPECT_TRUE(corpus->verify().empty());
}

TEST_F(CorpusBuild, BuildingAgainIsNotDoneUnlessSomethingChanged) {
  CorpusBuildOptions build = options({a_});
  EXPECT_FALSE(build_corpus(build).unchanged);
  EXPECT_TRUE(build_corpus(build).unchanged);
  build.force = true;
  EXPECT_FALSE(build_corpus(build).unchanged);
  build.force = false;
  build.name = "other";
  EXPECT_FALSE(build_corpus(build).unchanged);
  file_of("a", 5).write(a_);
  EXPECT_FALSE(build_corpus(build).unchanged);
}

TEST_F(CorpusBuild, AppendingEqualsBuildingAtOnceAndPassesOverWhatIsThere) {
  CorpusBuildOptions both = options({a_, b_});
  both.out = folder_ / "both.corpus";
  build_corpus(both);
  build_corpus(options({a_}));
  CorpusBuildOptions more = options({a_, b_});
  more.append = true;
  const CorpusBuildResult result = build_corpus(more);
  EXPECT_EQ(result.n_added, 10);
  EXPECT_THAT(result.skipped, ElementsAre(a_));
  const auto one = sketch::Corpus::open(both.out), two = sketch::Corpus::open(result.path);
  for (std::int64_t row = 0; row < 20; ++row) {
    EXPECT_EQ(one->hashes(row).counts, two->hashes(row).counts);
    EXPECT_EQ(one->origin(row).cell, two->origin(row).cell);
  }
}

TEST_F(CorpusBuild, StoresMergeAndTheSameFileTwiceIsRefused) {
  CorpusBuildOptions first = options({a_}), second = options({b_});
  first.out = folder_ / "a.corpus";
  second.out = folder_ / "b.corpus";
  build_corpus(first);
  build_corpus(second);
  EXPECT_EQ(build_corpus(options({first.out, second.out})).n_cells, 20);
  CorpusBuildOptions again = options({first.out});
  again.append = true;
  try {
    build_corpus(again);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "repeated_source");
  }
  EXPECT_EQ(sketch::Corpus::open(again.out)->n_cells(), 20);
}

TEST_F(CorpusBuild, AFailingFileLeavesNoStoreBehind) {
  TestFile broken = file_of("x");
  broken.x[9][1] = .5;
  EXPECT_THROW(build_corpus(options({a_, broken.write(folder_ / "x.h5ad")})), DataError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c.corpus"));
}

TEST_F(CorpusBuild, AFailingFileWhenAppendingLeavesTheFilesBeforeIt) {
  build_corpus(options({a_}));
  TestFile broken = file_of("x");
  broken.x[9][1] = .5;
  CorpusBuildOptions more = options({b_, broken.write(folder_ / "x.h5ad")});
  more.append = true;
  EXPECT_THROW(build_corpus(more), DataError);
  const auto corpus = sketch::Corpus::open(more.out);
  EXPECT_EQ(corpus->n_cells(), 20);
  EXPECT_TRUE(corpus->verify().empty());
}

TEST_F(CorpusBuild, TopkCutsAtKOnTheVocabulary) {
  write_file(folder_ / "v.tsv", "gene\ttoken\tmedian\nTP53\t2\t1\nACTB\t3\t.001\nCD8A\t4\t1000\n");
  CorpusBuildOptions build = options({a_});
  build.vocabulary = folder_ / "v.tsv";
  build.top_k = 2;
  build_corpus(build);
  const auto corpus = sketch::Corpus::open(build.out);
  std::vector<std::uint32_t> tokens, counts;
  corpus->read_cell(0, tokens, counts);
  EXPECT_THAT(tokens, ElementsAre(0, 3));  // ACTB by its small median, TP53; CD8A is cut, CD4 unknown
  EXPECT_EQ(corpus->sources()[0].n_cut_cells, 10);
  EXPECT_EQ(corpus->sources()[0].n_outside, 5);
  build.fingerprint = "positive";
  EXPECT_THROW(build_corpus(build), UsageError);
}

std::string flag_refusal(const RuleFlags& flags) {
  try {
    fingerprint_rule(flags);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_F(CorpusBuild, FlagsOfTheDictionaryMustAgree) {
  const std::string v1 = folder_ / "v1.tsv", v2 = folder_ / "v2.tsv";
  write_file(v1, "gene\ttoken\tmedian\n<pad>\t0\n<mask>\t1\nTP53\t2\t1.5\n");
  write_file(v2, "gene\ttoken\tmedian\n<pad>\t0\n<mask>\t1\n<cls>\t2\n<eos>\t3\nTP53\t4\t1.5\n");
  EXPECT_EQ(fingerprint_rule({.dictionary = v1}).top_k, 2048);
  EXPECT_EQ(fingerprint_rule({.dictionary = v2}).top_k, 4094);
  EXPECT_EQ(fingerprint_rule({.top_k = 7, .vocabulary = "geneformer-v2", .dictionary = v2}).top_k, 7);
  EXPECT_EQ(fingerprint_rule({.vocabulary = v1}).vocabulary->kind(), VocabularyKind::kGeneformerV1);
  EXPECT_EQ(fingerprint_rule({.vocabulary = "universe"}).vocabulary, nullptr);
  EXPECT_THAT(flag_refusal({.vocabulary = "geneformer-v1"}), HasSubstr("with --dictionary"));
  EXPECT_THAT(flag_refusal({.vocabulary = "geneformer-v1", .dictionary = v2}),
              AllOf(HasSubstr("of kind geneformer-v2"), HasSubstr("<cls>")));
  EXPECT_THAT(flag_refusal({.vocabulary = "geneformer-v2", .dictionary = v1}), HasSubstr("of kind geneformer-v1"));
  EXPECT_THAT(flag_refusal({.vocabulary = v1, .dictionary = v2}), HasSubstr("both name a dictionary"));
  EXPECT_THAT(flag_refusal({.vocabulary = "universe", .dictionary = v1}), HasSubstr("leave one of them out"));
  EXPECT_THAT(flag_refusal({.fingerprint = "positive", .dictionary = v1}), HasSubstr("every gene above 0"));
  EXPECT_THAT(flag_refusal({.fingerprint = "topk"}), HasSubstr("name its dictionary"));
  EXPECT_THAT(flag_refusal({.fingerprint = "top"}), HasSubstr("expected topk or positive"));
  EXPECT_THAT(flag_refusal({.top_k = 100}), HasSubstr("a --dictionary whose ranks it cuts"));
  EXPECT_THAT(flag_refusal({.top_k = -1, .dictionary = v1}), HasSubstr("expected 1 or more"));
}

TEST_F(CorpusBuild, WrongFlagsAndMissingFilesAreSaid) {
  EXPECT_THROW(build_corpus(options({folder_ / "none.h5ad"})), DataError);
  CorpusBuildOptions build = options({a_});
  build.cutoff = "June 2021";
  EXPECT_THROW(build_corpus(build), UsageError);
  build = options({a_});
  build.donor_key = "patient";
  EXPECT_THROW(build_corpus(build), UsageError);
  build = options({a_});
  build.fingerprint = "topk";
  EXPECT_THROW(build_corpus(build), UsageError);
}

TEST_F(CorpusBuild, InfoCountsRepeatsPanelsAndQuantiles) {
  TestFile copy = file_of("a");
  copy.cells[0] = "other";
  copy.genes = {"TP53", "ACTB", "CD4", "XIST"};
  copy.x = std::vector<std::vector<double>>(10, {1, 2, 3, 0});
  copy.x[4] = {0, 0, 0, 0};
  build_corpus(options({a_, copy.write(folder_ / "in/d.h5ad")}));
  const CorpusInfo info = corpus_info(folder_ / "c.corpus");
  EXPECT_EQ(info.n_cells, 20);
  EXPECT_EQ(info.n_empty, 1);
  EXPECT_EQ(info.panels.size(), 2u);
  EXPECT_EQ(info.n_genes, 5);
  EXPECT_EQ(info.repeated_counts, 8);  // nine equal cells of the second file
  EXPECT_EQ(info.repeated_sets, 8 + 8);
  EXPECT_THAT(info.genes_quantiles, ElementsAre(0, testing::DoubleNear(2.85, 1e-12), 3, 3, 3.25, 4, 4));
  EXPECT_THAT(corpus_info_text(info), HasSubstr("not stated"));
  const json all = json::parse(corpus_info_json(info));
  EXPECT_EQ(all["sources"][1]["n_cells"], 10);
  EXPECT_EQ(all["n_donors"], 1);
}

TEST_F(CorpusBuild, VerifyNamesTheBadSection) {
  build_corpus(options({a_}));
  EXPECT_THAT(verify_corpus(folder_ / "c.corpus"), HasSubstr("sound"));
  std::string bytes = read_file(folder_ / "c.corpus");
  bytes[bytes.find("a3a4")] = 'z';  // in the arena of cell names
  write_file(folder_ / "c.corpus", bytes);
  try {
    verify_corpus(folder_ / "c.corpus");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().field, "segment 0 names");
  }
}

}  // namespace
}  // namespace scvet::jobs
