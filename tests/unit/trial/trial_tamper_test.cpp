// A locked folder is changed in every way that a file system allows; each is refused with the reason of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "finished_trial_fixture.h"
#include "scvet/base/digest.h"

namespace scvet::trial {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using TrialTamperTest = FinishedTrialTest;

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
