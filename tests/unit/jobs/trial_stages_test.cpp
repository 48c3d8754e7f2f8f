// The stages of a trial, from counts to verdict, against a worked example of which every byte is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/jobs/trial.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kLock = SCVET_REFERENCE_DIR "/trial/lock";

class TrialStages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kLock)) GTEST_SKIP() << "no reference vectors at " << kLock;
    root_ = fs::temp_directory_path() / ("scvet_trial_stages_" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
    const json arm = json::parse(read_file(kLock + "/locked/arms/demo/arm.json"));
    write_file(path("extraction.json"), arm.at("extraction").dump());
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  TrialPlace place(const std::string& name = "trial") const {
    return {.folder = path(name), .state_dir = path("state")};
  }
  TrialLockOptions lock_options() const {
    TrialLockOptions options;
    options.place = place();
    options.counts.path = kLock + "/input/counts.h5ad";
    options.embedding.obsm = "X_demo";
    options.arm = {.name = "demo", .model = "", .role = "primary", .extraction = path("extraction.json")};
    options.attested_by = "demo";
    options.underpowered = true;
    options.injection = injection_;
    return options;
  }
  void run_to_the_end() {
    lock_trial(lock_options());
    check_trial({.place = place(), .injection = injection_});
    test_trial({.place = place(), .injection = injection_});
  }

  fs::path root_;
  TrialInjection injection_{.clock = "2026-01-01T00:00:00Z", .version = "0"};
};

void expect_same_files(const fs::path& expected, const fs::path& found) {
  for (const auto& entry : fs::recursive_directory_iterator(expected)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), expected);
    ASSERT_TRUE(fs::exists(found / name)) << name;
    EXPECT_EQ(read_file((found / name).string()), read_file(entry.path().string())) << name;
  }
}

TEST_F(TrialStages, WorkedExampleIsReproducedByteForByteFromItsCounts) {
  run_to_the_end();
  expect_same_files(kLock + "/locked", path("trial"));
}

TEST_F(TrialStages, OneThreadGivesTheSameBytes) {
  set_workers(1);
  run_to_the_end();
  set_workers(0);
  expect_same_files(kLock + "/locked", path("trial"));
}

std::string reason_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.facts().reason;
  }
  return "none";
}

TEST_F(TrialStages, StepsOutOfOrderAreRefused) {
  lock_trial(lock_options());
  EXPECT_EQ(reason_of([&] { test_trial({.place = place()}); }), "sanity_missing");
  EXPECT_EQ(reason_of([&] { test_trial({.place = place(), .resume = true}); }), "resume_not_allowed");
  EXPECT_EQ(reason_of([&] { posthoc_trial({.place = place(), .quick = true}); }), "before_test_done");
  EXPECT_EQ(reason_of([&] { verify_trial({.place = place(), .level = 2}); }), "before_test_done");
  EXPECT_TRUE(verify_trial({.place = place()}).passed());
  EXPECT_EQ(reason_of([&] { check_trial({.place = place(), .arm = "other"}); }), "arm_unknown");
  check_trial({.place = place()});
  test_trial({.place = place()});
  EXPECT_EQ(reason_of([&] { test_trial({.place = place()}); }), "test_already_opened");
  EXPECT_EQ(reason_of([&] { test_trial({.place = place(), .resume = true}); }), "test_already_opened");
}

TEST_F(TrialStages, VerifyRecomputesEverythingFromTheInputs) {
  run_to_the_end();
  const TrialVerifyResult verified = verify_trial({.place = place(), .level = 3, .full = true});
  for (const TrialCheck& check : verified.checks) EXPECT_TRUE(check.passed) << check.what << ": " << check.detail;
  EXPECT_GT(verified.checks.size(), 10u);
}

TEST_F(TrialStages, SmallScreenIsRefusedUnlessCalledUnderpowered) {
  TrialLockOptions options = lock_options();
  options.underpowered = false;
  EXPECT_EQ(reason_of([&] { lock_trial(options); }), "infeasible");
  EXPECT_FALSE(fs::exists(path("trial/manifest.json")));
}

TEST_F(TrialStages, NpyWithoutNamesNeedsAWordOnItsOrder) {
  TrialLockOptions options = lock_options();
  options.embedding = {.path = SCVET_REFERENCE_DIR "/trial/synth/mag.npy"};
  EXPECT_EQ(reason_of([&] { lock_trial(options); }), "cells_unmatched");
}

TEST_F(TrialStages, MissingFieldsOfTheExtractionRecordAreRefused) {
  write_file(path("extraction.json"), R"({"checkpoint": "x"})");
  EXPECT_EQ(reason_of([&] { lock_trial(lock_options()); }), "record_incomplete");
}

}  // namespace
}  // namespace scvet::jobs
