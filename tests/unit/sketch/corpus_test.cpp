#include "scvet/sketch/corpus.h"

#include <gmock/gmock.h>

#include <numeric>

#include "corpus_fixture.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"

namespace scvet::sketch {
namespace {

using namespace corpus_fixture;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(CorpusStore, GivesBackEveryCellWithItsOrigin) {
  const auto corpus = Corpus::open(two_panels("c.corpus"));
  EXPECT_EQ(corpus->n_cells(), 457);
  ASSERT_EQ(corpus->panels().size(), 2u);
  EXPECT_EQ(corpus->panels()[1].size(), 900u);
  EXPECT_EQ(corpus->panel_cells(0), 307);
  EXPECT_EQ(corpus->card().cutoff, "2021-06");
  expect_cells(*corpus, 0, first_);
  expect_cells(*corpus, 300, second_);
  expect_cells(*corpus, 450, third_);
  EXPECT_EQ(corpus->origin(451).dataset, "study");
  EXPECT_EQ(corpus->origin(450).dataset, "set of c.h5ad");
  EXPECT_EQ(corpus->origin(450).file, "c.h5ad");
  EXPECT_EQ(corpus->sources()[2].first_row, 450);
  EXPECT_EQ(corpus->sources()[0].n_outside, 2);
  EXPECT_THAT(corpus->verify(), testing::IsEmpty());
}

TEST_F(CorpusStore, ViewOfAPanelSkipsOtherPanelsAndRestrictsToTheUniverse) {
  const auto corpus = Corpus::open(two_panels("c.corpus"));
  TokenMap map;
  for (std::int32_t token = 0; token < 500; ++token) map.to_universe.push_back(token % 2 ? token / 2 : -1);
  const auto view = corpus->view(0, map, 250);
  ASSERT_EQ(view->n_cells(), 307);
  EXPECT_EQ(view->store_row(299), 299);
  EXPECT_EQ(view->store_row(300), 450);
  CellSet cell;
  for (std::int64_t row = 0; row < view->n_cells(); ++row) {
    const Cell& source =
        row < 300 ? first_[static_cast<std::size_t>(row)] : third_[static_cast<std::size_t>(row - 300)];
    std::vector<std::uint16_t> tokens;
    std::vector<std::uint32_t> counts;
    for (std::size_t at = 0; at < source.tokens.size(); ++at) {
      if (source.tokens[at] % 2 == 0) continue;
      tokens.push_back(static_cast<std::uint16_t>(source.tokens[at] / 2));
      counts.push_back(static_cast<std::uint32_t>(source.counts[at]));
    }
    view->read(row, cell);
    EXPECT_EQ(cell.tokens, tokens);
    EXPECT_EQ(cell.counts, counts);
    std::vector<std::uint16_t> alone;
    view->read_tokens(row, alone);
    EXPECT_EQ(alone, tokens);
  }
  view->forget(0, 307);
  view->read(306, cell);
  EXPECT_TRUE(view->has_counts(306));
}

TEST_F(CorpusStore, StoredHashesAndSketchesAreThoseOfTheGeneNames) {
  const auto corpus = Corpus::open(two_panels("c.corpus"));
  const auto keys = gene_keys(second_panel_);
  for (std::int64_t at = 0; at < 150; ++at) {
    const Cell& cell = second_[static_cast<std::size_t>(at)];
    std::vector<std::uint64_t> genes;
    for (const std::uint32_t token : cell.tokens) genes.push_back(keys[token]);
    const CellHashes expected = hash_ranked(keys, cell.tokens, cell.counts, true), found = corpus->hashes(300 + at);
    EXPECT_EQ(found.set, expected.set);
    EXPECT_EQ(found.counts, expected.counts);
    EXPECT_EQ(found.order, expected.order);
    EXPECT_EQ(corpus->sketch(300 + at), low_bytes(minhash(genes, kStoreSeed)));
  }
}

TEST_F(CorpusStore, DetectionCountsCellsOfEachGene) {
  const auto corpus = Corpus::open(two_panels("c.corpus"));
  std::vector<std::int64_t> expected(500, 0);
  for (const auto* cells : {&first_, &third_})
    for (const Cell& cell : *cells)
      for (const std::uint32_t token : cell.tokens) ++expected[token];
  EXPECT_EQ(corpus->detection(0), expected);
}

TEST_F(CorpusStore, VocabularyTravelsWithTheStoreAndAnotherIsRefused) {
  FingerprintRule rule;
  rule.vocabulary = std::make_shared<Vocabulary>(
      std::vector<VocabularyGene>{{"GENE000001", 2, 1.5}, {"GENE000002", 3, .1}}, "small",
      std::vector<SpecialToken>{{"<pad>", 0}, {"<mask>", 1}}, CollapseMap{{"GENE000009", "GENE000001"}});
  rule.top_k = 2048;
  {
    const auto writer = CorpusWriter::create(path("c.corpus"), rule, {});
    add_source(*writer, "c.h5ad", first_panel_, third_);
    writer->finish();
  }
  const auto corpus = Corpus::open(path("c.corpus"));
  ASSERT_TRUE(corpus->rule().vocabulary);
  EXPECT_EQ(corpus->rule().vocabulary->find("GENE000002")->median, .1);
  EXPECT_EQ(corpus->rule().vocabulary->name(), "small");
  EXPECT_EQ(corpus->rule().vocabulary->kind(), VocabularyKind::kGeneformerV1);
  EXPECT_EQ(corpus->rule().vocabulary->collapsed("GENE000009"), "GENE000001");
  EXPECT_EQ(corpus->rule().top_k, 2048);
  EXPECT_THROW(CorpusWriter::append(path("c.corpus"), {}), DataError);
  rule.top_k = 512;
  EXPECT_THROW(CorpusWriter::append(path("c.corpus"), rule), DataError);
}

TEST_F(CorpusStore, RanksKeepSetAndOrderButNoValues) {
  {
    const auto writer = CorpusWriter::create(path("r.corpus"), {}, {});
    CorpusSource source;
    source.file = source.sha256 = "lists";
    source.has_counts = false;
    source.ranked = true;
    writer->begin_source(source, first_panel_);
    RankedCells cells;
    cells.offsets = {0, 2, 5};
    cells.tokens = {3, 1, 1, 3, 2};
    cells.values = {2, 1, 3, 2, 1};
    writer->add(cells, {{"a", "b"}, {}, {}});
    writer->end_source({}, {});
    writer->finish();
  }
  const auto corpus = Corpus::open(path("r.corpus"));
  EXPECT_TRUE(corpus->sources()[0].ranked);
  EXPECT_EQ(corpus->hashes(0).counts, 0u);
  EXPECT_NE(corpus->hashes(0).order, corpus->hashes(1).order);
  EXPECT_THAT(corpus->verify(), testing::IsEmpty());
}

TEST_F(CorpusStore, WithoutCountsOnlySetsAndHashesAreKept) {
  std::vector<Cell> cells{{{3, 1}, {2.5, .5}, "x", "", ""}};
  const auto writer = CorpusWriter::create(path("c.corpus"), {}, {});
  add_source(*writer, "a.h5ad", first_panel_, cells, 100, false);
  writer->finish();
  const auto corpus = Corpus::open(path("c.corpus"));
  std::vector<std::uint32_t> tokens, counts;
  corpus->read_cell(0, tokens, counts);
  EXPECT_THAT(tokens, ElementsAre(3, 1));
  EXPECT_TRUE(counts.empty());
  EXPECT_EQ(corpus->hashes(0).counts, hash_ranked(gene_keys(first_panel_), tokens, cells[0].counts, false).counts);
  EXPECT_THAT(corpus->verify(), testing::IsEmpty());
}

TEST_F(CorpusStore, PanelsBeyond65536GenesHaveWideTokens) {
  const GenePanel wide = make_panel_of(70000);
  const std::vector<Cell> cells = random_cells(40, 70000, 4);
  const auto writer = CorpusWriter::create(path("wide.corpus"), {}, {});
  add_source(*writer, "w.h5ad", wide, cells);
  writer->finish();
  const auto corpus = Corpus::open(path("wide.corpus"));
  expect_cells(*corpus, 0, cells);
  EXPECT_THAT(corpus->verify(), testing::IsEmpty());
}

}  // namespace
}  // namespace scvet::sketch
