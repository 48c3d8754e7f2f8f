#include "scvet/sketch/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "corpus_layout.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/sketch/corpus_writer.h"

namespace scvet::sketch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct Cell {
  std::vector<std::uint32_t> tokens;
  std::vector<double> counts;
  std::string name, donor, dataset;
};

GenePanel make_panel_of(std::uint32_t n, const std::string& organism = "human", const std::string& prefix = "GENE") {
  std::vector<PanelGene> genes;
  for (std::uint32_t gene = 0; gene < n; ++gene) {
    char name[32];
    std::snprintf(name, sizeof name, "%s%06u", prefix.c_str(), gene);
    genes.push_back({"", name});
  }
  return GenePanel(std::move(genes), organism);
}

// Ranked cells of random genes and counts, some of them above 255.
std::vector<Cell> random_cells(std::int64_t n, std::uint32_t panel, std::uint64_t seed) {
  std::vector<Cell> cells;
  Stream random(seed);
  for (std::int64_t at = 0; at < n; ++at) {
    std::map<std::uint32_t, double> counts;
    const std::uint64_t size = at % 17 == 3 ? 0 : 1 + random.below(60);
    for (std::uint64_t gene = 0; gene < size; ++gene)
      counts[static_cast<std::uint32_t>(random.below(panel))] =
          static_cast<double>(random.below(20) ? 1 + random.below(9) : 250 + random.below(100000));
    std::vector<std::pair<std::uint32_t, double>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    Cell cell;
    for (const auto& [token, count] : order) {
      cell.tokens.push_back(token);
      cell.counts.push_back(count);
    }
    cell.name = "cell-" + std::to_string(seed) + "-" + std::to_string(at);
    cell.donor = at % 3 ? "donor" + std::to_string(at % 3) : "";
    cell.dataset = at % 2 ? "study" : "";
    cells.push_back(std::move(cell));
  }
  return cells;
}

void add_source(CorpusWriter& writer, const std::string& file, const GenePanel& panel, const std::vector<Cell>& cells,
                std::int64_t batch_cells = 100, bool has_counts = true) {
  CorpusSource source;
  source.file = file;
  source.sha256 = "digest of " + file;
  source.format = "h5ad";
  source.matrix = "X";
  source.dataset = "set of " + file;
  source.has_counts = has_counts;
  writer.begin_source(source, panel);
  for (std::size_t first = 0; first < cells.size(); first += static_cast<std::size_t>(batch_cells)) {
    RankedCells ranked;
    CellNames names;
    for (std::size_t at = first; at < std::min(cells.size(), first + static_cast<std::size_t>(batch_cells)); ++at) {
      const Cell& cell = cells[at];
      ranked.tokens.insert(ranked.tokens.end(), cell.tokens.begin(), cell.tokens.end());
      ranked.values.insert(ranked.values.end(), cell.counts.begin(), cell.counts.end());
      ranked.offsets.push_back(static_cast<std::int64_t>(ranked.tokens.size()));
      names.cells.push_back(cell.name);
      names.donors.push_back(cell.donor);
      names.datasets.push_back(cell.dataset);
    }
    writer.add(ranked, names);
  }
  writer.end_source({"a note"}, {.n_entries = 10, .n_outside = 2, .n_cut_cells = 1});
}

// Without the fsync of write_file, of which many damaged copies need none.
void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class CorpusStore : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("scvet_corpus_test_" + std::to_string(::getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Two sources of one panel and one of another.
  std::string two_panels(const std::string& name) {
    CorpusCard card;
    card.name = "test";
    card.cutoff = "2021-06";
    const auto writer = CorpusWriter::create(path(name), {}, card);
    add_source(*writer, "a.h5ad", first_panel_, first_);
    add_source(*writer, "b.h5ad", second_panel_, second_);
    add_source(*writer, "c.h5ad", first_panel_, third_);
    writer->finish();
    return path(name);
  }

  void expect_cells(const Corpus& corpus, std::int64_t row, const std::vector<Cell>& cells) {
    std::vector<std::uint32_t> tokens, counts;
    for (const Cell& cell : cells) {
      corpus.read_cell(row, tokens, counts);
      ASSERT_EQ(tokens, cell.tokens) << row;
      ASSERT_EQ(std::vector<double>(counts.begin(), counts.end()), cell.counts) << row;
      ASSERT_EQ(corpus.origin(row).cell, cell.name);
      ASSERT_EQ(corpus.origin(row).donor, cell.donor);
      ++row;
    }
  }

  fs::path folder_;
  GenePanel first_panel_ = make_panel_of(500), second_panel_ = make_panel_of(900);
  std::vector<Cell> first_ = random_cells(300, 500, 1), second_ = random_cells(150, 900, 2),
                    third_ = random_cells(7, 500, 3);
};

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

TEST_F(CorpusStore, BytesDependOnNeitherThreadsNorBatches) {
  std::vector<std::string> contents;
  for (const auto& [threads, batch] : {std::pair{1, 100}, std::pair{4, 100}, std::pair{2, 7}}) {
    set_workers(threads);
    const auto writer = CorpusWriter::create(path("t.corpus"), {}, {});
    add_source(*writer, "a.h5ad", first_panel_, first_, batch);
    writer->finish();
    contents.push_back(read_file(path("t.corpus")));
  }
  set_workers(0);
  EXPECT_TRUE(contents[0] == contents[1]);
  EXPECT_TRUE(contents[0] == contents[2]);
}

TEST_F(CorpusStore, AppendingKeepsTheOldBytesAndAddsTheNewCells) {
  const std::string file = path("c.corpus");
  {
    const auto writer = CorpusWriter::create(file, {}, {});
    add_source(*writer, "a.h5ad", first_panel_, first_);
    writer->finish();
  }
  const std::string before = read_file(file);
  {
    const auto writer = CorpusWriter::append(file, {});
    EXPECT_TRUE(writer->has_source("digest of a.h5ad"));
    EXPECT_FALSE(writer->has_source("digest of b.h5ad"));
    add_source(*writer, "b.h5ad", second_panel_, second_);
    writer->checkpoint();
    add_source(*writer, "c.h5ad", first_panel_, third_);
    writer->finish();
  }
  const std::string after = read_file(file);
  EXPECT_EQ(before.substr(kContentStart), after.substr(kContentStart, before.size() - kContentStart));
  const auto corpus = Corpus::open(file);
  EXPECT_EQ(corpus->panels().size(), 2u);
  expect_cells(*corpus, 0, first_);
  expect_cells(*corpus, 300, second_);
  expect_cells(*corpus, 450, third_);
  EXPECT_THAT(corpus->verify(), testing::IsEmpty());
}

TEST_F(CorpusStore, AppendThatStopsAnywhereLeavesTheOldOrTheNewStore) {
  const std::string file = path("c.corpus");
  {
    const auto writer = CorpusWriter::create(file, {}, {});
    add_source(*writer, "a.h5ad", first_panel_, first_);
    writer->finish();
  }
  const std::string before = read_file(file);
  {
    const auto writer = CorpusWriter::append(file, {});
    add_source(*writer, "c.h5ad", first_panel_, third_);
    writer->finish();
  }
  const std::string after = read_file(file);
  // The writer writes forward and then one header; cut it off at many places, the last just before that header.
  for (std::size_t size = before.size(); size <= after.size(); size += 1 + (after.size() - before.size()) / 8) {
    std::string killed = after.substr(0, size);
    killed.replace(kSlotOffset[1], kHeaderBytes, std::string(kHeaderBytes, '\0'));
    put_file(file, killed);
    EXPECT_EQ(Corpus::open(file)->n_cells(), 300) << size;
    EXPECT_THAT(Corpus::open(file)->verify(), testing::IsEmpty());
  }
  // The next append drops what was left behind and gives the same store.
  {
    const auto writer = CorpusWriter::append(file, {});
    add_source(*writer, "c.h5ad", first_panel_, third_);
    writer->finish();
  }
  EXPECT_TRUE(read_file(file) == after);
}

TEST_F(CorpusStore, AbandonedAppendAndBuildLeaveNothingBehind) {
  const std::string file = path("c.corpus");
  {
    const auto writer = CorpusWriter::create(file, {}, {});
    add_source(*writer, "a.h5ad", first_panel_, first_);
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  two_panels("c.corpus");
  const std::string before = read_file(file);
  {
    const auto writer = CorpusWriter::append(file, {});
    add_source(*writer, "d.h5ad", first_panel_, third_);
  }
  EXPECT_TRUE(read_file(file) == before);
}

TEST_F(CorpusStore, SecondWriterIsTurnedAway) {
  const std::string file = two_panels("c.corpus");
  const auto first = CorpusWriter::append(file, {});
  EXPECT_THROW(CorpusWriter::append(file, {}), ResourceError);
}

TEST_F(CorpusStore, MergedStoresHoldTheCellsOfBoth) {
  {
    const auto writer = CorpusWriter::create(path("a.corpus"), {}, {});
    add_source(*writer, "a.h5ad", first_panel_, first_);
    writer->finish();
  }
  {
    const auto writer = CorpusWriter::create(path("b.corpus"), {}, {});
    add_source(*writer, "b.h5ad", second_panel_, second_);
    add_source(*writer, "c.h5ad", first_panel_, third_);
    writer->finish();
  }
  const auto writer = CorpusWriter::create(path("all.corpus"), {}, {});
  writer->add_store(*Corpus::open(path("a.corpus")));
  writer->add_store(*Corpus::open(path("b.corpus")));
  writer->finish();
  const auto corpus = Corpus::open(path("all.corpus"));
  EXPECT_EQ(corpus->panels().size(), 2u);
  expect_cells(*corpus, 0, first_);
  expect_cells(*corpus, 300, second_);
  expect_cells(*corpus, 450, third_);
  EXPECT_THAT(corpus->verify(), testing::IsEmpty());
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

// What a test of damage expects: the section that is named.
std::string found_fault(const std::string& file) {
  try {
    const auto faults = Corpus::open(file)->verify();
    return faults.empty() ? "" : faults[0].section;
  } catch (const DataError& error) {
    return error.facts().field;
  }
}

TEST_F(CorpusStore, OneFlippedBitAnywhereIsFoundAndItsSectionNamed) {
  const std::string sound = read_file(two_panels("c.corpus"));
  const auto corpus = Corpus::open(path("c.corpus"));
  const SegmentLayout layout = layout_of({300, 0, 0, 0, 500, true});
  const std::string file = path("bad.corpus");
  const auto flip = [&](std::size_t at) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    put_file(file, bytes);
    return found_fault(file);
  };
  EXPECT_EQ(flip(30), "header");
  EXPECT_EQ(flip(sound.size() - 5), "table of contents");
  EXPECT_EQ(flip(kContentStart + 10), "panel 0");
  const std::size_t segment = aligned(kContentStart + first_panel_.to_text().size());
  EXPECT_EQ(flip(segment + 5), "segment 0 offsets");
  EXPECT_EQ(flip(segment + layout.offset[kTokens] + 2), "segment 0 tokens");
  // Any byte at all that is not padding.
  std::int64_t unseen = 0, tried = 0;
  for (std::size_t at = 0; at < sound.size(); at += 1 + sound.size() / 40, ++tried) unseen += flip(at).empty();
  EXPECT_GT(tried, 35);
  EXPECT_LT(unseen, 5);  // the gap after the header, and padding
}

TEST_F(CorpusStore, TruncatedStoreSaysBothSizes) {
  const std::string sound = read_file(two_panels("c.corpus"));
  write_file(path("cut.corpus"), sound.substr(0, sound.size() - 100));
  try {
    Corpus::open(path("cut.corpus"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(sound.size() - 100)));
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(sound.size())));
  }
}

TEST_F(CorpusStore, ForeignAndNewerFilesAreNamedAsSuch) {
  write_file(path("x.corpus"), std::string(10000, 'x'));
  try {
    Corpus::open(path("x.corpus"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "not_a_corpus");
  }
  write_file(path("empty.corpus"), "");
  EXPECT_THROW(Corpus::open(path("empty.corpus")), DataError);
  EXPECT_THROW(Corpus::open(path("missing.corpus")), DataError);
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

// Reads everything there is to read.
void read_all(const std::string& file) {
  const auto corpus = Corpus::open(file);
  std::vector<std::uint32_t> tokens, counts;
  CellSet cell;
  for (std::int64_t row = 0; row < corpus->n_cells(); ++row) {
    corpus->read_cell(row, tokens, counts);
    (void)corpus->origin(row);
    (void)corpus->hashes(row);
    (void)corpus->sketch(row);
  }
  for (int panel = 0; panel < static_cast<int>(corpus->panels().size()); ++panel) {
    TokenMap map;
    map.to_universe.assign(corpus->panels()[static_cast<std::size_t>(panel)].size(), 0);
    std::iota(map.to_universe.begin(), map.to_universe.end(), 0);
    const auto view = corpus->view(panel, map, static_cast<std::uint32_t>(map.to_universe.size()));
    for (std::int64_t row = 0; row < view->n_cells(); ++row) {
      view->read_tokens(row, cell.tokens);
      view->read(row, cell);
    }
    view->forget(0, view->n_cells());
    (void)corpus->detection(panel);
  }
}

// Hostile content comes with checksums that fit, so reading may not lean on them.
TEST_F(CorpusStore, ReadingDamagedCellsThrowsInsteadOfReadingOutside) {
  const std::string sound = read_file(two_panels("c.corpus"));
  const std::size_t first = aligned(kContentStart + first_panel_.to_text().size());
  const std::string file = path("bad.corpus");
  Stream random(9);
  std::int64_t refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::string bytes = sound;
    for (int flip = 0; flip < 50; ++flip) bytes[first + random.below(100000)] = static_cast<char>(random.next());
    put_file(file, bytes);
    try {
      read_all(file);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 12);
}

TEST_F(CorpusStore, HostileTableOfContentsIsRefusedOrReadWithinBounds) {
  const std::string sound = read_file(two_panels("c.corpus"));
  const std::string file = path("bad.corpus");
  Header header;
  std::uint32_t major = 0;
  ASSERT_EQ(read_header(std::as_bytes(std::span(sound)), header, major), SlotState::kValid);
  const std::string toc = sound.substr(header.toc_offset, header.toc_length);
  Stream random(11);
  std::int64_t refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string changed = toc;
    for (std::uint64_t flip = 0, n = 1 + random.below(3); flip < n; ++flip) {
      std::size_t at = random.below(changed.size());
      if (trial % 3) {  // digits only: the JSON stays well formed
        while (!std::isdigit(static_cast<unsigned char>(changed[at]))) at = random.below(changed.size());
        changed[at] = static_cast<char>('0' + random.below(10));
      } else {
        changed[at] = static_cast<char>(random.next());
      }
    }
    Header forged = header;
    forged.toc_sha256 = digest_bytes(sha256(changed));
    std::string bytes = sound;
    bytes.replace(header.toc_offset, header.toc_length, changed);
    const auto slot = write_header(forged);
    bytes.replace(0, kHeaderBytes, std::string(reinterpret_cast<const char*>(slot.data()), kHeaderBytes));
    put_file(file, bytes);
    try {
      read_all(file);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(CorpusCard, UnstatedFieldsSaySoAndUnknownKeysAreKept) {
  const CorpusCard card =
      CorpusCard::parse(R"({"name": "G", "sources": "GEO", "licence": "CC0", "version": null})", "card");
  EXPECT_EQ(card.name, "G");
  EXPECT_THAT(card.sources, ElementsAre("GEO"));
  EXPECT_THAT(card.to_json(), HasSubstr("\"cutoff\":\"not stated\""));
  EXPECT_THAT(card.to_json(), HasSubstr("\"licence\":\"CC0\""));
  EXPECT_EQ(CorpusCard::parse(card.to_json(), "card").cutoff, "");
  EXPECT_THROW(CorpusCard::parse(R"({"cutoff": "June"})", "card"), DataError);
  EXPECT_THROW(CorpusCard::parse("[]", "card"), DataError);
  EXPECT_THROW(CorpusCard::parse(R"({"name": 3})", "card"), DataError);
}

}  // namespace
}  // namespace scvet::sketch
