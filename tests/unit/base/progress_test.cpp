#include "scvet/base/progress.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet {
namespace {

// Runs a loop that a signal interrupts, in a child, because the wish to stop lasts for the rest of a process.
[[noreturn]] void interrupted_loop(int signal_number) {
  install_stop_handler();
  int done = 0;
  try {
    set_workers(1);
    parallel_for(10, [&](std::int64_t task, int) {
      if (task == 3) std::raise(signal_number);
      ++done;
    });
  } catch (const Interrupted& error) {
    std::_Exit(done == 4 ? error.exit_code() : 1);
  }
  std::_Exit(2);
}

class Stop : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Stop, CtrlCEndsALoopAfterTheRunningTask) {
  EXPECT_EXIT(interrupted_loop(SIGINT), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(interrupted_loop(SIGTERM), testing::ExitedWithCode(130), "");
}

TEST_F(Stop, NothingStopsUnasked) {
  EXPECT_FALSE(stop_requested());
  EXPECT_NO_THROW(throw_if_stopped());
}

TEST(Progress, AdvancesFromManyThreadsWithoutTalkWhenShort) {
  testing::internal::CaptureStderr();
  {
    ProgressScope progress("counting", 1000);
    parallel_for(1000, [&](std::int64_t, int) { progress.advance(); });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace scvet
