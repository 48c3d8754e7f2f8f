#include "scvet/base/digest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet {
namespace {
namespace fs = std::filesystem;

// FIPS 180-4 examples.
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256(""), kEmpty);
  EXPECT_EQ(sha256("abc"), kAbc);
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  const std::string text(1000, 'q');
  Sha256 digest;
  digest.update(std::string_view(text).substr(0, 63));
  digest.update(std::as_bytes(std::span(text)).subspan(63, 500));
  Sha256 moved(std::move(digest));
  moved.update(std::string_view(text).substr(563));
  EXPECT_EQ(moved.finish(), sha256(text));
}

class PathDigest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("scvet_digest_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    write_file((folder_ / "b/two").string(), "2");
    write_file((folder_ / "a").string(), "abc");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(PathDigest, OfAFileIsTheDigestOfItsBytes) { EXPECT_EQ(sha256_path((folder_ / "a").string()), kAbc); }

TEST_F(PathDigest, OfAFolderFollowsItsDocumentedRule) {
  const std::string lines = std::string("a") + '\0' + kAbc + "\n" + "b/two" + '\0' + sha256("2") + "\n";
  EXPECT_EQ(sha256_path(folder_.string()), sha256(lines));
}

TEST_F(PathDigest, ChangesWithANameOrAByte) {
  const std::string before = sha256_path(folder_.string());
  fs::rename(folder_ / "a", folder_ / "c");
  const std::string renamed = sha256_path(folder_.string());
  EXPECT_NE(renamed, before);
  write_file((folder_ / "c").string(), "abd");
  EXPECT_NE(sha256_path(folder_.string()), renamed);
}

TEST_F(PathDigest, OfAMissingFileIsADataErrorWithItsName) {
  try {
    sha256_path((folder_ / "none").string());
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().file, (folder_ / "none").string());
  }
}

}  // namespace
}  // namespace scvet
