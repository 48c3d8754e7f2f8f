#include "forked_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"

namespace scvet::graph {
namespace {

std::string name(std::int64_t at) { return "task " + std::to_string(at); }

bool no_child_is_left() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RunForked, GivesTheBytesOfEveryTaskInItsPlaceForAnyNumberOfProcesses) {
  for (const int processes : {1, 2, 5}) {
    const auto results = run_forked(
        7, processes,
        [](std::int64_t at) { return std::vector<char>(static_cast<std::size_t>(at * 50'000), static_cast<char>(at)); },
        name);
    ASSERT_EQ(results.size(), 7u);
    for (std::size_t at = 0; at < 7; ++at)
      EXPECT_EQ(results[at], std::vector<char>(at * 50'000, static_cast<char>(at))) << at;
    EXPECT_TRUE(no_child_is_left());
  }
}

TEST(RunForked, TellsOfAChildThatWasKilledAndLeavesNone) {
  const auto run = [] {
    run_forked(
        4, 3,
        [](std::int64_t at) {
          if (at == 1) raise(SIGKILL);
          if (at != 1) sleep(30);  // ends with the call, not after half a minute
          return std::vector<char>{};
        },
        name);
  };
  EXPECT_THROW(run(), ResourceError);
  EXPECT_THAT(message_of(run), testing::HasSubstr("task 1: the worker process was killed (signal 9"));
  EXPECT_TRUE(no_child_is_left());
}

TEST(RunForked, TellsOfAChildThatEndsWithoutAResult) {
  const auto run = [] {
    run_forked(
        1, 1, [](std::int64_t) -> std::vector<char> { _exit(3); }, name);
  };
  EXPECT_THROW(run(), ResourceError);
  EXPECT_TRUE(no_child_is_left());
}

TEST(RunForked, RethrowsWhatATaskThrows) {
  const auto run = [](const std::function<void()>& thrower) {
    run_forked(
        2, 2,
        [&](std::int64_t) {
          thrower();
          return std::vector<char>{};
        },
        name);
  };
  EXPECT_THROW(run([] { throw DataError("bad rows"); }), DataError);
  EXPECT_THROW(run([] { throw ResourceError("full"); }), ResourceError);
  EXPECT_THROW(run([] { throw std::bad_alloc(); }), ResourceError);
  EXPECT_THROW(run([] { throw std::runtime_error("odd"); }), InternalError);
  EXPECT_EQ(message_of([&] { run([] { throw DataError("bad rows"); }); }), "bad rows");
  EXPECT_TRUE(no_child_is_left());
}

TEST(RunForkedDeathTest, CtrlCEndsTheChildren) {
  const auto run = [] {
    install_stop_handler();
    alarm(20);  // should the children not end
    const pid_t program = getpid();
    try {
      run_forked(
          3, 2,
          [program](std::int64_t at) {
            if (at == 0) kill(program, SIGINT);
            sleep(60);
            return std::vector<char>{};
          },
          name);
    } catch (const Interrupted&) {
      _exit(no_child_is_left() ? 130 : 1);
    }
    _exit(2);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace scvet::graph
