#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plugin_folder.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/data/vocabulary.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTokenLists = SCVET_TEST_DATA "/token_lists";

// A copy of the small data set that a test may change.
class TokenLists : public testing::Test {
 protected:
  TokenLists()
      : folder_(testing::TempDir() + "tokens_" + std::to_string(getpid()) + "_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::copy(kTokenLists, folder_, fs::copy_options::recursive);
  }
  ~TokenLists() override { fs::remove_all(folder_); }
  void SetUp() override { SKIP_WITHOUT_ARROW; }
  // Not write_file: thousands of syncs take a minute.
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  }
  std::string shard(int number) { return folder_ + "/data-0000" + std::to_string(number) + "-of-00002.arrow"; }
  std::string folder_;
};

CellChunk read(CellFile& file, std::int64_t first, std::int64_t count) {
  CellChunk chunk;
  file.open_matrix("input_ids")->read(first, count, chunk);
  return chunk;
}

// Tokens in rank order, as the file has them: largest value first.
std::vector<std::vector<std::int64_t>> token_lists(CellFile& file) {
  const auto source = file.open_matrix("input_ids");
  std::vector<std::vector<std::int64_t>> lists;
  CellChunk chunk;
  for (std::int64_t first = 0; first < source->info().n_cells; first += 7) {
    const std::int64_t count = std::min<std::int64_t>(7, source->info().n_cells - first);
    source->read(first, count, chunk);
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(count); ++cell) {
      std::vector<std::pair<double, std::int64_t>> entries;
      for (std::int64_t at = chunk.indptr[cell]; at < chunk.indptr[cell + 1]; ++at)
        entries.emplace_back(-chunk.values[static_cast<std::size_t>(at)], chunk.genes[static_cast<std::size_t>(at)]);
      std::sort(entries.begin(), entries.end());
      lists.emplace_back();
      for (std::size_t at = 0; at < entries.size(); ++at) {
        EXPECT_EQ(-entries[at].first, static_cast<double>(entries.size() - at)) << "values count down to 1";
        lists.back().push_back(entries[at].second);
      }
    }
  }
  return lists;
}

std::string complaint(const std::string& path, const OpenOptions& options = {}) {
  try {
    const auto file = open_cells(path, options);
    token_lists(*file);
  } catch (const Error& error) {
    return std::to_string(error.exit_code()) + ": " + error.what();
  }
  return "no error";
}

OpenOptions with_vocabulary(std::int64_t n_genes, std::vector<SpecialToken> special) {
  std::vector<VocabularyGene> genes;
  const auto first = static_cast<std::int64_t>(special.size());
  for (std::int64_t gene = 0; gene < n_genes; ++gene) genes.push_back({"G" + std::to_string(gene), first + gene, 1});
  OpenOptions options;
  options.vocabulary = std::make_shared<const Vocabulary>(std::move(genes), "small", std::move(special));
  return options;
}

TEST_F(TokenLists, TheFirstTokenOfAListHasTheLargestValue) {
  const auto file = open_cells(folder_);
  EXPECT_STREQ(file->format(), "hf_dataset");
  const MatrixInfo info = file->matrices().at(0);
  EXPECT_EQ(info.kind, "token_list");
  EXPECT_EQ(info.dtype, "int16");
  EXPECT_TRUE(info.ranked);
  EXPECT_EQ(info.n_cells, 5);
  EXPECT_EQ(info.n_genes, 10);
  EXPECT_EQ(info.stored, 10);
  const CellChunk chunk = read(*file, 0, 2);
  EXPECT_THAT(chunk.indptr, ElementsAre(0, 3, 5));
  EXPECT_THAT(chunk.genes, ElementsAre(3, 5, 9, 2, 7));
  EXPECT_THAT(chunk.values, ElementsAre(2, 3, 1, 2, 1));
}

TEST_F(TokenLists, AnyRangeAcrossShardsIsPartOfTheWhole) {
  const auto file = open_cells(folder_);
  const CellChunk whole = read(*file, 0, 5);
  for (std::int64_t first = 5; first-- > 0;)
    for (std::int64_t count = 1; count <= 5 - first; ++count) {
      const CellChunk part = read(*file, first, count);
      ASSERT_EQ(part.indptr.size(), static_cast<std::size_t>(count + 1));
      const std::int64_t base = whole.indptr[static_cast<std::size_t>(first)];
      for (std::size_t cell = 0; cell < part.indptr.size(); ++cell)
        EXPECT_EQ(part.indptr[cell], whole.indptr[static_cast<std::size_t>(first) + cell] - base);
      EXPECT_TRUE(std::equal(part.genes.begin(), part.genes.end(), whole.genes.begin() + base));
    }
}

TEST_F(TokenLists, ShardsFollowInTheOrderOfStateJsonNotOfTheirNames) {
  const auto forward = token_lists(*open_cells(folder_));
  EXPECT_THAT(forward, ElementsAre(ElementsAre(5, 3, 9), ElementsAre(2, 7), ElementsAre(), ElementsAre(4, 6, 2, 9),
                                   ElementsAre(3)));
  write("state.json",
        R"({"_data_files": [{"filename": "data-00001-of-00002.arrow"}, {"filename": "data-00000-of-00002.arrow"}]})");
  const auto file = open_cells(folder_);
  EXPECT_THAT(token_lists(*file), ElementsAre(ElementsAre(), ElementsAre(4, 6, 2, 9), ElementsAre(3),
                                              ElementsAre(5, 3, 9), ElementsAre(2, 7)));
  EXPECT_THAT(file->obs().names, ElementsAre("A", "C", "G", "AAAC", "CCCG"));
}

TEST_F(TokenLists, ScalarColumnsBecomeObsAndAUniqueBarcodeNamesTheCells) {
  const auto file = open_cells(folder_);
  const Table& obs = file->obs();
  EXPECT_EQ(obs.index_name, "barcode");
  EXPECT_THAT(obs.names, ElementsAre("AAAC", "CCCG", "A", "C", "G"));
  EXPECT_THAT(obs.column_names(), ElementsAre("length", "cell_type"));
  const Column& types = *obs.find("cell_type");  // each shard has a dictionary of its own
  EXPECT_EQ(types.kind, Column::Kind::kCategorical);
  EXPECT_THAT(types.categories, ElementsAre("B", "T", "NK"));
  EXPECT_THAT(types.codes, ElementsAre(0, 1, 1, -1, 2));
}

TEST_F(TokenLists, AWrongLengthColumnIsNotedWithItsFirstRow) {
  const auto file = open_cells(folder_);
  token_lists(*file);
  token_lists(*file);  // rows read again are not counted again
  EXPECT_THAT(file->notes(), Contains("column 'length' differs from the number of tokens in 1 cells, first in row 4 "
                                      "(data-00001-of-00002.arrow, row 2)"));
}

TEST_F(TokenLists, ADictionaryNamesTheTokensAndItsSpecialTokensAreLeftOut) {
  const auto file = open_cells(folder_, with_vocabulary(6, {{"<pad>", 0}, {"<mask>", 1}, {"<one>", 2}, {"<two>", 3}}));
  EXPECT_EQ(file->matrices().at(0).n_genes, 10);
  EXPECT_EQ(file->var().names.at(2), "<one>");
  EXPECT_EQ(file->var().names.at(9), "G5");
  EXPECT_THAT(token_lists(*file),
              ElementsAre(ElementsAre(5, 9), ElementsAre(7), ElementsAre(), ElementsAre(4, 6, 9), ElementsAre()));
  EXPECT_THAT(file->notes(), Contains("4 special tokens left out, of 4 cells"));
}

TEST_F(TokenLists, AFrameInsideACellIsTheDictionaryOfAnotherModel) {
  EXPECT_THAT(complaint(folder_, with_vocabulary(6, {{"<pad>", 0}, {"<mask>", 1}, {"<cls>", 2}, {"<eos>", 3}})),
              AllOf(HasSubstr("row 0"), HasSubstr("token 3 stands at place 2 of 3"), HasSubstr("<eos>")));
}

TEST_F(TokenLists, ATokenBeyondTheDictionaryIsRefusedWithRowTokenAndSize) {
  EXPECT_THAT(complaint(folder_, with_vocabulary(7, {{"<pad>", 0}, {"<mask>", 1}})),
              AllOf(HasSubstr("3: "), HasSubstr("row 0 (data-00000-of-00002.arrow, row 0): token 9"),
                    HasSubstr("9 tokens"), HasSubstr("is this the dictionary")));
}

TEST_F(TokenLists, RowsChosenByAnIndexAreRefusedWithAdvice) {
  write("state.json", R"({"_data_files": [{"filename": "data-00000-of-00002.arrow"}],
                          "_indices_data_files": [{"filename": "indices.arrow"}]})");
  EXPECT_THAT(complaint(folder_), AllOf(HasSubstr("_indices_data_files"), HasSubstr("flatten_indices()")));
}

TEST_F(TokenLists, ABrokenStateIsRefusedForWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "broken JSON"},
      {"[]", "expected a JSON object"},
      {"{}", "_data_files"},
      {R"({"_data_files": []})", "_data_files is empty"},
      {R"({"_data_files": [{"filename": "../data.arrow"}]})", "is no name of a file in this folder"},
      {R"({"_data_files": [{"filename": "absent.arrow"}]})", "names absent.arrow, which is not there"},
      {R"({"_data_files": [{"filename": 3}]})", "has no filename"}};
  for (const auto& [state, expected] : cases) {
    write("state.json", state);
    EXPECT_THAT(complaint(folder_), AllOf(HasSubstr("3: "), HasSubstr("state.json"), HasSubstr(expected)));
  }
  fs::remove(folder_ + "/state.json");
  EXPECT_THAT(complaint(folder_), HasSubstr("state.json, which orders the 2 Arrow files"));
  fs::remove(shard(1));
  EXPECT_EQ(complaint(folder_), "no error");  // one file needs no order
}

TEST_F(TokenLists, AFolderOfSplitsAsksForOne) {
  fs::remove(folder_ + "/state.json");
  write("dataset_dict.json", R"({"splits": ["train", "test"]})");
  EXPECT_THAT(complaint(folder_), AllOf(HasSubstr("several splits"), HasSubstr("train"), HasSubstr("give the folder")));
}

TEST_F(TokenLists, AStreamCutAnywhereIsReadOrRefusedNeverBelieved) {
  const std::string bytes = read_file(shard(1));
  int refused = 0;
  for (std::size_t size = 4; size < bytes.size(); size += 3) {
    write("cut.arrow", bytes.substr(0, size));
    const std::string answer = complaint(folder_ + "/cut.arrow");
    if (answer != "no error") {
      EXPECT_THAT(answer, AllOf(testing::StartsWith("3: "), HasSubstr("cut.arrow"))) << size;
      ++refused;
    }
  }
  // Only cuts between two whole messages, and within the mark of the end, leave a stream.
  EXPECT_GT(refused, static_cast<int>(bytes.size() / 3) - 16);
}

TEST_F(TokenLists, AStreamWithAnyByteChangedIsReadOrRefused) {
  const std::string bytes = read_file(shard(0));
  testing::internal::CaptureStderr();  // a changed column length is warned of, once a file
  constexpr char kChanges[] = {'\x01', '\x80', '\xff'};
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ kChanges[at % 3]);
    write("changed.arrow", changed);
    const std::string answer = complaint(folder_ + "/changed.arrow");
    EXPECT_TRUE(answer == "no error" || answer.starts_with("3: ")) << at << ": " << answer;
  }
  testing::internal::GetCapturedStderr();
}

// Found by fuzzing: the header of a message is a union, whose type may be told while its value is absent.
TEST_F(TokenLists, AMessageWithoutItsHeaderIsRefused) {
  std::string bytes = read_file(shard(0));
  const auto number = [&](std::size_t at) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  // Each message: the mark, the length of its flatbuffer, the flatbuffer: the place of its root table, which points
  // back at its vtable, whose fifth number is the place of field 2, the header.
  const std::size_t table = 8 + static_cast<std::size_t>(number(8));
  const std::size_t vtable = table - static_cast<std::size_t>(number(table));
  bytes[vtable + 8] = bytes[vtable + 9] = 0;
  write("headless.arrow", bytes);
  EXPECT_THAT(complaint(folder_ + "/headless.arrow"), AllOf(testing::StartsWith("3: "), HasSubstr("holds nothing")));
}

TEST_F(TokenLists, EveryLayoutOfTheSameListsReadsTheSame) {
  const auto expected = token_lists(*open_cells(folder_));
  int n_files = 0;
  for (const auto& entry : fs::directory_iterator(SCVET_TEST_DATA "/token_layouts")) {
    // Streams of before 2019 have no mark of their own: the data set's folder tells what they are.
    write("state.json", R"({"_data_files": [{"filename": "layout.arrow"}]})");
    fs::copy_file(entry.path(), folder_ + "/layout.arrow", fs::copy_options::overwrite_existing);
    EXPECT_EQ(token_lists(*open_cells(folder_)), expected) << entry.path();
    ++n_files;
    if (entry.path().filename() == "int32_legacy.arrow") continue;
    EXPECT_EQ(token_lists(*open_cells(entry.path().string())), expected) << entry.path();
  }
  EXPECT_EQ(n_files, 10);
}

// The published vectors: the same cells in every layout.
TEST(TokenVectors, EveryLayoutGivesTheExpectedTokens) {
  SKIP_WITHOUT_ARROW;
  const std::string folder = SCVET_REFERENCE_DIR "/audit/";
  if (!fs::exists(folder + "tokenize_expected.json")) GTEST_SKIP() << "absent: " << folder;
  const auto expected = nlohmann::json::parse(read_file(folder + "tokenize_expected.json"))["tokens"]
                            .get<std::vector<std::vector<std::int64_t>>>();
  for (const char* name : {"gc_small.dataset", "gc_int16_two_shards.dataset", "stream_large_list_int64_3batches.arrow",
                           "file_format_lz4.arrow", "gc_small.dataset/data-00000-of-00001.arrow"}) {
    const auto file = open_cells(folder + name);
    EXPECT_EQ(token_lists(*file), expected) << name;
    for (const std::string& note : file->notes()) EXPECT_THAT(note, testing::Not(HasSubstr("length"))) << name;
  }
}

TEST(TokenVectors, ChunksAreTheSameForAnyNumberOfWorkers) {
  SKIP_WITHOUT_ARROW;
  const std::string path = SCVET_REFERENCE_DIR "/audit/gc_small.dataset";
  if (!fs::exists(path)) GTEST_SKIP() << "absent: " << path;
  const auto file = open_cells(path);
  const CellChunk reference = read(*file, 0, 60);
  for (const int n : {1, 2, 5}) {
    set_workers(n);
    const CellChunk chunk = read(*file, 0, 60);
    EXPECT_EQ(chunk.genes, reference.genes);
    EXPECT_EQ(chunk.values, reference.values);
    EXPECT_EQ(chunk.indptr, reference.indptr);
  }
  set_workers(0);
}

}  // namespace
}  // namespace scvet::io
