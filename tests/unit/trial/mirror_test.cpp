#include "scvet/trial/mirror.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::trial {
namespace {

KnownLock known(const std::string& counts, std::vector<std::string> sketch, std::vector<std::string> genes) {
  KnownLock lock;
  lock.counts_digest = counts;
  lock.cell_sketch = std::move(sketch);
  lock.test_target_genes = std::move(genes);
  return lock;
}

TEST(Mirror, TheReferenceIsWrittenAgainByteForByte) {
  const std::string file = std::string(SCVET_REFERENCE_DIR) + "/trial/lock/mirror.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  EXPECT_EQ(mirror_json(parse_mirror(read_file(file), file)), read_file(file));
}

TEST(Mirror, DataAreTheSameByDigestOrByHalfTheCellsAndASharedTestGene) {
  const KnownLock lock = known("x", {"a", "b", "c", "d"}, {"G1", "G2"});
  EXPECT_TRUE(same_data(lock, known("x", {}, {})));
  EXPECT_TRUE(same_data(lock, known("y", {"a", "b", "e", "f"}, {"G2"})));
  EXPECT_FALSE(same_data(lock, known("y", {"a", "e", "f", "g"}, {"G2"})));
  EXPECT_FALSE(same_data(lock, known("y", {"a", "b", "e", "f"}, {"G3"})));
  EXPECT_FALSE(same_data(lock, known("y", {}, {"G1"})));
  EXPECT_FALSE(same_data(known("", {}, {}), known("", {}, {})));
}

TEST(Mirror, TheStateFolderFollowsTheXdgRule) {
  const char* held = std::getenv("XDG_STATE_HOME");
  const std::string before = held ? held : "";
  setenv("XDG_STATE_HOME", "/somewhere", 1);
  EXPECT_EQ(state_folder(""), "/somewhere/scvet/trials");
  EXPECT_EQ(state_folder("given"), "given");
  setenv("XDG_STATE_HOME", "relative", 1);
  const char* home = std::getenv("HOME");
  if (home && *home == '/') {
    EXPECT_EQ(state_folder(""), std::string(home) + "/.local/state/scvet/trials");
  }
  held ? setenv("XDG_STATE_HOME", before.c_str(), 1) : unsetenv("XDG_STATE_HOME");
}

TEST(Mirror, FilesThatCannotBeReadAreNamedAndTheRestIsKnown) {
  std::string pattern = (std::filesystem::temp_directory_path() / "scvet-mirror-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  Mirror mirror;
  mirror.lock = std::string(64, 'a');
  mirror.counts_digest = mirror.design_digest = mirror.ledger_head = std::string(64, 'b');
  mirror.arms["one"] = ArmState::kTestDone;
  write_file(pattern + "/" + mirror.lock + ".json", mirror_json(mirror));
  write_file(pattern + "/" + std::string(64, 'c') + ".json", "{");
  write_file(pattern + "/notes.txt", "not a mirror");
  std::vector<std::string> unreadable;
  const std::vector<KnownLock> locks = known_locks(pattern, "", "", unreadable);
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_EQ(locks[0].arms.at("one"), ArmState::kTestDone);
  ASSERT_EQ(unreadable.size(), 1u);
  EXPECT_NE(unreadable[0].find("cccc"), std::string::npos);
  std::filesystem::remove_all(pattern);
}

}  // namespace
}  // namespace scvet::trial
