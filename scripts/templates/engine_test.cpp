#include <gtest/gtest.h>

#include "scvet/base/registry.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch {
namespace {

TEST(@TITLE @Engine, IsListedUnderItsName) { EXPECT_STREQ(find_variant(engines(), "@NAME@", "engine").name, "@NAME@"); }

TEST(@TITLE @Engine, FindsTheNearestSetsThatTheExactEngineFinds) {
  FAIL() << "search simulated sets with this engine and with 'exact', and state the recall this one promises";
}

}  // namespace
}  // namespace scvet::sketch
