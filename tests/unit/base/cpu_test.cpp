#include "scvet/base/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "scvet/base/error.h"

namespace scvet {
namespace {

// The choice is made once per process, so each forced value is tried in a child of its own. The child exits with 10 plus
// the target's number, or with the exit code of the error.
[[noreturn]] void choose_and_exit(const char* forced) {
  if (forced)
    setenv("SCVET_SIMD", forced, 1);
  else
    unsetenv("SCVET_SIMD");
  try {
    std::_Exit(10 + static_cast<int>(simd_target()));
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(error.exit_code());
  }
}

class SimdChoice : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SimdChoice, ScalarIsAlwaysThereAndTargetsAscend) {
  const auto targets = available_simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), SimdTarget::kScalar);
  for (std::size_t at = 1; at < targets.size(); ++at) EXPECT_LT(targets[at - 1], targets[at]);
}

TEST_F(SimdChoice, BestTargetIsTakenWithoutTheVariable) {
  const int best = 10 + static_cast<int>(available_simd_targets().back());
  EXPECT_EXIT(choose_and_exit(nullptr), testing::ExitedWithCode(best), "");
  EXPECT_EXIT(choose_and_exit(""), testing::ExitedWithCode(best), "");
}

TEST_F(SimdChoice, EveryAvailableTargetCanBeForced) {
  for (const SimdTarget target : available_simd_targets())
    EXPECT_EXIT(choose_and_exit(simd_name(target).c_str()), testing::ExitedWithCode(10 + static_cast<int>(target)), "");
}

TEST_F(SimdChoice, AnUnknownNameIsAUsageError) {
  EXPECT_EXIT(choose_and_exit("sse9"), testing::ExitedWithCode(2), "sse9.*scalar, avx2 or avx512");
}

TEST_F(SimdChoice, ATargetThatTheProcessorLacksIsAUsageError) {
  const auto targets = available_simd_targets();
  if (targets.back() == SimdTarget::kAvx512) GTEST_SKIP() << "this processor has every target";
  EXPECT_EXIT(choose_and_exit("avx512"), testing::ExitedWithCode(2), "no avx512");
}

TEST_F(SimdChoice, TheProcessorHasAName) { EXPECT_FALSE(cpu_model().empty()); }

}  // namespace
}  // namespace scvet
