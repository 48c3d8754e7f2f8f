#include "scvet/sketch/corpus_writer.h"

#include <gmock/gmock.h>

#include <numeric>

#include "corpus_fixture.h"
#include "corpus_layout.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"

namespace scvet::sketch {
namespace {

using namespace corpus_fixture;
using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace scvet::sketch
