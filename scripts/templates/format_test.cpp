#include <gtest/gtest.h>

#include "scvet/base/registry.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

TEST(@TITLE @Format, MissingFilesAreNotRecognised) {
  const FormatRecord& format = find_variant(formats(), "@NAME@", "format");
  EXPECT_FALSE(format.recognises("/nonexistent/cells.@NAME@"));
}

TEST(@TITLE @Format, AnOwnFileIsReadBackCellByCell) {
  FAIL() << "write a small file into SCVET_TEST_DATA and compare its cells, genes and counts here";
}

}  // namespace
}  // namespace scvet::io
