#include "scvet/trial/self_test.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scvet/base/parallel.h"

namespace scvet::trial {
namespace {

TEST(SelfTest, GivesTheGoldenHashForAnyWorkers) {
  for (const int count : {1, 2}) {
    set_workers(count);
    EXPECT_EQ(golden_hash(), kGoldenHash);
  }
  set_workers(0);
  EXPECT_EQ(numerics_id(), std::string("trial-numerics-1:") + kGoldenHash);
  EXPECT_NO_THROW(require_golden());
}

TEST(SelfTest, GoldenHashIsThePublishedOne) {
  const std::string path = SCVET_REFERENCE_DIR "/trial/lock/digests.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference vectors at " << path;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(path)).at("golden").at("sha256").get<std::string>(), kGoldenHash);
}

}  // namespace
}  // namespace scvet::trial
