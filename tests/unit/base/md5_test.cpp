#include "scvet/base/md5.h"

#include <gtest/gtest.h>

#include <string>

namespace scvet {
namespace {

std::string hex(std::string_view text) {
  static const char* const kHex = "0123456789abcdef";
  std::string found;
  for (const std::uint8_t byte : md5(text)) {
    found += kHex[byte >> 4];
    found += kHex[byte & 15];
  }
  return found;
}

// The test suite of RFC 1321, appendix A.5.
TEST(Md5, MatchesTheStandardsExamples) {
  EXPECT_EQ(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hex("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"), "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

// Made with Python's hashlib: one byte before, at and after the length where the padding needs a block of its own.
TEST(Md5, PadsAtEveryEdgeOfABlock) {
  EXPECT_EQ(hex(std::string(55, 'x')), "04364420e25c512fd958a70738aa8f72");
  EXPECT_EQ(hex(std::string(56, 'x')), "668a72d5ba17f08e62dabcafad6db14b");
  EXPECT_EQ(hex(std::string(64, 'x')), "c1bb4f81d892b2d57947682aeb252456");
}

}  // namespace
}  // namespace scvet
