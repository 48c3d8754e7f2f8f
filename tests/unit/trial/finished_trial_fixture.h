// A finished trial of the worked example, for tests that cut and change what it left.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scvet/base/digest.h"
#include "trial_folder_fixture.h"

namespace scvet::trial {

class FinishedTrialTest : public TrialFolderTest {
 protected:
  void SetUp() override {
    TrialFolderTest::SetUp();
    if (IsSkipped()) return;
    TrialFolder trial = create();
    go_on(trial, results_, "demo", ArmState::kTestDone);
    lock_ = trial.lock_id();
  }
  // What the folder says of itself; writing must be refused with the same word.
  std::string first_reason() {
    const TrialFolder trial = TrialFolder::open(folder(), options());
    const std::string told = trial.problems().empty() ? "" : trial.problems()[0].reason;
    EXPECT_EQ(reason_of([&] { open_for_writing(); }), told);
    EXPECT_EQ(reason_of([&] { trial.require_intact(); }), told);
    return told;
  }
  std::string mirror_path() { return state_dir() + "/" + lock_ + ".json"; }
  // Lines of the ledger with their line ends.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    const std::string text = read_file(folder() + "/ledger.jsonl");
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
      end = text.find('\n', at);
      all.push_back(text.substr(at, end + 1 - at));
    }
    return all;
  }
  // Puts ledger, head and nothing else into the state behind the first `count` lines.
  void cut_ledger(std::size_t count, const std::string& torn, bool with_head) {
    std::string text, last;
    const std::vector<std::string> all = lines();
    for (std::size_t line = 0; line < count; ++line) text += last = all[line];
    write_file(folder() + "/ledger.jsonl", text + torn);
    if (!with_head) return;
    if (count == 0)
      std::filesystem::remove(folder() + "/ledger.head");
    else
      write_file(folder() + "/ledger.head", std::to_string(count) + " " + sha256(last) + "\n");
  }
  std::string lock_;
};

}  // namespace scvet::trial
