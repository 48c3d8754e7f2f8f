#include "codecs/codecs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace scvet::io {
namespace {

using testing::HasSubstr;

// As make_codec_vectors.py makes it.
std::vector<std::byte> payload() {
  std::vector<std::uint32_t> numbers(1003);
  for (std::uint32_t at = 0; at < numbers.size(); ++at) numbers[at] = at / 5 * 7 % 251 + 1000 * (at / 300);
  std::vector<std::byte> bytes(4 * numbers.size());
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

const std::map<std::string, std::vector<std::byte>>& blocks() {
  static const auto all = [] {
    std::map<std::string, std::vector<std::byte>> found;
    std::ifstream file(SCVET_TEST_DATA "/codecs.txt");
    for (std::string name, hex; file >> name >> hex;)
      for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        found[name].push_back(static_cast<std::byte>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    return found;
  }();
  return all;
}

Codec codec_of(const std::string& name) {
  if (name == "zlib") return Codec::kZlib;
  if (name.starts_with("gzip")) return Codec::kGzip;
  if (name == "zstd") return Codec::kZstd;
  if (name == "lz4") return Codec::kLz4Sized;
  return Codec::kBlosc;
}

bool is_block(const std::string& name) { return name != "crc32c" && name != "shuffle"; }

std::string refusal(Codec codec, Bytes in, std::size_t room) {
  std::vector<std::byte> out(room);
  try {
    decode(codec, in, out);
  } catch (const CodecError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Codecs, DecodeWhatNumcodecsPacks) {
  ASSERT_EQ(blocks().size(), 22u);
  for (const auto& [name, block] : blocks()) {
    if (!is_block(name)) continue;
    std::vector<std::byte> out(payload().size());
    EXPECT_EQ(decode(codec_of(name), block, out), out.size()) << name;
    EXPECT_EQ(out, payload()) << name;
    EXPECT_EQ(decode_all(codec_of(name), block, 1 << 20), payload()) << name;
  }
}

TEST(Codecs, RefuseABlockThatGivesMoreThanExpected) {
  for (const auto& [name, block] : blocks()) {
    if (!is_block(name)) continue;
    EXPECT_THAT(refusal(codec_of(name), block, payload().size() - 1), HasSubstr("more than")) << name;
    EXPECT_THROW(decode_all(codec_of(name), block, payload().size() - 1), CodecError) << name;
  }
}

TEST(Codecs, RefuseABlockThatIsCutShort) {
  for (const auto& [name, block] : blocks()) {
    if (!is_block(name)) continue;
    EXPECT_NE(refusal(codec_of(name), Bytes(block).first(block.size() - 9), payload().size()), "no error") << name;
    EXPECT_NE(refusal(codec_of(name), Bytes(block).first(3), payload().size()), "no error") << name;
    EXPECT_NE(refusal(codec_of(name), {}, payload().size()), "no error") << name;
  }
}

// Of one that the sanitized builds watch.
TEST(Codecs, StayInsideTheirOutputWhateverTheBytes) {
  std::mt19937 random(7);
  for (const auto& [name, block] : blocks()) {
    if (!is_block(name)) continue;
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<std::byte> broken = block;
      for (unsigned flip = random() % 4; flip < 4; ++flip)
        broken[random() % (trial % 2 ? broken.size() : std::min<std::size_t>(broken.size(), 24))] ^=
            static_cast<std::byte>(1u << (random() % 8));
      std::vector<std::byte> out(payload().size() + 64, std::byte{0xa5});
      try {
        decode(codec_of(name), broken, std::span(out).first(payload().size()));
      } catch (const CodecError&) {
      }
      for (std::size_t at = payload().size(); at < out.size(); ++at) ASSERT_EQ(out[at], std::byte{0xa5}) << name;
    }
  }
}

TEST(Codecs, AHeaderThatClaimsGigabytesTakesNoMemory) {
  std::vector<std::byte> lz4(16, std::byte{0xff}), list(16, std::byte{0x7f});
  EXPECT_THROW(decode_all(Codec::kLz4Sized, lz4, SIZE_MAX), CodecError);
  EXPECT_THROW(decode_all(Codec::kLz4Hdf5, list, SIZE_MAX), CodecError);
  std::vector<std::byte> blosc = blocks().at("blosc_lz4_1");
  blosc[7] = std::byte{0x7f};
  EXPECT_THROW(decode_all(Codec::kBlosc, blosc, SIZE_MAX), CodecError);
}

TEST(Codecs, Blosc2IsRefusedByName) {
  std::vector<std::byte> block = blocks().at("blosc_lz4_1");
  block[0] = std::byte{5};
  EXPECT_THAT(refusal(Codec::kBlosc, block, payload().size()), HasSubstr("blosc2 is not supported"));
}

TEST(Codecs, UnshuffleUndoesWhatNumcodecsShuffles) {
  std::vector<std::byte> out(payload().size());
  unshuffle(4, blocks().at("shuffle"), out);
  EXPECT_EQ(out, payload());
}

TEST(Codecs, UnshuffleOfAnyWidthKeepsTheRest) {
  for (const std::size_t width : {1, 2, 3, 4, 7, 8, 16}) {
    std::vector<std::byte> plain(width * 37 + width / 2), shuffled = plain, out = plain;
    for (std::size_t at = 0; at < plain.size(); ++at) plain[at] = static_cast<std::byte>(at * 31 >> 2);
    shuffled = plain;
    for (std::size_t element = 0; element < 37; ++element)
      for (std::size_t byte = 0; byte < width; ++byte) shuffled[byte * 37 + element] = plain[element * width + byte];
    unshuffle(width, shuffled, out);
    EXPECT_EQ(out, plain) << width;
  }
}

TEST(Codecs, Crc32cIsTheOneOfCastagnoli) {
  const auto& sum = blocks().at("crc32c");
  std::uint32_t expected = 0;
  for (const std::byte byte : sum) expected = expected << 8 | std::to_integer<std::uint32_t>(byte);
  EXPECT_EQ(crc32c(payload()), expected);
  const char digits[] = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits, 9))), 0xe3069283u);  // the check value of its definition
  EXPECT_EQ(crc32c({}), 0u);
}

}  // namespace
}  // namespace scvet::io
