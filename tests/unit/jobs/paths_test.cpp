#include "scvet/jobs/paths.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

class Paths : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()).string();
    fs::remove_all(folder_);
    for (const char* name : {"lung.h5ad", "blood.h5ad", "notes.txt", ".skin.h5ad.part-1", "deep/lung.h5ad"})
      write_file(folder_ + "/" + name, "x");
  }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string folder_;
};

TEST_F(Paths, FolderStandsForItsH5adFilesInOrder) {
  EXPECT_EQ(expand_paths({folder_}, "--data"), (std::vector<std::string>{at("blood.h5ad"), at("lung.h5ad")}));
}

TEST_F(Paths, PatternAndFileTogetherGiveEachFileOnce) {
  EXPECT_EQ(expand_paths({at("*.h5ad"), at("lung.h5ad")}, "--data"),
            (std::vector<std::string>{at("blood.h5ad"), at("lung.h5ad")}));
}

TEST_F(Paths, WhatIsNotThereIsAUsageErrorInWords) {
  for (const auto& [argument, words] : std::vector<std::pair<std::string, std::string>>{
           {at("skin.h5ad"), "no such file or folder"}, {at("*.loom"), "no file matches"}}) {
    try {
      expand_paths({argument}, "--data");
      FAIL() << argument;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("--data"), std::string::npos) << error.what();
    }
  }
  fs::create_directory(at("empty"));
  EXPECT_THROW(expand_paths({at("empty")}, "--data"), UsageError);
}

TEST_F(Paths, TwoFilesOfOneNameAreRefused) {
  EXPECT_EQ(sample_files({at("lung.h5ad")}, "--data").front().sample_id, "lung");
  EXPECT_THROW(sample_files({at("lung.h5ad"), at("deep")}, "--data"), UsageError);
}

TEST(CleanName, KeepsLettersDigitsAndThreeSigns) {
  EXPECT_EQ(clean_name("lung.h5ad"), "lung");
  EXPECT_EQ(clean_name("my lung (2).h5ad"), "my-lung-2");
  EXPECT_EQ(clean_name("a- b"), "a--b");
  EXPECT_EQ(clean_name("..-x_1.v2-."), "x_1.v2");
  EXPECT_EQ(clean_name("äö"), "");
}

}  // namespace
}  // namespace scvet::jobs
