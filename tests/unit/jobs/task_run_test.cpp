#include "scvet/jobs/task_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class TaskRuns : public testing::Test {
 protected:
  void SetUp() override {
    root_ = (fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()).string();
    fs::remove_all(root_);
    options_.workspace = init_workspace({.folder = root_}).workspace.root;
    for (const char* name : {"a", "b", "c"}) write_file(file(name), name);
    places_ = task_places(options_);
  }

  std::string file(const std::string& name) const { return root_ + "/" + name + ".h5ad"; }
  std::string output(const std::string& name) const { return places_.results + "/" + name + ".txt"; }
  TaskRequest request(const std::string& name) const {
    return {.task = "embed", .method = "pca", .input = file(name), .files = {file(name)}};
  }
  std::vector<TaskOutcome> run(const std::vector<std::string>& names, const std::string& broken = "") {
    std::vector<TaskRequest> requests;
    for (const std::string& name : names) requests.push_back(request(name));
    return run_tasks(options_, places_, requests, [&](std::size_t index, TaskRun& one) {
      ++done_;
      if (names[index] == broken) throw DataError("is broken");
      write_file(output(names[index]), "result");
      one.add_output(output(names[index]));
      one.add_fact("n", "3");
    });
  }
  static json record(const TaskOutcome& outcome) { return json::parse(read_file(outcome.folder + "/run.json")); }

  std::string root_;
  TaskOptions options_;
  TaskPlaces places_;
  int done_ = 0;
};

TEST_F(TaskRuns, RecordSaysWhatWasDoneAndWhatCameOut) {
  const json found = record(run({"a"}).front());
  EXPECT_EQ(found["status"], "ok");
  EXPECT_EQ(found["exit_code"], 0);
  EXPECT_EQ(found["task"], "embed");
  EXPECT_EQ(found["input"], "a");
  EXPECT_EQ(found["inputs"][0]["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(found["outputs"].size(), 1u);
  EXPECT_TRUE(found["outputs"].contains("a.txt"));
  EXPECT_EQ(found["facts"]["n"], 3);
  EXPECT_EQ(found["workspace"], places_.workspace.root);
  EXPECT_TRUE(fs::exists(found["run_dir"].get<std::string>() + "/params.json"));
  EXPECT_TRUE(fs::exists(found["run_dir"].get<std::string>() + "/command.sh"));
}

TEST_F(TaskRuns, UnchangedWorkIsNotDoneAgain) {
  run({"a"});
  EXPECT_EQ(run({"a"}).front().status, "unchanged");
  EXPECT_EQ(done_, 1);
}

TEST_F(TaskRuns, ChangedInputOutputOptionsOrForceAreDoneAgain) {
  run({"a"});
  write_file(output("a"), "spoilt");
  EXPECT_EQ(run({"a"}).front().status, "ok");
  write_file(file("a"), "another");
  EXPECT_EQ(run({"a"}).front().status, "ok");
  EXPECT_EQ(run({"a"}).front().status, "unchanged");
  options_.force = true;
  EXPECT_EQ(run({"a"}).front().status, "ok");
  options_.force = false;
  TaskRequest other = request("a");
  other.options = R"({"k": 2})";
  EXPECT_EQ(run_tasks(options_, places_, {other}, [](std::size_t, TaskRun&) {}).front().status, "ok");
}

TEST_F(TaskRuns, FilesOfEqualContentAreTwoPiecesOfWork) {
  write_file(file("b"), "a");
  run({"a"});
  EXPECT_EQ(run({"b"}).front().status, "ok");
  EXPECT_TRUE(fs::exists(output("b")));
}

TEST_F(TaskRuns, AFailedRunCostsOnlyItself) {
  const auto outcomes = run({"a", "b", "c"}, "b");
  EXPECT_EQ(outcomes[0].status, "ok");
  EXPECT_EQ(outcomes[1].status, "failed");
  EXPECT_EQ(outcomes[2].status, "ok");
  const json found = record(outcomes[1]);
  EXPECT_EQ(found["status"], "failed");
  EXPECT_EQ(found["exit_code"], 3);
  EXPECT_EQ(found["message"], "is broken");
  try {
    throw_failures(outcomes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 3);
    EXPECT_NE(std::string(error.what()).find("1 of 3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("b (is broken)"), std::string::npos);
  }
}

TEST_F(TaskRuns, InterruptedRunsSaySoAndStopTheRest) {
  EXPECT_THROW(
      run_tasks(options_, places_, {request("a"), request("b")}, [](std::size_t, TaskRun&) { throw Interrupted(); }),
      Interrupted);
  const auto runs = list_runs(places_.runs, "", 0);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].status, "interrupted");
  EXPECT_EQ(runs[0].exit_code, 130);
}

TEST_F(TaskRuns, DryRunMakesNothing) {
  options_.dry_run = true;
  EXPECT_EQ(run({"a"}).front().status, "planned");
  EXPECT_EQ(done_, 0);
  EXPECT_TRUE(list_runs(places_.runs, "", 0).empty());
  EXPECT_FALSE(fs::exists(places_.runs + "/embed"));
}

TEST_F(TaskRuns, ANameIsTakenOnceAndCanBeResumed) {
  options_.run_name = "my run!";
  EXPECT_EQ(fs::path(run({"a"}).front().folder).filename(), "my-run");
  EXPECT_THROW(run({"a"}), UsageError);
  options_ = {.workspace = root_, .resume = true, .resume_run = "my-run", .force = true};
  const TaskOutcome again = run({"a"}).front();
  EXPECT_EQ(fs::path(again.folder).filename(), "my-run");
  EXPECT_EQ(record(again)["resumed"], true);
  options_.resume_run = "other";
  EXPECT_THROW(run({"a"}), UsageError);
}

TEST_F(TaskRuns, ResumeWithoutANameTakesTheNewestOfTheSameWork) {
  options_.resume = true;
  EXPECT_THROW(run({"a"}), UsageError);
  options_.resume = false;
  run({"a", "b"}, "a");
  options_.resume = true;
  const TaskOutcome again = run({"a"}).front();
  EXPECT_EQ(again.status, "ok");
  EXPECT_EQ(list_runs(places_.runs, "", 0).size(), 2u);
}

TEST_F(TaskRuns, ARunWhoseProcessIsGoneIsLost) {
  const TaskOutcome outcome = run({"a"}).front();
  json found = record(outcome);
  found["status"] = "running";
  write_file(outcome.folder + "/run.json", found.dump());
  EXPECT_EQ(list_runs(places_.runs, "embed", 1).front().status, "running");  // this very process
  found["process"]["start"] = "1";
  write_file(outcome.folder + "/run.json", found.dump());
  EXPECT_EQ(list_runs(places_.runs, "embed", 1).front().status, "lost");
  found["process"]["host"] = "another-node";
  write_file(outcome.folder + "/run.json", found.dump());
  EXPECT_EQ(list_runs(places_.runs, "embed", 1).front().status, "running");
}

}  // namespace
}  // namespace scvet::jobs
