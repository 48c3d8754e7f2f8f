// What a crash leaves of a trial folder counts as a state before or after, and the trial goes on from there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "finished_trial_fixture.h"
#include "scvet/base/digest.h"

namespace scvet::trial {
namespace {

namespace fs = std::filesystem;
using TrialCrashTest = FinishedTrialTest;

// A crash inside the write of a line: at every byte the line counts as the state that it began.
TEST_F(TrialCrashTest, ATornLastLineCountsAsTheStateItBegins) {
  const std::vector<std::string> all = lines();
  const ArmState states[] = {ArmState::kUnknown,   ArmState::kRegistered, ArmState::kSanityPassed,
                             ArmState::kPredicted, ArmState::kTestOpened, ArmState::kTestDone};
  for (std::size_t line = 1; line < all.size(); ++line) {
    std::string before;
    for (std::size_t at = 0; at < line; ++at) before += all[at];
    const std::size_t named = std::string("{\"arm\":\"demo\"").size();
    for (std::size_t bytes = 1; bytes < all[line].size(); bytes += bytes < 20 ? 1 : 13) {
      const Ledger ledger = read_ledger(before + all[line].substr(0, bytes), lock_, "ledger.jsonl");
      ASSERT_TRUE(ledger.problems.empty()) << ledger.problems[0].message;
      // A new arm whose name is not whole is not known yet.
      const bool unknown = line == 1 && bytes < named;
      const ArmState found = ledger.arms.contains("demo") ? ledger.arms.at("demo").state : ArmState::kUnknown;
      EXPECT_EQ(found, unknown ? ArmState::kUnknown : states[line]) << "line " << line + 1 << ", " << bytes << " bytes";
      EXPECT_EQ(ledger.torn.size(), bytes);
    }
  }
}

TEST_F(TrialCrashTest, AnUnreadableTornLineMovesEveryArm) {
  minute_ = 0;
  TrialFolder trial =
      TrialFolder::create(root() + "/elsewhere/two", contents_, reference_options(root() + "/state2", minute_));
  go_on(trial, results_, "demo", ArmState::kPredicted);
  ArmRecord other = results_.arm;
  other.arm = "other";
  other.role = "sensitivity";
  trial.register_arm(other, false);
  const std::string text = read_file(root() + "/elsewhere/two/ledger.jsonl");
  const Ledger unreadable = read_ledger(text + "{\"arm\":\"ot", trial.lock_id(), "ledger.jsonl");
  EXPECT_EQ(unreadable.arms.at("demo").state, ArmState::kTestOpened);
  EXPECT_EQ(unreadable.arms.at("other").state, ArmState::kSanityPassed);
  const Ledger readable = read_ledger(text + "{\"arm\":\"other\",", trial.lock_id(), "ledger.jsonl");
  EXPECT_EQ(readable.arms.at("demo").state, ArmState::kPredicted);
  EXPECT_EQ(readable.arms.at("other").state, ArmState::kSanityPassed);
  const Ledger of_the_lock = read_ledger(text + "{\"arm\":\"\",\"da", trial.lock_id(), "ledger.jsonl");
  EXPECT_EQ(of_the_lock.arms.at("demo").state, ArmState::kPredicted);
}

// Every line torn at many bytes, its data files in place as a crash leaves them: the folder goes on to the same result.
TEST_F(TrialCrashTest, ATornLineIsHealedAndTheTrialGoesOnToTheSameResult) {
  const std::vector<std::string> all = lines();
  const std::string done = folder();
  for (std::size_t line = 0; line < all.size(); ++line)
    for (std::size_t bytes :
         {std::size_t{1}, std::size_t{9}, std::size_t{30}, all[line].size() / 2, all[line].size() - 1}) {
      fs::remove_all(root() + "/torn");
      fs::remove_all(state_dir());
      fs::copy(done, root() + "/torn", fs::copy_options::recursive);
      std::string before, last;
      for (std::size_t at = 0; at < line; ++at) before += last = all[at];
      write_file(root() + "/torn/ledger.jsonl", before + all[line].substr(0, bytes));
      fs::remove(root() + "/torn/ledger.head");
      if (line > 0) write_file(root() + "/torn/ledger.head", std::to_string(line) + " " + sha256(last) + "\n");
      if (line < 4) fs::remove(root() + "/torn/arms/demo/test.opened");
      fs::rename(done, root() + "/aside");  // a copy beside it would be noticed
      fs::create_directories(root() + "/deep");
      fs::rename(root() + "/aside", root() + "/deep/trial");
      {
        TrialFolder trial = TrialFolder::open_for_writing(root() + "/torn", options());
        ASSERT_EQ(trial.ledger().torn, "");
        go_on(trial, results_, "demo", ArmState::kTestDone);
        EXPECT_EQ(trial.state("demo"), ArmState::kTestDone);
      }
      fs::rename(root() + "/deep/trial", done);
      const TrialFolder again = TrialFolder::open(root() + "/torn", options());
      EXPECT_TRUE(again.problems().empty())
          << "line " << line + 1 << ", " << bytes << " bytes: " << again.problems()[0].message;
      EXPECT_EQ(again.history("demo").outcome_sha256, sha256(read_file(done + "/arms/demo/outcome.json")));
      EXPECT_EQ(read_file(root() + "/torn/arms/demo/metrics.json"), read_file(done + "/arms/demo/metrics.json"));
      std::size_t torn_events = 0;
      for (const LedgerEvent& event : again.ledger().events) torn_events += event.event == "TORN_LINE";
      EXPECT_EQ(torn_events, 1u);
      EXPECT_NE(read_file(root() + "/torn/ledger.jsonl").find(all[line].substr(0, bytes)), std::string::npos);
      ASSERT_EQ(reason_of([&] { TrialFolder::open_for_writing(root() + "/torn", options()); }), "");
      fs::remove_all(root() + "/torn");
    }
}

// The kill between test.opened and its line, with the file whole, empty and cut short.
TEST_F(TrialCrashTest, AnOpenedFileWithoutItsLineIsAnOpening) {
  const std::string opened = read_file(folder() + "/arms/demo/test.opened"),
                    ledger = read_file(folder() + "/ledger.jsonl");
  for (const std::size_t bytes : {opened.size(), std::size_t{0}, opened.size() / 2}) {
    fs::remove_all(state_dir());
    cut_ledger(4, "", true);
    write_file(folder() + "/arms/demo/test.opened", opened.substr(0, bytes));
    const TrialFolder reading = TrialFolder::open(folder(), options());
    EXPECT_TRUE(reading.problems().empty()) << reading.problems()[0].message;
    EXPECT_EQ(reading.state("demo"), ArmState::kTestOpened);
    EXPECT_REASON(reading.require_state("demo", Step::kFinalTest), "resume_needed");
    {
      minute_ = 4;
      TrialFolder trial = open_for_writing();
      EXPECT_REASON(trial.require_state("demo", Step::kFinalTest), "resume_needed");
      trial.record_done("demo", results_.metrics, results_.outcome);
    }
    EXPECT_EQ(read_file(folder() + "/ledger.jsonl"), ledger) << "the same bytes as without the crash";
    EXPECT_EQ(read_file(folder() + "/arms/demo/test.opened"), opened);
  }
}

TEST_F(TrialCrashTest, AResumeIsRecorded) {
  cut_ledger(5, "", true);
  fs::remove_all(state_dir());
  {
    TrialFolder trial = open_for_writing();
    trial.record_done("demo", results_.metrics, results_.outcome, true);
  }
  EXPECT_NE(lines()[5].find("\"resumed\":true"), std::string::npos);
  EXPECT_EQ(first_reason(), "");
}

}  // namespace
}  // namespace scvet::trial
