// Stores of random cells for the tests of the corpus.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "scvet/base/random.h"
#include "scvet/sketch/corpus.h"
#include "scvet/sketch/corpus_writer.h"

namespace scvet::sketch::corpus_fixture {

namespace fs = std::filesystem;

struct Cell {
  std::vector<std::uint32_t> tokens;
  std::vector<double> counts;
  std::string name, donor, dataset;
};

inline GenePanel make_panel_of(std::uint32_t n, const std::string& organism = "human",
                               const std::string& prefix = "GENE") {
  std::vector<PanelGene> genes;
  for (std::uint32_t gene = 0; gene < n; ++gene) {
    char name[32];
    std::snprintf(name, sizeof name, "%s%06u", prefix.c_str(), gene);
    genes.push_back({"", name});
  }
  return GenePanel(std::move(genes), organism);
}

// Ranked cells of random genes and counts, some of them above 255.
inline std::vector<Cell> random_cells(std::int64_t n, std::uint32_t panel, std::uint64_t seed) {
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

inline void add_source(CorpusWriter& writer, const std::string& file, const GenePanel& panel,
                       const std::vector<Cell>& cells, std::int64_t batch_cells = 100, bool has_counts = true) {
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
inline void put_file(const std::string& path, const std::string& bytes) {
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

}  // namespace scvet::sketch::corpus_fixture
