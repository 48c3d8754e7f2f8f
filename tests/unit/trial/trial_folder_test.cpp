// The worked example is rebuilt through TrialFolder, byte for byte, and each refusal of order is provoked.
#include "scvet/trial/trial_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "trial_folder_fixture.h"

namespace scvet::trial {
namespace {

namespace fs = std::filesystem;

TEST_F(TrialFolderTest, TheWorkedExampleIsReproducedByteForByte) {
  TrialFolder trial = create();
  go_on(trial, results_, "demo", ArmState::kTestDone);
  const std::string locked = std::string(SCVET_REFERENCE_DIR) + "/trial/lock/locked";
  int compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(locked)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), locked).string();
    EXPECT_EQ(read_file(folder() + "/" + name), read_file(entry.path().string())) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 16);
  EXPECT_EQ(read_file(state_dir() + "/" + trial.lock_id() + ".json"),
            read_file(std::string(SCVET_REFERENCE_DIR) + "/trial/lock/mirror.json"));
}

TEST_F(TrialFolderTest, EachStepWithAFreshProgramGivesTheSameBytes) {
  { TrialFolder trial = create(); }
  for (const ArmState until :
       {ArmState::kRegistered, ArmState::kSanityPassed, ArmState::kPredicted, ArmState::kTestOpened}) {
    TrialFolder trial = open_for_writing();
    go_on(trial, results_, "demo", until);
    EXPECT_EQ(trial.state("demo"), until);
  }
  {
    TrialFolder trial = open_for_writing();
    trial.record_done("demo", results_.metrics, results_.outcome);
  }
  EXPECT_EQ(read_file(folder() + "/ledger.jsonl"), reference_text(SCVET_REFERENCE_DIR, "ledger.jsonl"));
  EXPECT_TRUE(TrialFolder::open(folder(), options()).problems().empty());
}

TEST_F(TrialFolderTest, TheReferenceFolderItselfIsIntact) {
  const TrialFolder trial = TrialFolder::open(std::string(SCVET_REFERENCE_DIR) + "/trial/lock/locked", options());
  EXPECT_TRUE(trial.problems().empty()) << trial.problems()[0].message;
  EXPECT_EQ(trial.state("demo"), ArmState::kTestDone);
  EXPECT_EQ(trial.outcome("demo").category, "PARTIAL_EXTERNAL_REPLICATION");
  EXPECT_EQ(trial.labels_test("demo").size(), 6u);
}

TEST_F(TrialFolderTest, StepsOutOfOrderAreRefusedWithTheirReason) {
  EXPECT_REASON(TrialFolder::open(folder(), options()), "not_locked");
  EXPECT_REASON(open_for_writing(), "not_locked");
  TrialFolder trial = create();
  const auto reason = [&](Step step) { return reason_of([&] { trial.require_state("demo", step); }); };
  EXPECT_EQ(reason(Step::kSanity), "arm_unknown");
  EXPECT_EQ(reason(Step::kFinalTest), "arm_unknown");
  go_on(trial, results_, "demo", ArmState::kRegistered);
  EXPECT_EQ(reason(Step::kSanity), "");
  EXPECT_EQ(reason(Step::kFinalTest), "sanity_missing");
  EXPECT_EQ(reason(Step::kOpenTest), "sanity_missing");
  EXPECT_EQ(reason(Step::kResume), "resume_not_allowed");
  EXPECT_EQ(reason(Step::kAfterDone), "before_test_done");
  trial.record_sanity_failed("demo", std::string(64, 'a'), std::string(64, 'b'));
  EXPECT_EQ(reason(Step::kFinalTest), "sanity_failed");
  EXPECT_EQ(trial.history("demo").sanity_attempts, 1);
  go_on(trial, results_, "demo", ArmState::kSanityPassed);
  EXPECT_EQ(reason(Step::kFinalTest), "");
  EXPECT_REASON(trial.open_test("demo"), "parity_failed");
  trial.record_parity_failed("demo", 1e-9, trial.ledger().fixed_sha256);
  EXPECT_EQ(reason(Step::kFinalTest), "");
  EXPECT_EQ(reason(Step::kOpenTest), "parity_failed");
  EXPECT_FALSE(fs::exists(trial.arm_path("demo", "test.opened")));
  go_on(trial, results_, "demo", ArmState::kPredicted);
  EXPECT_EQ(trial.history("demo").prediction_attempts, 2);
  EXPECT_EQ(reason(Step::kFinalTest), "");
  EXPECT_EQ(reason(Step::kResume), "resume_not_allowed");
  EXPECT_REASON(trial.labels_test("demo"), "before_test_done");
  EXPECT_REASON(trial.metrics("demo"), "before_test_done");
  trial.open_test("demo");
  EXPECT_EQ(reason(Step::kFinalTest), "resume_needed");
  EXPECT_EQ(reason(Step::kSanity), "resume_needed");
  EXPECT_EQ(reason(Step::kResume), "");
  EXPECT_EQ(reason(Step::kAfterDone), "before_test_done");
  EXPECT_REASON(trial.open_test("demo"), "resume_needed");
  trial.record_done("demo", results_.metrics, results_.outcome);
  EXPECT_EQ(reason(Step::kFinalTest), "test_already_opened");
  EXPECT_EQ(reason(Step::kOpenTest), "test_already_opened");
  EXPECT_EQ(reason(Step::kResume), "test_already_opened");
  EXPECT_EQ(reason(Step::kSanity), "test_already_opened");
  EXPECT_EQ(reason(Step::kAfterDone), "");
}

TEST_F(TrialFolderTest, AnAbortedTestIsFinal) {
  TrialFolder trial = create();
  go_on(trial, results_, "demo", ArmState::kTestOpened);
  trial.record_aborted("demo", "R^2 of MODEL:20260527 is not finite");
  for (const Step step : {Step::kSanity, Step::kFinalTest, Step::kOpenTest, Step::kResume, Step::kAfterDone})
    EXPECT_REASON(trial.require_state("demo", step), "aborted_is_final");
}

TEST_F(TrialFolderTest, ArmsKeepNameRoleAndModel) {
  TrialFolder trial = create();
  go_on(trial, results_, "demo", ArmState::kRegistered);
  ArmRecord again = results_.arm;
  EXPECT_REASON(trial.register_arm(again, false), "arm_exists");
  again.role = "sensitivity";
  EXPECT_REASON(trial.register_arm(again, false), "role_change");
  again = results_.arm;
  again.arm = "second";
  EXPECT_REASON(trial.register_arm(again, false), "primary_exists");
  again.role = "sensitivity";
  again.embedding_digest = std::string(64, 'd');
  trial.register_arm(again, false);
  EXPECT_TRUE(trial.arm("second").protocol_preserving_extension);
  EXPECT_FALSE(trial.arm("demo").protocol_preserving_extension);
  EXPECT_EQ(trial.disclosures("second").arm_index, 2);
  EXPECT_EQ(trial.disclosures("demo").n_arms, 2);
  again.arm = "../out";
  EXPECT_THROW(trial.register_arm(again, false), UsageError);
  again.arm = "third";
  again.role = "both";
  EXPECT_THROW(trial.register_arm(again, false), UsageError);
}

TEST_F(TrialFolderTest, TheSameRepresentationIsOpenedOnceUnderALock) {
  TrialFolder trial = create();
  ArmRecord twin = results_.arm;
  twin.arm = "twin";
  twin.role = "sensitivity";
  go_on(trial, results_, "demo", ArmState::kRegistered);
  trial.register_arm(twin, false);
  go_on(trial, results_, "demo", ArmState::kTestDone);
  trial.record_sanity("twin", results_.sanity, results_.fixed);
  EXPECT_REASON(trial.require_state("twin", Step::kFinalTest), "test_already_opened");
  twin.arm = "another";
  EXPECT_REASON(trial.register_arm(twin, false), "test_already_opened");
}

TEST_F(TrialFolderTest, ChangedInputsAreRefusedWithTheirReason) {
  TrialFolder trial = create();
  go_on(trial, results_, "demo", ArmState::kRegistered);
  const std::string other(64, '0');
  EXPECT_NO_THROW(trial.require_counts(trial.data().counts_digest));
  EXPECT_REASON(trial.require_counts(other), "counts_changed");
  EXPECT_REASON(trial.require_counts_file(other), "counts_changed");
  EXPECT_REASON(trial.require_design(other), "design_changed");
  EXPECT_REASON(trial.require_embedding("demo", other), "embedding_changed");
  EXPECT_NO_THROW(trial.require_embedding("demo", results_.arm.embedding_digest));
  EXPECT_REASON(trial.require_numerics("trial-numerics-1:" + other), "numerics_differ");
  EXPECT_REASON(trial.require_arrays(other, other, other), "derived_changed");
  EXPECT_NO_THROW(trial.require_arrays(trial.manifest().x_delta_sha256, trial.manifest().x_unit_delta_sha256,
                                       trial.manifest().mag_sha256));
}

TEST_F(TrialFolderTest, ResultsThatDifferFromTheRecordedOnesAreRefused) {
  TrialFolder trial = create();
  go_on(trial, results_, "demo", ArmState::kSanityPassed);
  SanityRecord sanity = results_.sanity;
  sanity.anchor_alpha = 1;
  EXPECT_REASON(trial.record_sanity("demo", sanity, results_.fixed), "sanity_changed");
  EXPECT_REASON(trial.record_sanity("demo", results_.sanity, results_.fixed + "x"), "fixed_predictions_changed");
  EXPECT_REASON(trial.record_predicted("demo", results_.predictions, results_.fixed + "x"),
                "fixed_predictions_changed");
  trial.record_predicted("demo", results_.predictions, results_.fixed);
  PredictionsTable predictions = results_.predictions;
  predictions.model[0][0] += 1e-12;
  EXPECT_REASON(trial.record_predicted("demo", predictions, results_.fixed), "predictions_changed");
  EXPECT_NO_THROW(trial.record_predicted("demo", results_.predictions, results_.fixed));
}

TEST_F(TrialFolderTest, OneWriterAtATime) {
  TrialFolder trial = create();
  EXPECT_REASON(open_for_writing(), "writer_active");
  FolderOptions breaking = options();
  breaking.break_lock = true;
  EXPECT_REASON(TrialFolder::open_for_writing(folder(), breaking), "writer_active");  // it runs: nothing to break
  EXPECT_TRUE(TrialFolder::open(folder(), options()).problems().empty());             // reading is free
}

TEST_F(TrialFolderTest, OfTwoProcessesOneIsRefused) {
  { TrialFolder trial = create(); }
  constexpr int kRefused = 4, kWrote = 0;
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {  // holds the folder until it is told to end
    char byte = 'x';
    const bool open = reason_of([&] {
                        TrialFolder trial = open_for_writing();
                        trial.register_arm(results_.arm, true);
                        if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) std::abort();
                      }).empty();
    _exit(open ? kWrote : kRefused);
  }
  char byte = 'x';
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_REASON(open_for_writing(), "writer_active");
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), kWrote);
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
  EXPECT_EQ(open_for_writing().state("demo"), ArmState::kRegistered);
}

TEST_F(TrialFolderTest, AWriterThatDiedIsNamedAndPushedAsideOnRequestOnly) {
  { TrialFolder trial = create(); }
  write_file(folder() + "/lock.pid", "{\"host\":\"elsewhere\",\"pid\":4711}\n");
  try {
    open_for_writing();
    FAIL();
  } catch (const LockError& error) {
    EXPECT_EQ(error.facts().reason, "writer_active");
    EXPECT_NE(std::string(error.what()).find("process 4711 on elsewhere"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--break-lock"), std::string::npos) << error.what();
  }
  FolderOptions breaking = options();
  breaking.break_lock = true;
  {
    TrialFolder trial = TrialFolder::open_for_writing(folder(), breaking);
    EXPECT_EQ(trial.ledger().events.back().event, "OVERRIDE");
    EXPECT_EQ(data_text(trial.ledger().events.back().data, "host"), "elsewhere");
    go_on(trial, results_, "demo", ArmState::kRegistered);
    EXPECT_FALSE(trial.disclosures("demo").notes.empty());
  }
  EXPECT_FALSE(fs::exists(folder() + "/lock.pid"));
  EXPECT_NO_THROW(open_for_writing());
}

TEST_F(TrialFolderTest, ALockIsMadeOnceInAFolder) {
  { TrialFolder trial = create(); }
  EXPECT_THROW(create(), UsageError);
  fs::remove(folder() + "/ledger.jsonl");  // the mirror remembers
  EXPECT_REASON(create(), "ledger_rollback");
}

TEST_F(TrialFolderTest, DepositsAndTheirStatusAreDisclosed) {
  TrialFolder trial = create();
  go_on(trial, results_, "demo", ArmState::kRegistered);
  EXPECT_EQ(trial.disclosures("demo").deposit, "none");
  EXPECT_THROW(trial.deposit("trust me", "x"), UsageError);
  EXPECT_THROW(trial.deposit("self-reported", ""), UsageError);
  EXPECT_THROW(trial.deposit("receipt checked", "x"), UsageError);
  const std::string head = trial.ledger().head();
  trial.deposit("self-reported", "registry 12345");
  EXPECT_EQ(trial.deposits().at(0).head, head);
  go_on(trial, results_, "demo", ArmState::kTestDone);
  EXPECT_EQ(trial.disclosures("demo").deposit, "self-reported");
  EXPECT_EQ(trial.disclosures("demo").deposit_after, "none");
  trial.deposit("receipt checked", "time stamp", std::string(64, 'a'));
  EXPECT_EQ(trial.disclosures("demo").deposit, "self-reported");  // the later one says nothing about before
  EXPECT_EQ(trial.disclosures("demo").deposit_after, "receipt checked");
  EXPECT_EQ(trial.state("demo"), ArmState::kTestDone);
  EXPECT_TRUE(trial.disclosures("demo").pre_registered);
  trial.mark_run();
  EXPECT_FALSE(trial.disclosures("demo").pre_registered);
}

TEST_F(TrialFolderTest, OtherLocksOnTheDataAreDisclosedAndTheSameArmIsRefused) {
  {
    TrialFolder first = create();
    go_on(first, results_, "demo", ArmState::kTestDone);
  }
  // In another place, so only the state folder can tell.
  LockContents contents = contents_;
  contents.supersedes =
      Supersedes{"0000000000000000000000000000000000000000000000000000000000000000", "a typing error"};
  TrialFolder second = TrialFolder::create(root() + "/elsewhere/deep/trial", contents, options());
  EXPECT_EQ(second.manifest().prior_locks_on_this_data, 1);
  EXPECT_REASON(second.register_arm(results_.arm, true), "test_already_opened");
  ArmRecord other = results_.arm;
  other.embedding_digest = std::string(64, 'e');
  second.register_arm(other, true);
  const Disclosures said = second.disclosures("demo");
  EXPECT_EQ(said.locks_on_this_data, 2);
  EXPECT_EQ(said.prior_openings, 1);
  EXPECT_EQ(said.superseded_locks.size(), 1u);
}

TEST_F(TrialFolderTest, AFolderBesideThisOneIsFoundWithoutAnyStateFolder) {
  FolderOptions first_options = options();
  first_options.state_dir = root() + "/state-of-a-colleague";
  {
    TrialFolder first = TrialFolder::create(root() + "/first", contents_, first_options);
    go_on(first, results_, "demo", ArmState::kTestDone);
  }
  TrialFolder second = create();
  EXPECT_EQ(second.manifest().prior_locks_on_this_data, 1);
  EXPECT_REASON(second.register_arm(results_.arm, true), "test_already_opened");
}

TEST_F(TrialFolderTest, AnotherProtocolOrOtherDataIsAnotherTrialOfTheSameRepresentation) {
  {
    TrialFolder first = create();
    go_on(first, results_, "demo", ArmState::kTestDone);
  }
  LockContents contents = contents_;
  contents.protocol.min_cells = 11;
  TrialFolder second = TrialFolder::create(root() + "/second", contents, options());
  second.register_arm(results_.arm, true);
  EXPECT_EQ(second.disclosures("demo").prior_openings, 1);  // the same data all the same
  EXPECT_REASON(require_same_protocol(TrialFolder::open(folder(), options()), second), "protocol_differs");
  EXPECT_NO_THROW(require_same_protocol(second, second));
}

// A copy with other bytes is found by its cells and test genes.
TEST_F(TrialFolderTest, ASlightlyCutCopyOfTheDataIsRecognised) {
  { TrialFolder first = create(); }
  LockContents contents = contents_;
  contents.data.counts_digest = std::string(64, 'c');
  for (std::size_t cell = 0; cell < 30; ++cell)
    contents.cell_sketch[cell] = "fffffffffffff0" + std::to_string(10 + cell);
  EXPECT_EQ(TrialFolder::create(root() + "/cut", contents, options()).manifest().prior_locks_on_this_data, 1);
  contents.cell_sketch.assign(64, "eeeeeeeeeeeeeeee");
  contents.data.counts_digest = std::string(64, 'b');
  EXPECT_EQ(TrialFolder::create(root() + "/other", contents, options()).manifest().prior_locks_on_this_data, 0);
}

TEST_F(TrialFolderTest, AReplacedLockGoesNoFurther) {
  std::string id;
  {
    TrialFolder first = create();
    go_on(first, results_, "demo", ArmState::kSanityPassed);
    id = first.lock_id();
  }
  LockContents contents = contents_;
  contents.supersedes = Supersedes{id, "wrong batch column"};
  { TrialFolder second = TrialFolder::create(root() + "/elsewhere/trial", contents, options()); }
  TrialFolder first = open_for_writing();
  EXPECT_REASON(first.require_state("demo", Step::kFinalTest), "superseded");
  ArmRecord other = results_.arm;
  other.arm = "other";
  EXPECT_REASON(first.register_arm(other, false), "superseded");
  contents.supersedes = Supersedes{"abc", "x"};
  EXPECT_THROW(TrialFolder::create(root() + "/third", contents, options()), UsageError);
}

TEST_F(TrialFolderTest, AStateFolderThatCannotBeWrittenIsRecordedAndNotFatal) {
  write_file(root() + "/plain", "a file, not a folder");
  FolderOptions none = options();
  none.state_dir = root() + "/plain/state";
  TrialFolder trial = TrialFolder::create(folder(), contents_, none);
  go_on(trial, results_, "demo", ArmState::kTestDone);
  EXPECT_FALSE(trial.disclosures("demo").state_folder);
  bool recorded = false;
  for (const LedgerEvent& event : trial.ledger().events)
    recorded = recorded || (event.event == "TEST_OPENED" && data_text(event.data, "mirror") == "none");
  EXPECT_TRUE(recorded);
}

TEST_F(TrialFolderTest, AClockThatIsSetBackIsDisclosed) {
  TrialFolder trial = create();
  minute_ = 600;
  go_on(trial, results_, "demo", ArmState::kRegistered);
  EXPECT_FALSE(trial.disclosures("demo").clock_set_back);
  minute_ = 3;
  go_on(trial, results_, "demo", ArmState::kSanityPassed);
  EXPECT_TRUE(trial.disclosures("demo").clock_set_back);
  EXPECT_TRUE(TrialFolder::open(folder(), options()).problems().empty());
}

TEST_F(TrialFolderTest, LabelsInTheWrongFileNeverReachTheDisk) {
  LockContents contents = contents_;
  std::swap(contents.labels_trainval[0], contents.labels_test[0]);
  EXPECT_THROW(TrialFolder::create(folder(), contents, options()), InternalError);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST(Commitment, IsTheHashOfSaltAndBytes) {
  const std::string salt = "61" + std::string(62, '0');
  std::string salted = "a" + std::string(31, '\0') + "labels";
  EXPECT_EQ(label_commitment(salt, "labels"), sha256(salted));
  EXPECT_NO_THROW(require_commitment(sha256(salted), salt, "labels", "f"));
  EXPECT_REASON(require_commitment(sha256(salted), salt, "label", "f"), "commitment_mismatch");
  EXPECT_THROW(label_commitment("61", "x"), UsageError);
}

}  // namespace
}  // namespace scvet::trial
