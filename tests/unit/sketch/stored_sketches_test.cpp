// sketch8 over the sketches that a store keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "contracts/engine_contract.h"
#include "scvet/sketch/corpus_writer.h"
#include "sketch_search.h"

namespace scvet::sketch {
namespace {

namespace fs = std::filesystem;
using testing::random_sets;

constexpr std::uint32_t kGenes = 300;
constexpr std::uint32_t kUnseen = 7;  // no cell of the store has it

GenePanel panel() {
  std::vector<PanelGene> genes;
  for (std::uint32_t gene = 0; gene < kGenes; ++gene) {
    char name[24];
    std::snprintf(name, sizeof name, "ENSG%011u", gene);
    genes.push_back({name, ""});
  }
  return GenePanel(std::move(genes), "human");
}

class StoredSketchSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (fs::temp_directory_path() / ("scvet_stored_" + std::to_string(::getpid()) + ".corpus")).string();
    const CellSets drawn = random_sets(41, 400, kGenes, 120);
    const auto writer = CorpusWriter::create(path_, {}, {});
    for (const std::int64_t first : {0, 250}) {  // two files, so two segments
      CorpusSource source;
      source.file = "file " + std::to_string(first);
      writer->begin_source(source, panel());
      RankedCells ranked;
      CellNames names;
      for (std::int64_t row = first; row < (first == 0 ? 250 : 400); ++row) {
        CellSet cell;
        for (const std::uint16_t token : drawn.tokens(row))
          if (token != kUnseen) cell.tokens.push_back(token);
        cells_.add(cell);
        ranked.tokens.insert(ranked.tokens.end(), cell.tokens.begin(), cell.tokens.end());
        ranked.values.resize(ranked.tokens.size(), 1);
        ranked.offsets.push_back(static_cast<std::int64_t>(ranked.tokens.size()));
        names.cells.push_back(std::to_string(row));
      }
      writer->add(ranked, names);
      writer->end_source({}, {});
    }
    writer->finish();
    corpus_ = Corpus::open(path_);
  }
  void TearDown() override { fs::remove(path_); }

  // Universe tokens in another order than the panel's, without the genes of `left_out`.
  TokenMap map_without(const std::vector<std::uint32_t>& left_out) const {
    TokenMap map;
    map.to_universe.assign(kGenes, -1);
    std::int32_t next = static_cast<std::int32_t>(kGenes - left_out.size());
    for (std::uint32_t gene = 0; gene < kGenes; ++gene)
      if (std::find(left_out.begin(), left_out.end(), gene) == left_out.end()) map.to_universe[gene] = --next;
    return map;
  }
  std::unique_ptr<PanelView> view(const TokenMap& map, std::size_t n_left_out) const {
    return corpus_->view(0, map, kGenes - static_cast<std::uint32_t>(n_left_out));
  }

  std::string path_;
  CellSets cells_{kGenes};
  std::shared_ptr<const Corpus> corpus_;
};

TEST_F(StoredSketchSearch, AreOfferedWhereNoCellLosesAGene) {
  EXPECT_EQ(view(map_without({}), 0)->sketch_keys().size(), kGenes);
  EXPECT_EQ(view(map_without({kUnseen}), 1)->sketch_keys().size(), kGenes - 1);
  const auto restricted = view(map_without({kUnseen, 0}), 2);
  EXPECT_TRUE(restricted->sketch_keys().empty());
  EXPECT_EQ(restricted->stored_sketches(0).count, 0);
  TokenMap merged = map_without({});
  merged.to_universe[1] = merged.to_universe[2];
  merged.merges = true;
  EXPECT_TRUE(view(merged, 0)->sketch_keys().empty());
}

TEST_F(StoredSketchSearch, AreThoseOfTheRowsOverTheKeys) {
  const auto whole = view(map_without({kUnseen}), 1);
  const auto keys = whole->sketch_keys();
  std::vector<std::uint16_t> tokens;
  std::int64_t n_pieces = 0;
  for (std::int64_t first = 0; first < whole->n_cells(); ++n_pieces) {
    const StoredSketches part = whole->stored_sketches(first);
    ASSERT_GT(part.count, 0);
    for (std::int64_t at = 0; at < part.count; ++at) {
      whole->read_tokens(first + at, tokens);
      std::vector<std::uint64_t> genes;
      for (const std::uint16_t token : tokens) genes.push_back(keys[token]);
      const LowBytes wanted = low_bytes(minhash(genes, kStoreSeed));
      ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), part.low_bytes + at * kSlots)) << "row " << first + at;
    }
    whole->forget(first, part.count);
    first += part.count;
  }
  EXPECT_EQ(n_pieces, 2);
}

// The reference is read from the store and sketched by none; the answer is the plain loop's over keys with kStoreSeed.
TEST_F(StoredSketchSearch, EqualsThePlainLoopOverGeneKeys) {
  const TokenMap map = map_without({kUnseen});
  const auto whole = view(map, 1);
  const auto keys = whole->sketch_keys();
  CellSets queries(kGenes - 1), reference(kGenes - 1);
  CellSet cell;
  for (std::int64_t row = 0; row < whole->n_cells(); ++row) {
    whole->read(row, cell);
    reference.add(cell);
    if (row % 4 != 0) continue;
    std::erase_if(cell.tokens, [](std::uint16_t token) { return token % 5 == 1; });
    cell.counts.clear();
    queries.add(cell);
  }
  const SearchOptions options{.top = 40};
  const testing::NaiveSketchSearch naive(queries, reference, options, kStoreSeed, keys);
  for (const SimdTarget target : available_simd_targets()) {
    const auto prepared = prepare_sketch8(*whole, 42, {.target = target, .tile_rows = 100});
    EXPECT_NE(prepared->note().find("keeps"), std::string::npos);
    const SearchResult found = prepared->search(queries, options);
    const auto wanted = naive.sketch8();
    for (std::size_t query = 0; query < wanted.size(); ++query)
      EXPECT_EQ(found.nearest[query], wanted[query]) << "query " << query;
  }
  // The same sets sketched anew: other hashes, the same first entries wherever 200 rows are enough to hold them.
  const auto anew = prepare_sketch8(*whole, 42, {.use_stored = false});
  EXPECT_EQ(anew->note().find("keeps"), std::string::npos);
  EXPECT_EQ(anew->search(queries, options).n_distinct,
            prepare_sketch8(*whole, 42, {})->search(queries, options).n_distinct);
}

}  // namespace
}  // namespace scvet::sketch
