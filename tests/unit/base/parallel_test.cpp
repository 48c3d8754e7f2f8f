#include "scvet/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_workers(GetParam()); }
  void TearDown() override { set_workers(0); }
};

TEST_P(Parallel, EveryTaskRunsOnce) {
  std::vector<std::atomic<int>> runs(10007);
  parallel_for(10007, [&](std::int64_t task, int) { ++runs[static_cast<std::size_t>(task)]; });
  for (const auto& count : runs) ASSERT_EQ(count, 1);
}

TEST_P(Parallel, WorkerNumbersStayBelowTheirCount) {
  std::atomic<int> outside{0};
  parallel_for(500, [&](std::int64_t, int worker) { outside += worker < 0 || worker >= workers(); });
  EXPECT_EQ(outside, 0);
}

TEST_P(Parallel, NoTwoTasksShareAWorkerAtOneTime) {
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(workers()));
  std::atomic<int> clashes{0};
  parallel_for(64, [&](std::int64_t, int worker) {
    clashes += ++busy[static_cast<std::size_t>(worker)] != 1;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --busy[static_cast<std::size_t>(worker)];
  });
  EXPECT_EQ(clashes, 0);
}

TEST_P(Parallel, TheLowestFailingTaskIsReported) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::string message;
    try {
      // Tasks are handed out in order, so task 5 is always begun before any later one can fail.
      parallel_for(400, [&](std::int64_t task, int) {
        if (task == 5) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (task >= 5) throw DataError("task " + std::to_string(task), {.row = task});
      });
    } catch (const DataError& error) {
      message = error.what();
      EXPECT_EQ(error.facts().row, 5);
    }
    ASSERT_EQ(message, "task 5");
  }
}

TEST_P(Parallel, AFailureEndsTheRestOfTheWork) {
  std::atomic<std::int64_t> begun{0};
  EXPECT_THROW(parallel_for(1000000,
                            [&](std::int64_t, int) {
                              ++begun;
                              throw InternalError("first");
                            }),
               InternalError);
  EXPECT_LE(begun, workers());
}

TEST_P(Parallel, NoTaskMeansNoCall) {
  bool called = false;
  parallel_for(0, [&](std::int64_t, int) { called = true; });
  parallel_for(-3, [&](std::int64_t, int) { called = true; });
  EXPECT_FALSE(called);
}

TEST_P(Parallel, NestedLoopsFinish) {
  std::atomic<std::int64_t> sum{0};
  parallel_for(20, [&](std::int64_t outer, int) {
    parallel_for(20, [&](std::int64_t inner, int) { sum += outer * 20 + inner; });
  });
  EXPECT_EQ(sum, 400 * 399 / 2);
}

INSTANTIATE_TEST_SUITE_P(Workers, Parallel, testing::Values(1, 2, 8));

// The habit that the engine relies on: a place of its own for every task, combined in task order afterwards.
std::vector<std::uint64_t> drawn_sums(int count) {
  set_workers(count);
  std::vector<std::uint64_t> sums(257);
  parallel_for(257, [&](std::int64_t task, int) {
    Stream stream(stream_key(42, static_cast<std::uint64_t>(task) + 1));
    std::uint64_t sum = 0;
    for (int draw = 0; draw < 100; ++draw) sum += stream.below(1000);
    sums[static_cast<std::size_t>(task)] = sum;
  });
  set_workers(0);
  return sums;
}

TEST(ParallelResult, IsTheSameForOneTwoAndEightWorkers) {
  const auto alone = drawn_sums(1);
  EXPECT_EQ(alone, drawn_sums(2));
  EXPECT_EQ(alone, drawn_sums(8));
}

TEST(Workers, DefaultIsAtLeastOneAndZeroRestoresIt) {
  const int before = workers();
  EXPECT_GE(before, 1);
  set_workers(3);
  EXPECT_EQ(workers(), 3);
  set_workers(-1);
  EXPECT_EQ(workers(), before);
}

}  // namespace
}  // namespace scvet
