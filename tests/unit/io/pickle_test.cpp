#include "dictionary/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dictionary/pickle_numpy.h"
#include "scvet/base/error.h"

namespace scvet::io {
namespace {

using testing::HasSubstr;
using Kind = PickleValue::Kind;

PickleTree read(const std::string& bytes) {
  return read_pickle(std::as_bytes(std::span(bytes)), "f.pkl", numpy_scalars());
}

std::string refusal(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::string u32(std::uint32_t value) {
  std::string bytes;
  for (int at = 0; at < 4; ++at) bytes.push_back(static_cast<char>(value >> (8 * at)));
  return bytes;
}
std::string text(const std::string& value) { return "\x8c" + std::string(1, static_cast<char>(value.size())) + value; }
std::string bytes(const std::string& value) { return "C" + std::string(1, static_cast<char>(value.size())) + value; }
std::string pickle(const std::string& body) { return "\x80\x04" + body + "."; }

// dtype(code, False, True) with a byte order, and one of its numbers.
std::string dtype(const std::string& code, const std::string& order) {
  return "cnumpy\ndtype\n" + text(code) + "\x89\x88\x87R" + "(K\x03" + text(order) +
         "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" + std::string(1, '\0') + "tb";
}
std::string scalar(const std::string& code, const std::string& order, const std::string& value) {
  return pickle("cnumpy._core.multiarray\nscalar\n" + dtype(code, order) + bytes(value) + "\x86R");
}

const PickleValue& root(const PickleTree& tree) { return tree[tree.root]; }

TEST(Pickle, PlainValuesOfEveryOpcode) {
  EXPECT_EQ(root(read(pickle("K\xff"))).integer, 255);
  EXPECT_EQ(root(read(pickle(std::string("M\x01\x02")))).integer, 513);
  EXPECT_EQ(root(read(pickle("J\xfe\xff\xff\xff"))).integer, -2);
  EXPECT_EQ(root(read(pickle(std::string("\x8a\x02\x00\x80", 4)))).integer, -32768);
  EXPECT_EQ(root(read(pickle(std::string("\x8a\x00", 2)))).integer, 0);
  EXPECT_EQ(root(read(pickle(std::string("G\x40\x04\0\0\0\0\0\0", 9)))).real, 2.5);
  EXPECT_EQ(root(read(pickle("N"))).kind, Kind::kNone);
  EXPECT_EQ(root(read(pickle("\x88"))).integer, 1);
  EXPECT_EQ(root(read(pickle(text("gene")))).text, "gene");
  EXPECT_EQ(root(read(pickle("X" + u32(4) + "gene"))).text, "gene");
  EXPECT_EQ(root(read(pickle("B" + u32(2) + "ab"))).kind, Kind::kBytes);
  EXPECT_EQ(root(read(pickle("K\x01K\x02K\x03\x87"))).items.size(), 3u);
  EXPECT_EQ(root(read(pickle("(K\x01K\x02K\x03K\x04t"))).items.size(), 4u);
  EXPECT_EQ(root(read(pickle(")"))).kind, Kind::kTuple);
}

TEST(Pickle, DictsAndTheMemo) {
  const PickleTree tree =
      read(pickle("}\x94(" + text("a") + "\x94K\x01" + "j" + u32(1) + "K\x02u" + text("b") + "h\x01s"));
  ASSERT_EQ(root(tree).items.size(), 6u);
  EXPECT_EQ(tree[root(tree).items[2]].text, "a");
  EXPECT_EQ(tree[root(tree).items[5]].text, "a");
  // A dict that holds itself is a circle of positions, nothing more.
  EXPECT_EQ(root(read(pickle("}q\x05" + text("self") + "h\x05s"))).items.size(), 2u);
}

TEST(Pickle, NumpyScalarsOfEveryTypeAndByteOrder) {
  const auto integer = [](const char* code, const char* order, const std::string& value) {
    const PickleTree tree = read(scalar(code, order, value));
    EXPECT_EQ(root(tree).kind, Kind::kInteger);
    return root(tree).integer;
  };
  EXPECT_EQ(integer("i1", "|", "\xfe"), -2);
  EXPECT_EQ(integer("u1", "|", "\xfe"), 254);
  EXPECT_EQ(integer("i2", "<", std::string("\x01\x02")), 513);
  EXPECT_EQ(integer("i2", ">", std::string("\x01\x02")), 258);
  EXPECT_EQ(integer("u2", "<", "\xff\xff"), 65535);
  EXPECT_EQ(integer("i4", ">", "\xff\xff\xff\xfe"), -2);
  EXPECT_EQ(integer("u4", "<", "\xff\xff\xff\xff"), 4294967295);
  EXPECT_EQ(integer("i8", "<", "\xfe\xff\xff\xff\xff\xff\xff\xff"), -2);
  EXPECT_EQ(integer("u8", ">", std::string("\0\0\0\0\0\0\1\0", 8)), 256);
  EXPECT_EQ(root(read(scalar("f8", "<", std::string("\0\0\0\0\0\0\x04\x40", 8)))).real, 2.5);
  EXPECT_EQ(root(read(scalar("f8", ">", std::string("\x40\x04\0\0\0\0\0\0", 8)))).real, 2.5);
  EXPECT_EQ(root(read(scalar("f4", "<", std::string("\0\0\x20\x40", 4)))).real, 2.5);
  EXPECT_THAT(refusal(scalar("u8", "<", "\xff\xff\xff\xff\xff\xff\xff\xff")), HasSubstr("larger than any token"));
  EXPECT_THAT(refusal(scalar("i2", "<", "\x01")), HasSubstr("i2 with 1 bytes"));
  EXPECT_THAT(refusal(scalar("b1", "|", "\x01")), HasSubstr("dtype 'b1'"));
  EXPECT_THAT(refusal(scalar("i2", "x", "\x01\x01")), HasSubstr("byte order"));
}

TEST(Pickle, GlobalsOutsideTheListAreNamedWithTheirPlace) {
  EXPECT_THAT(refusal(pickle("cposix\nsystem\n" + text("id") + "\x85R")),
              AllOf(HasSubstr("f.pkl"), HasSubstr("byte 2"), HasSubstr("posix system"), HasSubstr("nothing was run")));
  EXPECT_THAT(refusal(pickle(text("builtins") + text("eval") + "\x93")), HasSubstr("builtins eval"));
  EXPECT_THAT(refusal(pickle("cnumpy\nload\n")), HasSubstr("numpy load"));
  EXPECT_THAT(refusal(pickle("cnumpy.core.multiarray\n_reconstruct\n")), HasSubstr("_reconstruct"));
  EXPECT_THAT(refusal(pickle("c\x1b[2J\nx\n")), HasSubstr("?[2J x"));  // no terminal codes out of a file
}

TEST(Pickle, OpcodesOutsideTheListAreNamed) {
  EXPECT_THAT(refusal(pickle("]")), HasSubstr("EMPTY_LIST (0x5d)"));
  EXPECT_THAT(refusal(pickle(")\x81")), HasSubstr("NEWOBJ"));
  EXPECT_THAT(refusal(pickle("\x82\x01")), HasSubstr("EXT1"));
  EXPECT_THAT(refusal(pickle("(iposix\nsystem\n")), HasSubstr("INST"));
  EXPECT_THAT(refusal(pickle("\xfe")), HasSubstr("0xfe"));
  EXPECT_THAT(refusal("(dp0\n."), HasSubstr("protocols 2 to 5"));
  EXPECT_THAT(refusal("\x80\x06N."), HasSubstr("protocol 6"));
  EXPECT_THAT(refusal(""), HasSubstr("PROTO"));
}

TEST(Pickle, ClaimsAreCheckedBeforeMemoryIsTaken) {
  EXPECT_THAT(refusal(pickle("X\xff\xff\xff\x7f")), HasSubstr("2147483647 bytes are claimed and 1 are left"));
  EXPECT_THAT(refusal(pickle("B\xff\xff\xff\xff")), HasSubstr("claimed"));
  EXPECT_THAT(refusal(pickle("\x95\xff\xff\xff\xff\xff\xff\xff\xffN")), HasSubstr("a frame of"));
  EXPECT_THAT(refusal(pickle("Nr\xff\xff\xff\xff")), HasSubstr("memo 4294967295"));
  EXPECT_THAT(refusal(pickle("\x8a\xff")), HasSubstr("255 bytes"));
  EXPECT_THAT(refusal("\x80\x04K"), HasSubstr("cut short"));
  EXPECT_THAT(refusal("\x80\x04N"), HasSubstr("cut short"));
  EXPECT_THAT(refusal(pickle(std::string(2000, '('))), HasSubstr("open marks"));
  EXPECT_THAT(refusal(pickle(std::string(1'500'000, 'N'))), HasSubstr("wait on the stack"));
  EXPECT_THAT(refusal(pickle("c" + std::string(5000, 'x'))), HasSubstr("a name without an end"));
  // A text of a megabyte that is encoded again and again would make terabytes.
  EXPECT_THAT(refusal(pickle("X" + u32(1000) + std::string(1000, 'a') + "q\x01" + "c_codecs\nencode\nh\x01" +
                             text("latin1") + "\x86R")),
              HasSubstr("longer than a number"));
}

TEST(Pickle, ABrokenMachineStateIsAnError) {
  for (const char* body :
       {"t", "u", "s", "\x86", "b", "R", "h\x07", "Ns", "}Nu", "}(Nu", "(N", "NN", "N)R", "N}b", "\x93", "NN\x93",
        "K\x01"
        "K\x02\x93",
        ")(b"})
    EXPECT_NE(refusal(pickle(body)), "") << testing::PrintToString(body);
  EXPECT_THAT(refusal(pickle("N") + "x"), HasSubstr("1 bytes follow the end"));
}

TEST(Pickle, BytesOfProtocol2AreText) {
  const std::string body = "cnumpy.core.multiarray\nscalar\n" + dtype("i2", "<") + "c_codecs\nencode\n" +
                           text("\xc3\xbf\x01") + text("latin1") + "\x86R\x86R";
  EXPECT_EQ(root(read("\x80\x02" + body + ".")).integer, 0x1ff);
}

}  // namespace
}  // namespace scvet::io
