#include "scvet/base/md5.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

namespace scvet {
namespace {

using State = std::array<std::uint32_t, 4>;

// floor(2^32 |sin(n)|) for n = 1..64, as the standard defines its constants.
std::array<std::uint32_t, 64> sine_table() {
  std::array<std::uint32_t, 64> table{};
  for (std::size_t at = 0; at < table.size(); ++at)
    table[at] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(at + 1))) * 0x1p32));
  return table;
}

void add_block(State& state, const char* block) {
  static const std::array<std::uint32_t, 64> kSines = sine_table();
  static constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<std::uint32_t, 16> words{};
  for (std::size_t byte = 0; byte < 64; ++byte)
    words[byte / 4] |= std::uint32_t{static_cast<unsigned char>(block[byte])} << (8 * (byte % 4));
  auto [a, b, c, d] = state;
  for (std::size_t step = 0; step < 64; ++step) {
    std::uint32_t mixed = 0;
    std::size_t word = 0;
    switch (step / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = step;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = 5 * step + 1;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = 3 * step + 5;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * step;
    }
    const std::uint32_t turned = std::rotl(a + mixed + kSines[step] + words[word % 16], kTurns[step / 16][step % 4]);
    a = d;
    d = c;
    c = b;
    b += turned;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::array<std::uint8_t, 16> md5(std::string_view text) {
  State state{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  std::string padded(text);
  padded += static_cast<char>(0x80);
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8, '\0');
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int byte = 0; byte < 8; ++byte) padded += static_cast<char>(bits >> (8 * byte) & 0xff);
  for (std::size_t at = 0; at < padded.size(); at += 64) add_block(state, padded.data() + at);
  std::array<std::uint8_t, 16> digest{};
  for (std::size_t at = 0; at < digest.size(); ++at)
    digest[at] = static_cast<std::uint8_t>(state[at / 4] >> (8 * (at % 4)) & 0xff);
  return digest;
}

}  // namespace scvet
