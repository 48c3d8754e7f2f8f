// Byte layout of a store (docs/corpus-format.md), shared by its reader and its writer.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scvet::sketch {

static_assert(std::endian::native == std::endian::little, "the store is mapped as it lies: little-endian only");

constexpr char kMagic[8] = {'S', 'C', 'V', 'E', 'T', 'C', 'R', 'P'};
constexpr std::uint32_t kMajor = 1, kMinor = 0;
constexpr std::uint64_t kByteOrder = 0x0102030405060708ull;
constexpr std::size_t kHeaderBytes = 128;
constexpr std::uint64_t kSlotOffset[2] = {0, 4096};  // two headers, written in turn
constexpr std::uint64_t kContentStart = 8192;
constexpr std::uint64_t kAlign = 64;
constexpr std::uint64_t kBlock = 1 << 20;  // bytes a checksum
constexpr std::uint8_t kEscape = 255;      // a count of 255 or more stands in `escapes`
constexpr std::int64_t kSegmentCells = 16384;
constexpr std::int64_t kSegmentTokens = 1 << 24;

constexpr std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlign - 1) / kAlign * kAlign; }

struct Header {
  std::uint64_t generation = 0;  // 1 when first written
  std::uint64_t toc_offset = 0, toc_length = 0;
  std::uint64_t end = 0;  // bytes of the file that belong to this generation
  std::array<std::uint8_t, 32> toc_sha256{};
};
std::array<std::byte, kHeaderBytes> write_header(const Header& header);
enum class SlotState { kEmpty, kValid, kDamaged, kNewerVersion, kForeign };
SlotState read_header(std::span<const std::byte> bytes, Header& header, std::uint32_t& major);

enum Section {
  kOffsets,
  kTokens,
  kCounts,
  kEscapeOffsets,
  kEscapes,
  kHashes,
  kSketch,
  kDonors,
  kDatasets,
  kNameOffsets,
  kNames,
  kDetection,
  kChecksums,
  kSections
};
const char* section_name(int section);

// What fixes the layout of a segment.
struct SegmentShape {
  std::uint64_t cells = 0, tokens = 0, escapes = 0, name_bytes = 0, panel_genes = 0;
  bool has_counts = true;
};
constexpr std::uint64_t kMaxSegmentCells = 1u << 30, kMaxSegmentItems = 0xFFFFFFFFu;

struct SegmentLayout {
  std::array<std::uint64_t, kSections> offset{}, length{};
  std::uint64_t total = 0;
};
SegmentLayout layout_of(const SegmentShape& shape);  // the shape's numbers within the limits above
inline int token_bytes(std::uint64_t panel_genes) { return panel_genes <= 65536 ? 2 : 4; }

std::uint64_t checksum(std::span<const std::byte> bytes);  // XXH3, 64 bit
// One a block of 1 MiB of each section but the last, in section order.
std::vector<std::uint64_t> block_checksums(std::span<const std::byte> segment, const SegmentLayout& layout);

std::string hex64(std::uint64_t value);
std::optional<std::uint64_t> parse_hex64(const std::string& text);
std::string hex_bytes(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 32> digest_bytes(const std::string& hex);

}  // namespace scvet::sketch
