#include <gtest/gtest.h>

#include "scvet/audit/null.h"
#include "scvet/base/registry.h"

namespace scvet::audit {
namespace {

TEST(@TITLE @Null, SaysWhatItCanAndCannotProve) {
  const NullRecord& null = find_variant(nulls(), "@NAME@", "null");
  EXPECT_GT(std::string(null.proves).size(), 20U);
  EXPECT_GT(std::string(null.cannot).size(), 20U);
}

TEST(@TITLE @Null, IsUniformUnderItself) {
  FAIL() << "draw cells by the null's own model and test that its p-values are uniform";
}

}  // namespace
}  // namespace scvet::audit
