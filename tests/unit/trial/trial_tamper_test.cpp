// A locked folder is changed in every way that a file system allows; each is refused with the reason of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/digest.h"
#include "trial_folder_fixture.h"

namespace scvet::trial {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class TrialTamperTest : public TrialFolderTest {
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
      fs::remove(folder() + "/ledger.head");
    else
      write_file(folder() + "/ledger.head", std::to_string(count) + " " + sha256(last) + "\n");
  }
  std::string lock_;
};

TEST_F(TrialTamperTest, OneChangedByteInAnyFileIsRefused) {
  struct Case {
    std::string file;
    std::vector<std::string> reasons;
  };
  const Case cases[] = {{"protocol.json", {"protocol_changed"}},
                        {"data.json", {"data_changed"}},
                        {"manifest.json", {"manifest_changed"}},
                        {"rows.tsv", {"rows_changed"}},
                        {"split.tsv", {"split_changed"}},
                        {"labels.trainval.tsv", {"label_changed"}},
                        {"labels.test.tsv", {"label_changed"}},
                        {"fixed.tsv", {"fixed_predictions_changed"}},
                        {"arms/demo/arm.json", {"arm_record_changed"}},
                        {"arms/demo/sanity.json", {"sanity_changed"}},
                        {"arms/demo/predictions.tsv", {"predictions_changed"}},
                        {"arms/demo/metrics.json", {"derived_changed"}},
                        {"arms/demo/outcome.json", {"derived_changed"}},
                        {"arms/demo/test.opened", {"predictions_changed", "ledger_chain"}},
                        {"ledger.jsonl", {"ledger_chain", "ledger_truncated", "head_mismatch"}},
                        {"ledger.head", {"head_mismatch", "ledger_truncated"}}};
  for (const Case& one : cases) {
    const std::string path = folder() + "/" + one.file, text = read_file(path);
    for (int place = 0; place <= 12; ++place) {
      const std::size_t at = (text.size() - 1) * static_cast<std::size_t>(place) / 12;
      std::string changed = text;
      changed[at] = changed[at] == '7' ? '8' : '7';
      write_file(path, changed);
      const std::string reason = first_reason();
      EXPECT_NE(std::find(one.reasons.begin(), one.reasons.end(), reason), one.reasons.end())
          << one.file << " at byte " << at << ": '" << reason << "'";
      EXPECT_EQ(TrialFolder::open(folder(), options()).state("demo"), ArmState::kTestDone) << one.file;
    }
    fs::remove(path);
    EXPECT_NE(first_reason(), "") << one.file << " removed";
    write_file(path, text);
    ASSERT_EQ(first_reason(), "") << one.file << " restored";
  }
}

TEST_F(TrialTamperTest, EachChangedThresholdIsRefused) {
  const std::string path = folder() + "/protocol.json", text = read_file(path);
  const Json record = Json::parse(text);
  for (const auto& item : record["cascade"].items()) {
    Json changed = record;
    Json& value = changed["cascade"][item.key()];
    if (value.is_number())
      value = value.get<int>() - 1;
    else if (value.is_string())
      value = value.get<std::string>().substr(0, value.get<std::string>().find('0')) + "0.001";
    else
      std::swap(value[0], value[1]);
    write_file(path, changed.dump() + "\n");
    EXPECT_EQ(first_reason(), "protocol_changed") << item.key();
    // Nor does it help to mend the manifest.
    const std::string manifest = read_file(folder() + "/manifest.json");
    std::string mended = manifest;
    mended.replace(mended.find(sha256(text)), 64, sha256(changed.dump() + "\n"));
    write_file(folder() + "/manifest.json", mended);
    EXPECT_EQ(first_reason(), "manifest_changed") << item.key();
    write_file(folder() + "/manifest.json", manifest);
  }
}

TEST_F(TrialTamperTest, AMissingOpeningIsRefusedAndTheStateStays) {
  fs::remove(folder() + "/arms/demo/test.opened");
  EXPECT_EQ(first_reason(), "opened_file_missing");
  EXPECT_EQ(TrialFolder::open(folder(), options()).state("demo"), ArmState::kTestDone);
}

TEST_F(TrialTamperTest, ALedgerCutAtALineEndIsShorterThanItsHead) {
  const std::vector<std::string> all = lines();
  for (std::size_t count = 0; count < all.size(); ++count) {
    cut_ledger(count, "", false);
    EXPECT_EQ(first_reason(), "ledger_truncated") << count;
    EXPECT_EQ(TrialFolder::open(folder(), options()).state("demo"), ArmState::kTestDone);
    std::string whole;
    for (const std::string& line : all) whole += line;
    write_file(folder() + "/ledger.jsonl", whole);
  }
}

TEST_F(TrialTamperTest, ALedgerAndHeadPutBackAreBehindTheMirror) {
  const std::string whole = read_file(folder() + "/ledger.jsonl"), head = read_file(folder() + "/ledger.head");
  for (std::size_t count = 0; count < 6; ++count) {
    cut_ledger(count, "", true);
    EXPECT_EQ(first_reason(), "ledger_rollback") << count;
    EXPECT_EQ(TrialFolder::open(folder(), options()).state("demo"), ArmState::kTestDone)
        << "the most advanced state is shown";
    write_file(folder() + "/ledger.jsonl", whole);
    write_file(folder() + "/ledger.head", head);
  }
}

TEST_F(TrialTamperTest, ALedgerCutInsideItsLastLineIsShorterThanItsHead) {
  const std::string last = lines()[5];
  const std::string whole = read_file(folder() + "/ledger.jsonl");
  for (std::size_t bytes = 1; bytes + 1 < last.size(); bytes += 7) {
    write_file(folder() + "/ledger.jsonl", whole.substr(0, whole.size() - last.size() + bytes));
    EXPECT_EQ(first_reason(), "ledger_truncated") << bytes;
  }
}

TEST_F(TrialTamperTest, AnOlderFolderThatIsRestoredIsBehindTheMirror) {
  const std::string copy = root() + "/copies/trial";
  minute_ = 0;
  std::string id;
  {
    TrialFolder trial =
        TrialFolder::create(root() + "/elsewhere/second", contents_, reference_options(root() + "/state2", minute_));
    go_on(trial, results_, "demo", ArmState::kPredicted);
    id = trial.lock_id();
  }
  fs::create_directories(root() + "/copies");
  fs::copy(root() + "/elsewhere/second", copy, fs::copy_options::recursive);
  {
    TrialFolder trial =
        TrialFolder::open_for_writing(root() + "/elsewhere/second", reference_options(root() + "/state2", minute_));
    go_on(trial, results_, "demo", ArmState::kTestDone);
  }
  const TrialFolder restored = TrialFolder::open(copy, reference_options(root() + "/state2", minute_));
  ASSERT_FALSE(restored.problems().empty());
  EXPECT_EQ(restored.problems()[0].reason, "ledger_rollback");
  EXPECT_EQ(restored.state("demo"), ArmState::kTestDone);
  EXPECT_REASON(TrialFolder::open_for_writing(copy, reference_options(root() + "/state2", minute_)), "ledger_rollback");
}

// Without a mirror nothing inside the copy tells, but the other folder beside it does.
TEST_F(TrialTamperTest, ACopyBesideTheFolderCannotOpenTheTestAgain) {
  fs::remove_all(folder());
  fs::remove_all(state_dir());
  minute_ = 0;
  {
    TrialFolder trial = create();
    go_on(trial, results_, "demo", ArmState::kPredicted);
  }
  fs::copy(folder(), root() + "/copy", fs::copy_options::recursive);
  {
    TrialFolder trial = open_for_writing();
    go_on(trial, results_, "demo", ArmState::kTestDone);
  }
  FolderOptions fresh = options();
  fresh.state_dir = root() + "/another-state";
  TrialFolder copy = TrialFolder::open_for_writing(root() + "/copy", fresh);
  EXPECT_REASON(copy.require_state("demo", Step::kFinalTest), "test_already_opened");
  EXPECT_REASON(copy.open_test("demo"), "test_already_opened");
}

TEST_F(TrialTamperTest, TwoCopiesThatBothWentOnAreTwoHistories) {
  fs::remove_all(folder());
  fs::remove_all(state_dir());
  minute_ = 0;
  {
    TrialFolder trial = create();
    go_on(trial, results_, "demo", ArmState::kRegistered);
  }
  fs::copy(folder(), root() + "/copy", fs::copy_options::recursive);
  {
    TrialFolder trial = open_for_writing();
    trial.deposit("self-reported", "one");
  }
  FolderOptions fresh = options();
  fresh.state_dir = root() + "/another-state";
  {
    TrialFolder copy = TrialFolder::open_for_writing(root() + "/copy", fresh);
    copy.deposit("self-reported", "two");
  }
  const TrialFolder copy = TrialFolder::open(root() + "/copy", options());
  ASSERT_FALSE(copy.problems().empty());
  EXPECT_EQ(copy.problems()[0].reason, "ledger_rollback");
}

TEST_F(TrialTamperTest, AChangedMirrorIsADisagreement) {
  const std::string text = read_file(mirror_path());
  for (std::size_t at = 0; at + 1 < text.size(); at += 41) {
    // The sketch speaks of other locks, not of this folder.
    if (at > text.find("\"cell_sketch\"") && at < text.find("\"counts_digest\"")) continue;
    std::string changed = text;
    changed[at] = changed[at] == '7' ? '8' : '7';
    write_file(mirror_path(), changed);
    const std::string reason = first_reason();
    EXPECT_TRUE(reason == "head_mismatch" || reason == "ledger_rollback") << "byte " << at << ": '" << reason << "'";
  }
}

TEST_F(TrialTamperTest, AMirrorOrHeadThatIsFurtherBehindIsRefused) {
  const std::string mirror = read_file(mirror_path()), head = read_file(folder() + "/ledger.head");
  Mirror old = parse_mirror(mirror, "mirror");
  const std::vector<std::string> all = lines();
  old.ledger_count = 4;
  old.ledger_head = sha256(all[3]);
  write_file(mirror_path(), mirror_json(old));
  EXPECT_EQ(first_reason(), "head_mismatch");
  write_file(mirror_path(), mirror);
  write_file(folder() + "/ledger.head", "4 " + sha256(all[3]) + "\n");
  EXPECT_EQ(first_reason(), "head_mismatch");
  write_file(folder() + "/ledger.head", head);
  EXPECT_EQ(first_reason(), "");
}

TEST_F(TrialTamperTest, AHeadOrMirrorOneLineBehindIsRepairedAndRecorded) {
  Mirror old = parse_mirror(read_file(mirror_path()), "mirror");
  const std::string before = sha256(lines()[4]);
  write_file(folder() + "/ledger.head", "5 " + before + "\n");
  old.ledger_count = 5;
  old.ledger_head = before;
  old.arms["demo"] = ArmState::kTestOpened;
  write_file(mirror_path(), mirror_json(old));
  EXPECT_TRUE(TrialFolder::open(folder(), options()).problems().empty());
  {
    const TrialFolder trial = open_for_writing();
    EXPECT_EQ(trial.ledger().count(), 8);
    EXPECT_EQ(data_text(trial.ledger().events[6].data, "what"), "head_repaired");
    EXPECT_EQ(data_text(trial.ledger().events[7].data, "what"), "mirror_repaired");
  }
  EXPECT_EQ(read_file(folder() + "/ledger.head"), "8 " + sha256(lines()[7]) + "\n");
  EXPECT_EQ(parse_mirror(read_file(mirror_path()), "mirror").ledger_count, 8);
}

// A crash inside the write of a line: at every byte the line counts as the state that it began.
TEST_F(TrialTamperTest, ATornLastLineCountsAsTheStateItBegins) {
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

TEST_F(TrialTamperTest, AnUnreadableTornLineMovesEveryArm) {
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
TEST_F(TrialTamperTest, ATornLineIsHealedAndTheTrialGoesOnToTheSameResult) {
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
TEST_F(TrialTamperTest, AnOpenedFileWithoutItsLineIsAnOpening) {
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

TEST_F(TrialTamperTest, AResumeIsRecorded) {
  cut_ledger(5, "", true);
  fs::remove_all(state_dir());
  {
    TrialFolder trial = open_for_writing();
    trial.record_done("demo", results_.metrics, results_.outcome, true);
  }
  EXPECT_NE(lines()[5].find("\"resumed\":true"), std::string::npos);
  EXPECT_EQ(first_reason(), "");
}

TEST_F(TrialTamperTest, AnOpeningOfAnArmThatNobodyRegisteredIsRefused) {
  write_file(folder() + "/arms/ghost/test.opened", read_file(folder() + "/arms/demo/test.opened"));
  EXPECT_EQ(first_reason(), "ledger_chain");
}

TEST_F(TrialTamperTest, LinesThatAreSwappedRepeatedOrPutInAreRefused) {
  const std::vector<std::string> all = lines();
  const auto with = [&](const std::vector<std::size_t>& order) {
    std::string text;
    for (const std::size_t line : order) text += all[line];
    write_file(folder() + "/ledger.jsonl", text);
    return first_reason();
  };
  EXPECT_EQ(with({0, 2, 1, 3, 4, 5}), "ledger_chain");
  EXPECT_EQ(with({0, 1, 1, 2, 3, 4, 5}), "ledger_chain");
  EXPECT_EQ(with({0, 1, 2, 3, 5}), "ledger_chain");
  EXPECT_EQ(with({1, 2, 3, 4, 5}), "ledger_chain");
  EXPECT_EQ(with({0, 1, 2, 3, 4, 5}), "");
  write_file(folder() + "/ledger.jsonl", read_file(folder() + "/ledger.jsonl") + "{}\n");
  EXPECT_EQ(first_reason(), "ledger_chain");
}

TEST_F(TrialTamperTest, DerivedArraysAreHashedOnRequest) {
  LockContents contents = contents_;
  std::string values(80, '\0'), header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 5), }";
  header += std::string(118 - header.size() - 1, ' ') + "\n";
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<char>(at);
  contents.x_delta_sha256 = sha256(values);
  const std::string npy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + values;
  const std::string place = root() + "/elsewhere/trial";
  TrialFolder trial = TrialFolder::create(place, contents, options());
  write_file(trial.derived_path("x_delta.npy"), npy);
  trial.check_derived();
  EXPECT_TRUE(trial.problems().empty()) << trial.problems()[0].message;
  for (const std::string& other : {npy.substr(0, npy.size() - 1), npy.substr(0, 20), std::string("no array"),
                                   npy.substr(0, npy.size() - 1) + "x"}) {
    write_file(trial.derived_path("x_delta.npy"), other);
    TrialFolder reading = TrialFolder::open(place, options());
    EXPECT_TRUE(reading.problems().empty());
    reading.check_derived();
    ASSERT_EQ(reading.problems().size(), 1u);
    EXPECT_EQ(reading.problems()[0].reason, "derived_changed");
  }
}

}  // namespace
}  // namespace scvet::trial
