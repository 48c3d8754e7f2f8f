#include "zip/zip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hdf5_builder.h"
#include "scvet/io/text_table.h"
#include "zip_builder.h"

namespace scvet::io {
namespace {
using testing::HasSubstr;

constexpr std::uint64_t kMost = 1 << 20;

class ZipFileTest : public testing::Test {
 protected:
  std::string written(ZipBuilder& zip) {
    const std::string path = folder_.folder() + "/test.zip";
    zip.write(path);
    return path;
  }
  static std::string content(const ZipFile& zip, const std::string& name) {
    const ZipMember* member = zip.find(name);
    if (!member) return "(absent)";
    const std::vector<std::byte> bytes = zip.read(*member, kMost);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Opens the archive and reads every member.
  std::string complaint(ZipBuilder& zip) {
    const std::string path = written(zip);
    return message_of([&] {
      const ZipFile opened(path);
      for (const auto& [name, member] : opened.members()) opened.read(member, kMost);
    });
  }
  Hdf5Builder folder_;
};

TEST_F(ZipFileTest, StoredAndDeflatedMembersAreRead) {
  for (const bool zip64 : {false, true}) {
    ZipBuilder zip;
    zip.zip64 = zip64;
    zip.comment = "a comment with PK\x05\x06 in it";
    zip.before = "a program that unpacks itself";
    const std::string repeated(100000, 'r');
    zip.add("folder/", "");
    zip.add("folder/stored", "bytes");
    zip.add("empty", "");
    zip.add("packed", repeated, true);
    const ZipFile opened(written(zip));
    EXPECT_EQ(opened.members().size(), 3u);
    EXPECT_EQ(content(opened, "folder/stored"), "bytes");
    EXPECT_EQ(content(opened, "empty"), "");
    EXPECT_EQ(content(opened, "packed"), repeated);
    EXPECT_EQ(content(opened, "other"), "(absent)");
  }
}

TEST_F(ZipFileTest, OfEqualNamesTheLastEntryCounts) {
  ZipBuilder zip;
  zip.add("a", "first");
  zip.add("a", "second");
  zip.add("a", "third", true);
  zip.add("b", "other");
  EXPECT_EQ(content(ZipFile(written(zip)), "a"), "third");
}

TEST_F(ZipFileTest, APartOfAMemberIsReadWithoutTheRest) {
  ZipBuilder zip;
  std::string text;
  for (int line = 0; line < 30000; ++line) text += std::to_string(line) + "\n";
  zip.add("stored", text);
  zip.add("packed", text, true);
  const ZipFile opened(written(zip));
  for (const char* name : {"stored", "packed"}) {
    const std::vector<std::byte> part = opened.read_range(*opened.find(name), 123456, 20);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(part.data()), 20), text.substr(123456, 20));
    EXPECT_THAT(message_of([&] { opened.read_range(*opened.find(name), text.size() - 5, 6); }), HasSubstr("wanted"));
    EXPECT_THAT(message_of([&] { opened.read_range(*opened.find(name), UINT64_MAX, 2); }), HasSubstr("wanted"));
  }
}

TEST_F(ZipFileTest, NamesThatLeadOutOfTheArchiveAreRefused) {
  for (const char* name : {"../escape", "/etc/passwd", "a/../../b", "..\\b", "C:\\x", "a/.."}) {
    ZipBuilder zip;
    zip.add("good", "x");
    zip.add(name, "x");
    EXPECT_THAT(complaint(zip), testing::AllOf(HasSubstr(name), HasSubstr("leads out"))) << name;
  }
}

TEST_F(ZipFileTest, WhatCannotBeUnpackedHereIsNamed) {
  ZipBuilder encrypted, other;
  encrypted.add("secret", "x").flags = 1;
  EXPECT_THAT(complaint(encrypted), testing::AllOf(HasSubstr("secret"), HasSubstr("encrypted")));
  other.add("packed", "x").method = 14;
  EXPECT_THAT(complaint(other), testing::AllOf(HasSubstr("packed"), HasSubstr("14 (lzma)")));
}

TEST_F(ZipFileTest, EntriesThatShareBytesAreRefused) {
  ZipBuilder zip;
  zip.add("kernel", std::string(1000, 'x'));
  ZipBuilder::Entry& again = zip.add("again", std::string(1000, 'x'));
  again.offset = static_cast<std::uint64_t>(-1038);  // into the first
  EXPECT_THAT(complaint(zip), HasSubstr("overlap"));
}

TEST_F(ZipFileTest, AMemberThatClaimsMoreThanItsBytesCanHoldIsRefusedBeforeMemoryIsTaken) {
  ZipBuilder bomb, large, longer, shorter, stored;
  bomb.add("bomb", std::string(100, 'b'), true).bytes = std::uint64_t{4} << 30;
  bomb.zip64 = true;
  EXPECT_THAT(complaint(bomb), testing::AllOf(HasSubstr("bomb"), HasSubstr("cannot be")));
  large.add("large", std::string(kMost + 1, 'l'), true);
  EXPECT_THAT(complaint(large), testing::AllOf(HasSubstr("large"), HasSubstr("at most")));
  longer.add("longer", std::string(100, 'b'), true).bytes = 99;
  EXPECT_THAT(complaint(longer), HasSubstr("cannot be unpacked"));
  shorter.add("shorter", std::string(100, 'b'), true).bytes = 101;
  EXPECT_THAT(complaint(shorter), HasSubstr("cannot be unpacked"));
  stored.add("stored", "abc").bytes = 4;
  EXPECT_THAT(complaint(stored), HasSubstr("two lengths differ"));
}

TEST_F(ZipFileTest, DamageIsNamed) {
  ZipBuilder checksum, names, count;
  checksum.add("wrong", "abc").checksum ^= 1;
  EXPECT_THAT(complaint(checksum), testing::AllOf(HasSubstr("wrong"), HasSubstr("checksum")));
  names.add("seen", "abc").local_name = "hide";
  EXPECT_THAT(complaint(names), testing::AllOf(HasSubstr("seen"), HasSubstr("disagree")));
  count.add("one", "abc");
  count.n_entries_off = 1;
  EXPECT_THAT(complaint(count), HasSubstr("instead of 2"));
}

TEST_F(ZipFileTest, EveryCutIsAnErrorAndNeverACrash) {
  ZipBuilder zip;
  zip.add("a.tsv", "x\ty\n1\t2\n", true);
  zip.add("b", "stored");
  const std::string whole = zip.bytes(), path = folder_.folder() + "/cut.zip";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    EXPECT_NE(message_of([&] { const ZipFile opened(path); }), "") << length;
  }
}

TEST_F(ZipFileTest, EveryChangedByteIsReadOrRefused) {
  ZipBuilder zip;
  zip.add("a.tsv", "x\ty\n1\t2\n", true);
  zip.add("b", "stored");
  const std::string whole = zip.bytes(), path = folder_.folder() + "/changed.zip";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
    try {
      const ZipFile opened(path);
      for (const auto& [name, member] : opened.members()) opened.read(member, kMost);
    } catch (const DataError&) {
      SUCCEED();
    }
  }
}

TEST_F(ZipFileTest, ATableAloneInAnArchiveIsReadAsIfItWerePlain) {
  std::string text = "cell\tscore\n";
  for (int row = 0; row < 20000; ++row) text += "c" + std::to_string(row) + "\t" + std::to_string(row) + ".5\n";
  for (const bool deflated : {false, true}) {
    ZipBuilder zip;
    zip.add("__MACOSX/._scores.tsv", "noise");
    zip.add(".DS_Store", "noise");
    zip.add("scores.tsv", text, deflated);
    const std::string path = written(zip);
    EXPECT_TRUE(looks_like_text_table(path));
    const TextTable table = read_text_table(path);
    EXPECT_EQ(table.n_rows(), 20000);
    EXPECT_EQ(table.table.names.back(), "c19999");
    EXPECT_EQ(table.numeric_sum, 20000 * 19999.0 / 2 + 10000);
  }
}

TEST_F(ZipFileTest, SeveralTablesInAnArchiveAreNotGuessedAmong) {
  ZipBuilder zip;
  zip.add("a.tsv", "x\ty\n1\t2\n");
  zip.add("b.tsv", "x\ty\n1\t2\n");
  const std::string path = written(zip);
  EXPECT_FALSE(looks_like_text_table(path));
  EXPECT_THAT(message_of([&] { read_text_table(path); }), HasSubstr("a.tsv, b.tsv"));
}

TEST_F(ZipFileTest, ATableWhoseChecksumIsWrongIsRefused) {
  for (const bool deflated : {false, true}) {
    ZipBuilder zip;
    zip.add("a.tsv", "x\ty\n1\t2\n", deflated).checksum ^= 1;
    const std::string path = written(zip);
    EXPECT_THAT(message_of([&] { read_text_table(path); }), HasSubstr("length or checksum"));
  }
}

}  // namespace
}  // namespace scvet::io
