#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hdf5_builder.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

std::string complaint(const std::string& path) {
  return message_of([&] { open_cells(path); });
}

TEST(OpenCells, AForeignFileIsNamedForWhatItIs) {
  Hdf5Builder builder;
  const std::string path = builder.folder() + "/foreign";
  const std::pair<std::string, const char*> cases[] = {{"<!DOCTYPE html><title>Sign in</title>", "it is a web page"},
                                                       {std::string("\x1f\x8b\x08\x00", 4), "gzip-compressed"},
                                                       {"RDX3\nX\n", "it is an R object"},
                                                       {std::string("PK\x03\x04"), "zip archive"},
                                                       {std::string(300, '\0'), "a broken copy"},
                                                       {"", "it is empty"}};
  for (const auto& [bytes, expected] : cases) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_THAT(complaint(path), HasSubstr(expected));
    EXPECT_THAT(complaint(path), HasSubstr("scvet reads"));
  }
}

TEST(OpenCells, MissingPathsAndForeignFoldersAreRefused) {
  Hdf5Builder builder;
  EXPECT_THAT(complaint(builder.folder() + "/absent.h5ad"), HasSubstr("no such file or folder"));
  EXPECT_THAT(complaint(builder.folder()), HasSubstr("the folder is of no format"));
}

TEST(OpenCells, Hdf5FilesOfOtherKindsAreNamed) {
  Hdf5Builder molecules, mudata, other, nothing;
  molecules.numbers<std::uint64_t>("barcode_idx", {0}).numbers<std::uint32_t>("umi", {1});
  EXPECT_THAT(complaint(molecules.path()), HasSubstr("molecule_info file (molecules, not a matrix): give filtered_"));
  mudata.group("mod/rna").group("obs").group("var");
  EXPECT_THAT(complaint(mudata.path()), HasSubstr("expected a group mod/rna/obs"));
  other.group("weights").group("bias");
  EXPECT_THAT(complaint(other.path()), HasSubstr("it is an HDF5 file that holds bias, weights"));
  EXPECT_THAT(complaint(nothing.path()), HasSubstr("holds nothing"));
}

TEST(OpenCells, ATruncatedFileIsNamedWithBothSizesWhateverItWas) {
  Hdf5Builder builder;
  builder.anndata(2000, 3);
  const std::string path = builder.path();
  const auto whole = fs::file_size(path);
  fs::resize_file(path, whole - 1000);
  EXPECT_THAT(complaint(path), testing::AllOf(HasSubstr("truncated"), HasSubstr("expected"), HasSubstr("found")));
}

TEST(OpenCells, ErrorsAreDataErrors) {
  Hdf5Builder builder;
  builder.group("something");
  EXPECT_THROW(open_cells(builder.path()), DataError);
}

}  // namespace
}  // namespace scvet::io
