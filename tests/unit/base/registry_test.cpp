#include "scvet/base/registry.h"

#include <gtest/gtest.h>

namespace scvet {
namespace {

struct Record {
  const char* name;
};
const Record kExact = {"exact"}, kSketch = {"sketch8"};
const Record* const kTable[] = {&kExact, &kSketch};

TEST(Registry, FindsByName) {
  EXPECT_EQ(&find_variant(std::span<const Record* const>(kTable), "sketch8", "engine"), &kSketch);
  EXPECT_EQ(variant_names(std::span<const Record* const>(kTable)), (std::vector<std::string>{"exact", "sketch8"}));
}

TEST(Registry, UnknownNameSuggestsTheNearestAndListsAll) {
  try {
    find_variant(std::span<const Record* const>(kTable), "sketch", "engine");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown engine 'sketch'; did you mean 'sketch8'? (available: exact, sketch8)");
  }
}

}  // namespace
}  // namespace scvet
