#include "hdf5/hdf5_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "hdf5/filters.h"
#include "hdf5_builder.h"
#include "scvet/base/parallel.h"

namespace scvet::io {
namespace {

using hdf5::Handle;
using testing::HasSubstr;

// What H5Dread, which is another way, gives.
std::vector<double> by_library(const hdf5::Dataset& dataset) {
  std::vector<double> values(static_cast<std::size_t>(dataset.size()));
  EXPECT_GE(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  return values;
}

template <typename T>
std::vector<T> rows(const hdf5::Dataset& dataset, std::int64_t first, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count * dataset.row_size()));
  if constexpr (std::is_same_v<T, std::uint32_t>)
    dataset.read_indices(first, count, values);
  else
    dataset.read_rows(first, count, values);
  return values;
}

// Ranges of many lengths, ascending and from the start again, in each type that is read.
template <typename T>
void expect_ranges(const hdf5::Dataset& dataset, const std::vector<double>& whole) {
  ASSERT_TRUE(hdf5::RawReader::of(dataset)) << dataset.name();
  const std::int64_t n_rows = dataset.rows(), cols = dataset.row_size();
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{7}, std::int64_t{64}, n_rows / 3 + 1, n_rows})
    for (std::int64_t first = 0; first < n_rows; first += step) {
      const std::int64_t count = std::min(step, n_rows - first);
      const std::vector<T> part = rows<T>(dataset, first, count);
      for (std::size_t at = 0; at < part.size(); ++at)
        ASSERT_EQ(static_cast<double>(part[at]), whole[static_cast<std::size_t>(first * cols) + at])
            << dataset.name() << " row " << first << " place " << at;
    }
}

Handle chunks_of(const std::vector<hsize_t>& chunk) {
  Handle list(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  return list;
}

class Hdf5Chunks : public testing::Test {
 protected:
  void TearDown() override { set_workers(0); }
  Hdf5Builder builder_;
};

template <typename T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t at = 0; at < count; ++at) values[at] = static_cast<T>(at * at % 97 + (at % 3 == 0));
  return values;
}

TEST_F(Hdf5Chunks, EveryTypeReadsAsHdf5ReadsIt) {
  const Handle list = chunks_of({30});
  H5Pset_shuffle(list.get());
  H5Pset_deflate(list.get(), 4);
  builder_.numbers("i1", numbers<std::int8_t>(200), {}, list.get())
      .numbers("u1", numbers<std::uint8_t>(200), {}, list.get())
      .numbers("i2", numbers<std::int16_t>(200), {}, list.get())
      .numbers("u2", numbers<std::uint16_t>(200), {}, list.get())
      .numbers("i4", numbers<std::int32_t>(200), {}, list.get())
      .numbers("u4", numbers<std::uint32_t>(200), {}, list.get())
      .numbers("i8", numbers<std::int64_t>(200), {}, list.get())
      .numbers("u8", numbers<std::uint64_t>(200), {}, list.get())
      .numbers("f4", numbers<float>(200), {}, list.get())
      .numbers("f8", numbers<double>(200), {}, list.get());
  const hdf5::Group root = builder_.open();
  for (const std::string& name : root.members()) {
    const hdf5::Dataset dataset = root.dataset(name);
    const std::vector<double> whole = by_library(dataset);
    expect_ranges<double>(dataset, whole);
    expect_ranges<float>(dataset, whole);
    expect_ranges<std::int64_t>(dataset, whole);
    expect_ranges<std::uint32_t>(dataset, whole);
    EXPECT_EQ(dataset.read_reals(), whole);
  }
}

TEST_F(Hdf5Chunks, EveryShapeOfChunksGivesTheRowsAskedFor) {
  const std::vector<std::pair<std::vector<hsize_t>, std::vector<hsize_t>>> layouts = {
      {{101}, {1}},      {{101}, {10}},     {{101}, {101}},    {{101}, {500}},  // one beyond the end: see below
      {{40, 7}, {1, 7}}, {{40, 7}, {9, 7}}, {{40, 7}, {9, 2}}, {{40, 7}, {40, 1}}, {{40, 7}, {13, 3}}};
  int number = 0;
  for (const auto& [shape, chunk] : layouts) {
    std::vector<hsize_t> most(shape.size(), H5S_UNLIMITED);
    const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most.data()));
    const Handle list = chunks_of(chunk);
    H5Pset_deflate(list.get(), 1);
    const Handle dataset(H5Dcreate2(builder_.id(), std::to_string(number++).c_str(), H5T_STD_I32LE, space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT));
    const auto values = numbers<std::int32_t>(static_cast<std::size_t>(shape[0] * (shape.size() > 1 ? shape[1] : 1)));
    ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  const hdf5::Group root = builder_.open();
  for (int at = 0; at < number; ++at) {
    const hdf5::Dataset dataset = root.dataset(std::to_string(at));
    expect_ranges<double>(dataset, by_library(dataset));
  }
}

TEST_F(Hdf5Chunks, WindowsOfColumnsAreThePartOfTheWhole) {
  const auto values = numbers<std::int32_t>(40 * 23);
  int number = 0;
  for (const auto& [high, wide] : {std::pair<hsize_t, hsize_t>{40, 23}, {9, 5}, {1, 23}, {40, 1}}) {
    const Handle list = chunks_of({high, wide});
    H5Pset_deflate(list.get(), 1);
    builder_.numbers(std::to_string(number++), values, {40, 23}, list.get());
  }
  builder_.numbers(std::to_string(number++), values, {40, 23});
  const hdf5::Group root = builder_.open();
  for (int at = 0; at < number; ++at) {
    const hdf5::Dataset dataset = root.dataset(std::to_string(at));
    for (const hdf5::Window& window : {hdf5::Window{0, 40, 0, 23}, {0, 40, 4, 7}, {3, 20, 22, 1}, {39, 1, 5, 10}}) {
      std::vector<double> part(static_cast<std::size_t>(window.count * window.width));
      dataset.read_window(window, part);
      for (std::int64_t row = 0; row < window.count; ++row)
        for (std::int64_t column = 0; column < window.width; ++column)
          ASSERT_EQ(part[static_cast<std::size_t>(row * window.width + column)],
                    values[static_cast<std::size_t>((window.first + row) * 23 + window.left + column)])
              << at;
    }
  }
}

TEST_F(Hdf5Chunks, EveryFilterThatOthersWroteIsUndone) {
  std::vector<double> expected(1003);
  for (std::size_t at = 0; at < expected.size(); ++at) expected[at] = at / 5 * 7 % 251 + 1000 * (at / 300);
  const hdf5::Group root = hdf5::open_file(SCVET_TEST_DATA "/filters.h5");
  ASSERT_EQ(root.members().size(), 24u);
  for (const std::string& name : root.members()) {
    expect_ranges<double>(root.dataset(name), expected);
    EXPECT_EQ(by_library(root.dataset(name)), expected) << name << " through HDF5's pipeline";
  }
}

TEST_F(Hdf5Chunks, ChunksThatWereNeverWrittenHoldTheFillValue) {
  const Handle list = chunks_of({4, 2});
  const float fill = 2.5f;
  H5Pset_fill_value(list.get(), H5T_NATIVE_FLOAT, &fill);
  H5Pset_deflate(list.get(), 1);
  const hsize_t shape[2] = {10, 3}, start[2] = {4, 0}, count[2] = {2, 1};
  {
    const Handle space(H5Screate_simple(2, shape, nullptr)), piece(H5Screate_simple(2, count, nullptr));
    const Handle dataset(
        H5Dcreate2(builder_.id(), "x", H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT));
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr);
    const float values[2] = {7, 8};
    ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, piece.get(), space.get(), H5P_DEFAULT, values), 0);
  }
  const hdf5::Dataset dataset = builder_.open().dataset("x");
  const std::vector<double> whole = by_library(dataset);
  EXPECT_EQ(whole[12], 7);
  EXPECT_EQ(whole[13], 2.5);
  expect_ranges<double>(dataset, whole);
}

// Bit 1 of the mask: the second filter, deflate, was left out for this chunk.
TEST_F(Hdf5Chunks, AChunkWrittenWithoutOneOfItsFiltersIsUndoneWithoutIt) {
  const Handle list = chunks_of({4});
  H5Pset_shuffle(list.get());
  H5Pset_deflate(list.get(), 1);
  builder_.numbers("x", std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8}, {}, list.get());
  {
    const Handle dataset(H5Dopen2(builder_.id(), "x", H5P_DEFAULT));
    const unsigned char shuffled[16] = {10, 20, 30, 40};
    const hsize_t corner = 4;
    ASSERT_GE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 2, &corner, sizeof shuffled, shuffled), 0);
  }
  const hdf5::Dataset dataset = builder_.open().dataset("x");
  EXPECT_EQ(rows<std::int64_t>(dataset, 0, 8), (std::vector<std::int64_t>{1, 2, 3, 4, 10, 20, 30, 40}));
}

TEST_F(Hdf5Chunks, IndicesBeyondThirtyTwoBitsAreToldApart) {
  const Handle list = chunks_of({2});
  builder_
      .numbers("x", std::vector<std::int64_t>{0, 5, -1, (1ll << 32) + 5, 4294967294ll, 4294967295ll}, {}, list.get())
      .numbers("y", std::vector<std::int32_t>{3, -4}, {}, list.get())
      .numbers("z", std::vector<double>{3, 4}, {}, list.get())
      .numbers("piece", std::vector<std::int64_t>{7, -1});
  const hdf5::Group root = builder_.open();
  EXPECT_EQ(rows<std::uint32_t>(root.dataset("x"), 0, 6),
            (std::vector<std::uint32_t>{0, 5, kNoIndex, kNoIndex, 4294967294u, kNoIndex}));
  EXPECT_EQ(rows<std::uint32_t>(root.dataset("y"), 0, 2), (std::vector<std::uint32_t>{3, kNoIndex}));
  EXPECT_EQ(rows<std::uint32_t>(root.dataset("z"), 0, 2), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(rows<std::uint32_t>(root.dataset("piece"), 0, 2), (std::vector<std::uint32_t>{7, kNoIndex}));
}

TEST_F(Hdf5Chunks, TheFirstFractionIsNamedWhateverTheThreads) {
  std::vector<double> values(300000, 1);
  values[123456] = 0.5;
  values[234567] = 0.25;
  const Handle list = chunks_of({1000});
  builder_.numbers("chunks", values, {}, list.get()).numbers("piece", values);
  const hdf5::Group root = builder_.open();
  for (const int n_workers : {1, 4})
    for (const char* name : {"chunks", "piece"}) {
      set_workers(n_workers);
      try {
        root.dataset(name).read_integers();
        ADD_FAILURE() << name;
      } catch (const DataError& error) {
        EXPECT_EQ(error.facts().row, 123456) << name;
        EXPECT_THAT(error.what(), HasSubstr("found 0.5"));
      }
    }
}

TEST_F(Hdf5Chunks, LargePiecesAreReadInThreads) {
  const auto values = numbers<float>(1 << 20);
  builder_.numbers("x", values, {1 << 18, 4});
  const hdf5::Dataset dataset = builder_.open().dataset("x");
  ASSERT_TRUE(hdf5::RawReader::of(dataset));
  set_workers(3);
  EXPECT_EQ(rows<float>(dataset, 0, 1 << 18), values);
  const std::vector<double> part = rows<double>(dataset, 1000, 200001);
  for (std::size_t at = 0; at < part.size(); ++at) ASSERT_EQ(part[at], static_cast<double>(values[4000 + at]));
}

TEST_F(Hdf5Chunks, APieceThatShrinksWhileReadIsNoticed) {
  builder_.numbers("x", numbers<float>(1 << 20));
  const std::string path = builder_.path();
  const hdf5::Dataset dataset = hdf5::open_file(path).dataset("x");
  rows<double>(dataset, 0, 100);
  std::filesystem::resize_file(path, 1 << 20);
  EXPECT_THAT(message_of([&] { rows<double>(dataset, 0, 1 << 20); }), HasSubstr("x: the file shrank from"));
}

TEST_F(Hdf5Chunks, APieceBehindAUserBlockIsFound) {
  const std::string path = builder_.folder() + "/user.h5";
  const auto values = numbers<float>(1 << 19);
  {
    const Handle list(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_userblock(list.get(), 1024);
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, list.get(), H5P_DEFAULT));
    const hsize_t count = values.size();
    const Handle space(H5Screate_simple(1, &count, nullptr));
    const Handle dataset(
        H5Dcreate2(file.get(), "x", H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  const hdf5::Dataset dataset = hdf5::open_file(path).dataset("x");
  ASSERT_TRUE(hdf5::RawReader::of(dataset));
  EXPECT_EQ(rows<float>(dataset, 0, 1 << 19), values);
}

TEST_F(Hdf5Chunks, UnknownTypesAndLayoutsAreLeftToHdf5) {
  const Handle szip = chunks_of({32});
  H5Pset_scaleoffset(szip.get(), H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT);
  const Handle partial = chunks_of({3});
  H5Pset_chunk_opts(partial.get(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
  const std::vector<std::int32_t> values = numbers<std::int32_t>(64);
  builder_.numbers("scaled", values, {}, szip.get())
      .numbers("small", values)
      .raw("big_endian", H5T_STD_I32BE, {64}, nullptr)
      .numbers("cube", values, {4, 4, 4}, chunks_of({4, 4, 4}).get())
      .numbers("partial", values, {}, partial.get());
  const hdf5::Group root = builder_.open();
  for (const std::string& name : root.members()) EXPECT_FALSE(hdf5::RawReader::of(root.dataset(name))) << name;
  EXPECT_EQ(root.dataset("scaled").read_integers(), std::vector<std::int64_t>(values.begin(), values.end()));
  EXPECT_EQ(root.dataset("partial").read_integers(), std::vector<std::int64_t>(values.begin(), values.end()));
}

// Where the bytes of the chunk at `corner` are.
std::pair<haddr_t, hsize_t> place_of(const std::string& path, const char* name, hsize_t corner) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Handle dataset(H5Dopen2(file.get(), name, H5P_DEFAULT));
  unsigned mask = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  EXPECT_GE(H5Dget_chunk_info_by_coord(dataset.get(), &corner, &mask, &address, &bytes), 0);
  return {address, bytes};
}

void overwrite(const std::string& path, haddr_t address, std::size_t bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(address));
  file << std::string(bytes, '\xee');
}

TEST_F(Hdf5Chunks, ARangeThatEndsInsideAChunkKeepsItForTheNext) {
  const Handle list = chunks_of({1000});
  H5Pset_deflate(list.get(), 4);
  const auto values = numbers<std::int32_t>(3000);
  builder_.numbers("x", values, {}, list.get());
  const std::string path = builder_.path();
  const auto [address, bytes] = place_of(path, "x", 1000);
  const hdf5::Dataset dataset = hdf5::open_file(path).dataset("x");
  rows<double>(dataset, 0, 1500);
  overwrite(path, address, bytes);
  const std::vector<double> next = rows<double>(dataset, 1500, 1000);
  for (std::size_t at = 0; at < next.size(); ++at) ASSERT_EQ(next[at], values[1500 + at]);
  EXPECT_THROW(rows<double>(dataset, 1000, 10), DataError);  // another chunk is kept now
}

TEST_F(Hdf5Chunks, ADamagedChunkIsNamedByItsRows) {
  const Handle list = chunks_of({1000});
  H5Pset_fletcher32(list.get());
  builder_.numbers("x", numbers<std::int32_t>(3000), {}, list.get());
  const std::string path = builder_.path();
  overwrite(path, place_of(path, "x", 2000).first + 100, 1);
  const std::string message = message_of([&] { rows<double>(hdf5::open_file(path).dataset("x"), 0, 3000); });
  EXPECT_THAT(message, HasSubstr("x: rows 2000 to 2999 cannot be read, in 3 tries: fletcher32: the checksum differs"));
}

}  // namespace
}  // namespace scvet::io
