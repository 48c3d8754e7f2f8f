#include "hdf5/hdf5_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "hdf5/filters.h"

namespace scvet::io::hdf5 {
namespace {
namespace fs = std::filesystem;
using testing::TempDir;

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A file to fill with the C API; closed before it is read.
class Hdf5Test : public testing::Test {
 protected:
  Hdf5Test() {
    start_library();
    folder_ = TempDir() + "scvet_hdf5_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
    path_ = folder_ + "/test.h5";
    file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  }
  ~Hdf5Test() override { fs::remove_all(folder_); }

  void write(const char* name, hid_t file_type, hid_t memory_type, std::vector<hsize_t> dims, const void* data,
             hid_t creation_list = H5P_DEFAULT) {
    const Handle space(dims.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
    const Handle dataset(
        H5Dcreate2(file_.get(), name, file_type, space.get(), H5P_DEFAULT, creation_list, H5P_DEFAULT));
    ASSERT_TRUE(dataset) << take_error().text;
    if (data) {
      ASSERT_GE(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << take_error().text;
    }
  }
  Group reopen() {
    file_.reset();
    return open_file(path_);
  }

  std::string folder_, path_;
  Handle file_;
};

Handle chunked(std::vector<hsize_t> chunk) {
  Handle list(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  return list;
}

TEST_F(Hdf5Test, NumbersOfEveryWidthReadAlike) {
  const std::vector<int> values = {0, 1, 2, 100};
  const std::pair<const char*, hid_t> types[] = {
      {"int8", H5T_STD_I8LE},      {"uint8", H5T_STD_U8LE},    {"int16", H5T_STD_I16BE}, {"uint16", H5T_STD_U16LE},
      {"int32", H5T_STD_I32LE},    {"uint32", H5T_STD_U32BE},  {"int64", H5T_STD_I64LE}, {"uint64", H5T_STD_U64LE},
      {"float32", H5T_IEEE_F32LE}, {"float64", H5T_IEEE_F64BE}};
  for (const auto& [name, type] : types) write(name, type, H5T_NATIVE_INT, {4}, values.data());
  const Handle half(H5Tcopy(H5T_IEEE_F32LE));  // IEEE binary16
  H5Tset_fields(half.get(), 15, 10, 5, 0, 10);
  H5Tset_size(half.get(), 2);
  H5Tset_ebias(half.get(), 15);
  write("float16", half.get(), H5T_NATIVE_INT, {4}, values.data());
  const Group root = reopen();
  EXPECT_EQ(root.members().size(), 11u);
  for (const std::string& name : root.members()) {
    const Dataset dataset = root.dataset(name);
    EXPECT_EQ(dataset.type().dtype, name);
    EXPECT_EQ(dataset.read_integers(), (std::vector<std::int64_t>{0, 1, 2, 100})) << name;
    EXPECT_EQ(dataset.read_reals(), (std::vector<double>{0, 1, 2, 100})) << name;
  }
}

TEST_F(Hdf5Test, UnsignedBeyondSignedWrapsAndNegativeStays) {
  const std::vector<std::uint64_t> large = {UINT64_MAX, 5};
  const std::vector<std::int64_t> negative = {-7, 3};
  write("large", H5T_STD_U64LE, H5T_NATIVE_UINT64, {2}, large.data());
  write("negative", H5T_STD_I64LE, H5T_NATIVE_INT64, {2}, negative.data());
  const Group root = reopen();
  EXPECT_EQ(root.dataset("large").read_integers(), (std::vector<std::int64_t>{-1, 5}));
  EXPECT_EQ(root.dataset("negative").read_integers(), negative);
}

TEST_F(Hdf5Test, FractionsAreNotIntegers) {
  const std::vector<double> values = {1, 2.5};
  write("x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2}, values.data());
  const Group root = reopen();
  EXPECT_NE(message_of([&] { root.dataset("x").read_integers(); }).find("found 2.5"), std::string::npos);
}

TEST_F(Hdf5Test, BooleansAreTheEnumThatPythonWrites) {
  const Handle type(H5Tenum_create(H5T_STD_I8LE));
  std::int8_t no = 0, yes = 1;
  H5Tenum_insert(type.get(), "FALSE", &no);
  H5Tenum_insert(type.get(), "TRUE", &yes);
  const std::vector<std::int8_t> values = {1, 0, 1};
  write("flag", type.get(), type.get(), {3}, values.data());
  write("bits", H5T_STD_B8LE, H5T_NATIVE_B8, {3}, values.data());
  const Group root = reopen();
  for (const char* name : {"flag", "bits"}) {
    EXPECT_EQ(root.dataset(name).type().kind, ElementType::Kind::kBoolean) << name;
    EXPECT_EQ(root.dataset(name).read_integers(), (std::vector<std::int64_t>{1, 0, 1})) << name;
  }
}

TEST_F(Hdf5Test, TextsOfFixedAndVariableLengthReadAlike) {
  const Handle fixed(H5Tcopy(H5T_C_S1)), variable(H5Tcopy(H5T_C_S1)), spaces(H5Tcopy(H5T_FORTRAN_S1));
  H5Tset_size(fixed.get(), 4);
  H5Tset_strpad(fixed.get(), H5T_STR_NULLPAD);
  H5Tset_size(spaces.get(), 4);
  H5Tset_size(variable.get(), H5T_VARIABLE);
  H5Tset_cset(variable.get(), H5T_CSET_UTF8);
  write("fixed", fixed.get(), fixed.get(), {3}, "TP53A\0\0\0\0\0\0\0");
  write("spaces", spaces.get(), spaces.get(), {3}, "TP53A       ");
  const char* const pointers[] = {"TP53", "A", ""};
  write("variable", variable.get(), variable.get(), {3}, pointers);
  write("scalar", variable.get(), variable.get(), {}, pointers);
  const Group root = reopen();
  for (const char* name : {"fixed", "spaces", "variable"})
    EXPECT_EQ(root.dataset(name).read_texts(), (std::vector<std::string>{"TP53", "A", ""})) << name;
  EXPECT_EQ(root.dataset("scalar").read_texts(), std::vector<std::string>{"TP53"});
  EXPECT_NE(message_of([&] { root.dataset("fixed").read_reals(); }).find("expected numbers, found text"),
            std::string::npos);
}

TEST_F(Hdf5Test, FieldsOfACompoundReadOneByOne) {
  struct Row {
    char name[3];
    float score;
    std::int8_t flag;
  };
  const Handle text(H5Tcopy(H5T_C_S1)), boolean(H5Tenum_create(H5T_STD_I8LE));
  H5Tset_size(text.get(), 3);
  std::int8_t no = 0, yes = 1;
  H5Tenum_insert(boolean.get(), "FALSE", &no);
  H5Tenum_insert(boolean.get(), "TRUE", &yes);
  const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
  H5Tinsert(type.get(), "index", HOFFSET(Row, name), text.get());
  H5Tinsert(type.get(), "score", HOFFSET(Row, score), H5T_NATIVE_FLOAT);
  H5Tinsert(type.get(), "flag", HOFFSET(Row, flag), boolean.get());
  const Row rows[] = {{"ab", 1.5f, 1}, {"c", -2.0f, 0}};
  write("obs", type.get(), type.get(), {2}, rows);
  const Dataset obs = reopen().dataset("obs");
  EXPECT_EQ(obs.read_texts("index"), (std::vector<std::string>{"ab", "c"}));
  EXPECT_EQ(obs.read_reals("score"), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(obs.read_integers("flag"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(obs.type().find("flag")->type.dtype, "bool");
}

TEST_F(Hdf5Test, EveryFilterOfOursGivesBackWhatWasWritten) {
  std::vector<std::int32_t> values(10000);
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<std::int32_t>(at * at % 97);
  const Handle gzip = chunked({1000}), lzf = chunked({1000}), zstd = chunked({1000});
  H5Pset_shuffle(gzip.get());
  H5Pset_deflate(gzip.get(), 4);
  ASSERT_GE(H5Pset_filter(lzf.get(), kLzfFilter, H5Z_FLAG_OPTIONAL, 0, nullptr), 0);
  ASSERT_TRUE(add_zstd(zstd.get(), 3));
  write("gzip", H5T_STD_I32LE, H5T_NATIVE_INT32, {10000}, values.data(), gzip.get());
  write("lzf", H5T_STD_I32LE, H5T_NATIVE_INT32, {10000}, values.data(), lzf.get());
  write("zstd", H5T_STD_I32LE, H5T_NATIVE_INT32, {10000}, values.data(), zstd.get());
  const Group root = reopen();
  for (const char* name : {"gzip", "lzf", "zstd"}) {
    const Dataset dataset = root.dataset(name);
    EXPECT_LT(H5Dget_storage_size(dataset.id()), 30000u) << name;
    std::vector<std::int64_t> part(3000);
    dataset.read_rows(1500, 3000, part);
    for (std::size_t at = 0; at < part.size(); ++at) ASSERT_EQ(part[at], values[1500 + at]) << name << " " << at;
  }
}

TEST_F(Hdf5Test, AMissingFilterIsNamedWithItsObject) {
  // A filter that exists while writing and is gone while reading.
  const H5Z_class2_t plain = {
      H5Z_CLASS_T_VERS,
      32013,
      1,
      1,
      "plain",
      nullptr,
      nullptr,
      [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) { return bytes; }};
  ASSERT_GE(H5Zregister(&plain), 0);
  const Handle list = chunked({4});
  H5Pset_filter(list.get(), 32013, H5Z_FLAG_MANDATORY, 0, nullptr);
  const std::vector<int> values = {1, 2, 3, 4};
  write("data", H5T_STD_I32LE, H5T_NATIVE_INT, {4}, values.data(), list.get());
  file_.reset();
  ASSERT_GE(H5Zunregister(32013), 0);
  const std::string message = message_of([&] { open_file(path_).dataset("data").read_reals(); });
  EXPECT_NE(message.find("data: it is compressed with HDF5 filter 32013 (zfp)"), std::string::npos) << message;
}

TEST_F(Hdf5Test, TruncatedFileIsNamedWithBothSizes) {
  const std::vector<double> values(1000, 1.0);
  write("x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1000}, values.data());
  file_.reset();
  const auto whole = fs::file_size(path_);
  fs::resize_file(path_, 5000);
  const std::string message = message_of([&] { open_file(path_); });
  EXPECT_NE(message.find("truncated"), std::string::npos) << message;
  EXPECT_NE(message.find("found 5,000"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(whole / 1000) + ","), std::string::npos) << message;
}

TEST_F(Hdf5Test, AFileThatShrinksWhileReadIsNoticed) {
  const std::vector<double> values(100000, 1.0);
  write("x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {100000}, values.data());
  const Group root = reopen();
  const Dataset dataset = root.dataset("x");
  fs::resize_file(path_, 100000);
  const std::string message = message_of([&] { dataset.read_reals(); });
  EXPECT_NE(message.find("shrank"), std::string::npos) << message;
}

TEST_F(Hdf5Test, WhatIsNotHdf5IsNamedForWhatItIs) {
  file_.reset();
  const std::pair<const char*, const char*> cases[] = {
      {"<!DOCTYPE html><html>", "web page"},
      {"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"},
      {"\x1f\x8b\x08", "gzip"},
      {"", "empty"},
      {"gene,cell\n", "starts with 'gene,cell'"}};
  for (const auto& [bytes, expected] : cases) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_NE(message_of([&] { open_file(path_); }).find(expected), std::string::npos) << expected;
    EXPECT_FALSE(has_signature(path_));
  }
  EXPECT_NE(message_of([&] { open_file(folder_); }).find("folder"), std::string::npos);
  EXPECT_NE(message_of([&] { open_file(folder_ + "/none.h5"); }).find("No such file"), std::string::npos);
}

TEST_F(Hdf5Test, AClaimOfHugeSizeIsAnErrorAndNotAnAllocation) {
  const Handle list = chunked({1024});
  write("huge", H5T_STD_I64LE, H5T_NATIVE_INT64, {hsize_t{1} << 40}, nullptr, list.get());
  const Group root = reopen();
  EXPECT_NE(message_of([&] { root.dataset("huge").read_integers(); }).find("1,099,511,627,776 values"),
            std::string::npos);
}

// Found by fuzzing: HDF5 1.10 reads on past the stored bytes, into whatever lies there in memory.
TEST_F(Hdf5Test, AShapeBeyondTheStoredPieceIsAnError) {
  std::vector<int> values(12345, 7);
  write("x", H5T_STD_I32LE, H5T_NATIVE_INT, {12345}, values.data());
  file_.reset();
  std::ifstream in(path_, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::uint64_t before = 12345, after = 1234567;
  std::string old(8, 0), fresh(8, 0);
  std::memcpy(old.data(), &before, 8);
  std::memcpy(fresh.data(), &after, 8);
  int changed = 0;
  for (std::size_t at = bytes.find(old); at != std::string::npos; at = bytes.find(old, at + 8), ++changed)
    bytes.replace(at, 8, fresh);
  ASSERT_GE(changed, 1);  // the dimension, perhaps its maximum too
  std::ofstream(path_, std::ios::binary) << bytes;
  const Group root = open_file(path_);
  const Dataset x = root.dataset("x");
  ASSERT_EQ(x.size(), 1234567);
  const std::string message = message_of([&] { x.read_integers(); });
  EXPECT_NE(message.find("claims 1,234,567 values but stores only 49,380 bytes"), std::string::npos) << message;
  std::vector<double> row(1);
  EXPECT_NE(message_of([&] { x.read_rows(1234566, 1, std::span<double>(row)); }), "no error");
}

TEST_F(Hdf5Test, LinksOutOfTheFileAreNeverFollowed) {
  const std::string other = folder_ + "/other.h5";
  {
    const Handle target(H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const Handle group(H5Gcreate2(target.get(), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Handle inner(H5Gcreate2(group.get(), "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  ASSERT_GE(H5Lcreate_external("other.h5", "/g", file_.get(), "outside", H5P_DEFAULT, H5P_DEFAULT), 0);
  ASSERT_GE(H5Lcreate_soft("/outside/inner", file_.get(), "detour", H5P_DEFAULT, H5P_DEFAULT), 0);
  ASSERT_GE(H5Lcreate_soft("/nowhere", file_.get(), "dangling", H5P_DEFAULT, H5P_DEFAULT), 0);
  Handle(H5Gcreate2(file_.get(), "real", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)).reset();
  ASSERT_GE(H5Lcreate_soft("/real", file_.get(), "alias", H5P_DEFAULT, H5P_DEFAULT), 0);
  const Group root = reopen();
  EXPECT_EQ(root.kind("outside"), LinkKind::kExternal);
  EXPECT_EQ(root.kind("outside/inner"), LinkKind::kExternal);
  EXPECT_EQ(root.kind("detour"), LinkKind::kBroken);
  EXPECT_EQ(root.kind("dangling"), LinkKind::kBroken);
  EXPECT_EQ(root.kind("alias"), LinkKind::kGroup);
  EXPECT_NE(message_of([&] { root.group("outside"); }).find("never followed"), std::string::npos);
  EXPECT_NE(message_of([&] { root.group("detour"); }).find("cannot be opened"), std::string::npos);
}

TEST_F(Hdf5Test, DataStoredInOtherFilesAreRefused) {
  std::ofstream(folder_ + "/secret.bin", std::ios::binary) << std::string(64, 'x');
  const Handle list(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_external(list.get(), (folder_ + "/secret.bin").c_str(), 0, 64);
  write("leak", H5T_STD_U8LE, H5T_NATIVE_UINT8, {64}, nullptr, list.get());
  const Group root = reopen();
  EXPECT_NE(message_of([&] { root.dataset("leak").read_integers(); }).find("another file"), std::string::npos);
}

TEST_F(Hdf5Test, NullSpacesAndReferencesAreUnderstood) {
  const std::vector<int> values = {4, 5};
  write("target", H5T_STD_I32LE, H5T_NATIVE_INT, {2}, values.data());
  const Handle null_space(H5Screate(H5S_NULL)), scalar(H5Screate(H5S_SCALAR));
  {
    const Handle none(
        H5Dcreate2(file_.get(), "none", H5T_STD_I32LE, null_space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hobj_ref_t reference;
    ASSERT_GE(H5Rcreate(&reference, file_.get(), "target", H5R_OBJECT, -1), 0);
    const Handle attribute(H5Acreate2(none.get(), "see", H5T_STD_REF_OBJ, scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute.get(), H5T_STD_REF_OBJ, &reference);
  }
  const Dataset none = reopen().dataset("none");
  EXPECT_TRUE(none.is_null());
  EXPECT_TRUE(none.read_reals().empty());
  const auto target = none.dataset_attribute("see");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->name(), "target");
  EXPECT_EQ(target->read_integers(), (std::vector<std::int64_t>{4, 5}));
  EXPECT_FALSE(none.dataset_attribute("absent"));
}

TEST_F(Hdf5Test, DamagedChunksGiveAnErrorWithRowsAndReason) {
  std::vector<std::int32_t> values(4000);
  std::iota(values.begin(), values.end(), 0);
  const Handle list = chunked({4000});
  H5Pset_deflate(list.get(), 4);
  write("x", H5T_STD_I32LE, H5T_NATIVE_INT32, {4000}, values.data(), list.get());
  haddr_t offset = 0;
  hsize_t stored = 0;
  {
    const Handle dataset(H5Dopen2(file_.get(), "x", H5P_DEFAULT)), space(H5Dget_space(dataset.get()));
    hsize_t start = 0;
    unsigned mask = 0;
    H5Fflush(file_.get(), H5F_SCOPE_GLOBAL);
    ASSERT_GE(H5Dget_chunk_info(dataset.get(), space.get(), 0, &start, &mask, &offset, &stored), 0);
  }
  file_.reset();
  {
    std::fstream bytes(path_, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekp(static_cast<std::streamoff>(offset));
    bytes << std::string(200, '\xee');
  }
  const std::string message = message_of([&] { open_file(path_).dataset("x").read_reals(); });
  EXPECT_NE(message.find("x: rows 0 to 3999 cannot be read, in 3 tries"), std::string::npos) << message;
  EXPECT_NE(message.find("zlib: damaged data"), std::string::npos) << message;
}

}  // namespace
}  // namespace scvet::io::hdf5
