// A trial folder in a temporary place, made of the worked example's numbers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "kill/reference_trial.h"
#include "scvet/base/error.h"

namespace scvet::trial {

// The stable word of the refusal, "" where there is none.
template <typename Action>
std::string reason_of(Action action) {
  try {
    action();
  } catch (const LockError& error) {
    const std::string end = " (reason=" + error.facts().reason + ")";
    EXPECT_TRUE(std::string(error.what()).ends_with(end)) << error.what();
    return error.facts().reason;
  }
  return "";
}
#define EXPECT_REASON(action, reason) EXPECT_EQ(reason_of([&] { (void)(action); }), reason)

class TrialFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(SCVET_REFERENCE_DIR) + "/trial/lock"))
      GTEST_SKIP() << SCVET_REFERENCE_DIR << "/trial/lock is not there";
    // In memory where that is possible: every write is followed by an fsync.
    const bool memory = access("/dev/shm", W_OK) == 0;
    const std::filesystem::path top = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (top / "scvet-trial-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    contents_ = reference_contents(SCVET_REFERENCE_DIR);
    results_ = reference_results(SCVET_REFERENCE_DIR);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }

  const std::string& root() const { return root_; }
  std::string folder() const { return root_ + "/trial"; }
  std::string state_dir() const { return root_ + "/state"; }
  FolderOptions options() { return reference_options(state_dir(), minute_); }
  TrialFolder create() { return TrialFolder::create(folder(), contents_, options()); }
  TrialFolder open_for_writing() { return TrialFolder::open_for_writing(folder(), options()); }

  int minute_ = 0;
  LockContents contents_;
  ReferenceResults results_;

 private:
  std::string root_;
};

}  // namespace scvet::trial
