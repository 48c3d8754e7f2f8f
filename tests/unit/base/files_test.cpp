#include "scvet/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "scvet/base/error.h"

namespace scvet {
namespace {
namespace fs = std::filesystem;

// A folder of its own for every test, gone afterwards.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("scvet_files_" + std::string(info->name()) + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(Files, WrittenBytesReadBackWhole) {
  std::string bytes(200001, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 31);
  write_file(path("a/b/c.bin"), bytes);
  EXPECT_EQ(read_file(path("a/b/c.bin")), bytes);
  write_file(path("a/b/c.bin"), "");
  EXPECT_EQ(read_file(path("a/b/c.bin")), "");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AtomicPathLeavesNothingWithoutCommit) {
  {
    AtomicPath atomic(path("x.txt"));
    std::ofstream(atomic.temporary()) << "half";
    EXPECT_EQ(entries(), 1u);
    EXPECT_FALSE(fs::exists(path("x.txt")));
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, AtomicPathReplacesTheOldFileOnlyOnCommit) {
  write_file(path("x.txt"), "old");
  AtomicPath atomic(path("x.txt"));
  EXPECT_EQ(fs::path(atomic.temporary()).parent_path(), folder_);
  std::ofstream(atomic.temporary()) << "new";
  EXPECT_EQ(read_file(path("x.txt")), "old");
  atomic.commit();
  EXPECT_EQ(read_file(path("x.txt")), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AtomicPathAlsoCarriesAFolder) {
  {
    AtomicPath abandoned(path("store"));
    fs::create_directories(abandoned.temporary());
    std::ofstream(abandoned.temporary() + "/part") << "1";
  }
  EXPECT_EQ(entries(), 0u);
  AtomicPath atomic(path("store"));
  fs::create_directories(atomic.temporary());
  std::ofstream(atomic.temporary() + "/part") << "1";
  atomic.commit();
  EXPECT_EQ(read_file(path("store/part")), "1");
}

TEST_F(Files, TwoWritersOfOneTargetHaveNamesOfTheirOwn) {
  AtomicPath one(path("x")), two(path("x"));
  EXPECT_NE(one.temporary(), two.temporary());
}

TEST_F(Files, CommitThatFailsKeepsTheTargetAndRemovesTheTemporary) {
  fs::create_directories(path("x/full"));
  {
    AtomicPath atomic(path("x"));  // a non-empty folder cannot be replaced by a file
    std::ofstream(atomic.temporary()) << "new";
    EXPECT_THROW(atomic.commit(), ResourceError);
  }
  EXPECT_TRUE(fs::is_directory(path("x/full")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, MissingFilesAndFoldersAreNamedDataErrors) {
  for (const std::string& name : {path("none"), folder_.string()}) {
    try {
      read_file(name);
      FAIL() << "read " << name;
    } catch (const DataError& error) {
      EXPECT_EQ(error.facts().file, name);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
      EXPECT_EQ(error.exit_code(), 3);
    }
    EXPECT_THROW(MappedFile{name}, DataError);
  }
}

TEST_F(Files, FolderBelowAFileIsAResourceErrorWithItsName) {
  write_file(path("file"), "x");
  try {
    make_folders(path("file/below"));
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_EQ(error.facts().file, path("file/below"));
    EXPECT_EQ(error.exit_code(), 6);
  }
}

TEST_F(Files, MappedFileShowsTheBytesAlsoAfterForgettingThem) {
  std::string bytes(300000, 'a');
  bytes[299999] = 'z';
  write_file(path("m"), bytes);
  MappedFile mapped(path("m"));
  ASSERT_EQ(mapped.bytes().size(), bytes.size());
  EXPECT_EQ(std::memcmp(mapped.bytes().data(), bytes.data(), bytes.size()), 0);
  mapped.forget(1, 299998);
  mapped.forget(0, bytes.size());
  mapped.forget(299999, 1);
  EXPECT_EQ(std::memcmp(mapped.bytes().data(), bytes.data(), bytes.size()), 0);
  const MappedFile moved(std::move(mapped));
  EXPECT_EQ(moved.bytes().size(), bytes.size());
  EXPECT_EQ(moved.path(), path("m"));
}

TEST_F(Files, EmptyFileMapsToNoBytes) {
  write_file(path("empty"), "");
  const MappedFile mapped(path("empty"));
  EXPECT_TRUE(mapped.bytes().empty());
  mapped.forget(0, 0);
}

}  // namespace
}  // namespace scvet
