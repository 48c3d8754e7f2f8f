#include "neighbour_cache.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "scvet/base/files.h"
#include "scvet/base/random.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

class NeighbourCache : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "scvet_neighbour_cache";
    fs::remove_all(folder_);
    Stream stream(7);
    for (float& value : values_) value = static_cast<float>(stream.unit());
    std::copy_n(values_.begin(), 3, values_.begin() + 30);  // a duplicate
  }
  void TearDown() override { fs::remove_all(folder_); }
  MatrixView<const float> x() const { return {values_.data(), 40, 3}; }
  std::string only_file() const {
    std::string path;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_TRUE(path.empty());
      path = entry.path().string();
    }
    return path;
  }
  fs::path folder_;
  std::vector<float> values_ = std::vector<float>(120);
};

void expect_same(const graph::Neighbours& a, const graph::Neighbours& b) {
  EXPECT_EQ(a.n_cells, b.n_cells);
  EXPECT_EQ(a.k, b.k);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.distances, b.distances);
}

TEST_F(NeighbourCache, WhatIsKeptIsWhatWasComputedToTheLastBit) {
  const graph::Neighbours plain = cached_neighbours("", x(), 9);
  expect_same(cached_neighbours(folder_.string(), x(), 9), plain);
  expect_same(cached_neighbours(folder_.string(), x(), 9), plain);
  EXPECT_FALSE(only_file().empty());
}

TEST_F(NeighbourCache, OtherCoordinatesOrAnotherLengthAreOtherEntries) {
  cached_neighbours(folder_.string(), x(), 9);
  cached_neighbours(folder_.string(), x(), 10);
  values_[5] += 1;
  expect_same(cached_neighbours(folder_.string(), x(), 9), graph::exact_neighbours(x(), 9));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 3);
}

TEST_F(NeighbourCache, ADamagedOrCutEntryIsComputedAgain) {
  const graph::Neighbours plain = cached_neighbours(folder_.string(), x(), 9);
  const std::string path = only_file(), whole = read_file(path);
  std::string damaged = whole;
  damaged[60] ^= 1;
  for (const std::string& text : {damaged, whole.substr(0, whole.size() - 1), std::string()}) {
    write_file(path, text);
    expect_same(cached_neighbours(folder_.string(), x(), 9), plain);
    EXPECT_EQ(read_file(path), whole);
  }
}

}  // namespace
}  // namespace scvet::jobs
