#include "corpus_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hash64.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::sketch {
namespace {

template <typename Value>
void put(std::byte* at, Value value) {
  std::memcpy(at, &value, sizeof value);
}

template <typename Value>
Value get(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

constexpr std::size_t kChecksumAt = kHeaderBytes - 8;

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) { return xxh3(bytes.data(), bytes.size()); }

std::array<std::byte, kHeaderBytes> write_header(const Header& header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  std::memcpy(bytes.data(), kMagic, sizeof kMagic);
  put(bytes.data() + 8, kMajor);
  put(bytes.data() + 12, kMinor);
  put(bytes.data() + 16, kByteOrder);
  put(bytes.data() + 24, header.generation);
  put(bytes.data() + 32, header.toc_offset);
  put(bytes.data() + 40, header.toc_length);
  put(bytes.data() + 48, header.end);
  std::memcpy(bytes.data() + 56, header.toc_sha256.data(), 32);
  put(bytes.data() + kChecksumAt, checksum({bytes.data(), kChecksumAt}));
  return bytes;
}

SlotState read_header(std::span<const std::byte> bytes, Header& header, std::uint32_t& major) {
  if (bytes.size() < kHeaderBytes) return SlotState::kForeign;
  if (std::all_of(bytes.begin(), bytes.begin() + kHeaderBytes, [](std::byte b) { return b == std::byte{0}; }))
    return SlotState::kEmpty;
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) return SlotState::kForeign;
  if (get<std::uint64_t>(bytes.data() + kChecksumAt) != checksum(bytes.first(kChecksumAt))) return SlotState::kDamaged;
  major = get<std::uint32_t>(bytes.data() + 8);
  if (major != kMajor || get<std::uint64_t>(bytes.data() + 16) != kByteOrder) return SlotState::kNewerVersion;
  header.generation = get<std::uint64_t>(bytes.data() + 24);
  header.toc_offset = get<std::uint64_t>(bytes.data() + 32);
  header.toc_length = get<std::uint64_t>(bytes.data() + 40);
  header.end = get<std::uint64_t>(bytes.data() + 48);
  std::memcpy(header.toc_sha256.data(), bytes.data() + 56, 32);
  return SlotState::kValid;
}

const char* section_name(int section) {
  static constexpr const char* kNames[kSections] = {
      "offsets", "tokens",   "counts",       "escape offsets", "escapes",   "hashes",   "sketch",
      "donors",  "datasets", "name offsets", "names",          "detection", "checksums"};
  return kNames[section];
}

SegmentLayout layout_of(const SegmentShape& shape) {
  SegmentLayout layout;
  const std::uint64_t rows = shape.cells + 1, counted = shape.has_counts ? 1 : 0;
  layout.length = {4 * rows,
                   static_cast<std::uint64_t>(token_bytes(shape.panel_genes)) * shape.tokens,
                   counted * shape.tokens,
                   counted * 4 * rows,
                   counted * 4 * shape.escapes,
                   24 * shape.cells,
                   128 * shape.cells,
                   4 * shape.cells,
                   4 * shape.cells,
                   4 * rows,
                   shape.name_bytes,
                   4 * shape.panel_genes,
                   0};
  std::uint64_t at = 0, blocks = 0;
  for (int section = 0; section < kChecksums; ++section) {
    const auto index = static_cast<std::size_t>(section);
    layout.offset[index] = at;
    at = aligned(at + layout.length[index]);
    blocks += (layout.length[index] + kBlock - 1) / kBlock;
  }
  layout.offset[kChecksums] = at;
  layout.length[kChecksums] = 8 * blocks;
  layout.total = aligned(at + 8 * blocks);
  return layout;
}

std::vector<std::uint64_t> block_checksums(std::span<const std::byte> segment, const SegmentLayout& layout) {
  std::vector<std::span<const std::byte>> blocks;
  for (int section = 0; section < kChecksums; ++section) {
    const auto index = static_cast<std::size_t>(section);
    for (std::uint64_t at = 0; at < layout.length[index]; at += kBlock)
      blocks.push_back(segment.subspan(layout.offset[index] + at, std::min(kBlock, layout.length[index] - at)));
  }
  std::vector<std::uint64_t> sums(blocks.size());
  parallel_for(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t task, int) {
    sums[static_cast<std::size_t>(task)] = checksum(blocks[static_cast<std::size_t>(task)]);
  });
  return sums;
}

std::string hex64(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::optional<std::uint64_t> parse_hex64(const std::string& text) {
  if (text.size() != 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

std::string hex_bytes(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::array<std::uint8_t, 32> digest_bytes(const std::string& hex) {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t at = 0; at < 32; ++at)
    bytes[at] = static_cast<std::uint8_t>(std::stoi(hex.substr(2 * at, 2), nullptr, 16));
  return bytes;
}

}  // namespace scvet::sketch
