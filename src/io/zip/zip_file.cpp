#include "zip/zip_file.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "scvet/base/text.h"
#include "zip/zip_directory.h"

namespace scvet::io {
namespace {

constexpr std::uint64_t kLocalHeader = 30;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
// Deflate gives at most 258 bytes for 2 bits.
constexpr std::uint64_t kMostExpansion = 1032;

const char* method_name(std::uint16_t method) {
  switch (method) {
    case 1:
      return "shrink";
    case 6:
      return "implode";
    case 9:
      return "deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "lzma";
    case 93:
      return "zstd";
    case 95:
      return "xz";
    default:
      return "unknown";
  }
}

// Raw deflate or stored bytes, in order.
class MemberStream : public ByteSource {
 public:
  MemberStream(std::shared_ptr<const FileBytes> file, ZipMember member, std::uint64_t offset)
      : file_(std::move(file)), member_(std::move(member)), at_(offset), left_(member_.stored) {
    if (member_.method == kDeflated && inflateInit2(&inflate_, -MAX_WBITS) != Z_OK)
      throw ResourceError("zlib cannot be started: out of memory");
  }
  ~MemberStream() override {
    if (member_.method == kDeflated) inflateEnd(&inflate_);
  }
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  std::size_t read(char* out, std::size_t most) override {
    const std::size_t got = member_.method == kDeflated ? unpack(out, most) : take(out, most);
    given_ += got;
    checksum_ = libdeflate_crc32(checksum_, out, got);
    if (got > 0 || most == 0) return got;
    if (given_ != member_.bytes || checksum_ != member_.checksum) throw damaged("its length or checksum is wrong");
    return 0;
  }

 private:
  DataError damaged(const std::string& what) const {
    return DataError(
        file_->path() + ": member " + member_.name + ": " + what + "; the archive is damaged: copy it again",
        {.file = file_->path(), .field = member_.name, .reason = "damaged"});
  }
  std::size_t take(char* out, std::size_t most) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left_));
    file_->read(at_, std::as_writable_bytes(std::span(out, count)));
    at_ += count;
    left_ -= count;
    return count;
  }
  std::size_t unpack(char* out, std::size_t most) {
    most = std::min<std::size_t>(most, 1u << 30);
    inflate_.next_out = reinterpret_cast<Bytef*>(out);
    inflate_.avail_out = static_cast<uInt>(most);
    while (!ended_ && inflate_.avail_out == most) {
      if (inflate_.avail_in == 0) {
        inflate_.avail_in = static_cast<uInt>(take(buffer_.data(), buffer_.size()));
        inflate_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        if (inflate_.avail_in == 0) throw damaged("it is cut short");
      }
      const int code = inflate(&inflate_, Z_NO_FLUSH);
      if (code == Z_STREAM_END)
        ended_ = true;
      else if (code != Z_OK)
        throw damaged("it cannot be unpacked");
    }
    const std::size_t got = most - inflate_.avail_out;
    if (got > member_.bytes - given_) throw damaged("it unpacks to more bytes than the directory says");
    return got;
  }

  std::shared_ptr<const FileBytes> file_;
  ZipMember member_;
  std::uint64_t at_ = 0, left_ = 0, given_ = 0;
  std::uint32_t checksum_ = 0;
  bool ended_ = false;
  z_stream inflate_ = {};
  std::array<char, 1 << 16> buffer_;
};

}  // namespace

DataError ZipFile::error(const std::string& member, const std::string& what, const char* reason) const {
  return DataError(path() + ": member " + member + ": " + what, {.file = path(), .field = member, .reason = reason});
}

ZipFile::ZipFile(const std::string& path) : file_(std::make_shared<const FileBytes>(path)) {
  ZipDirectory directory = read_zip_directory(*file_);
  for (const ZipMember& member : directory.entries)
    if (leads_out(member.name))
      throw error(member.name, "its name leads out of the archive: such archives are refused", "path");
  refuse_overlaps(directory.entries, directory.offset);
  for (ZipMember& member : directory.entries)
    if (!member.name.ends_with('/')) members_[member.name] = member;
}

void ZipFile::refuse_overlaps(std::vector<ZipMember> all, std::uint64_t directory) const {
  std::sort(all.begin(), all.end(), [](const ZipMember& a, const ZipMember& b) { return a.offset < b.offset; });
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::uint64_t next = at + 1 < all.size() ? all[at + 1].offset : directory;
    const std::uint64_t room = next > all[at].offset ? next - all[at].offset : 0;
    const std::uint64_t header = kLocalHeader + all[at].name.size();
    if (room < header || all[at].stored > room - header)
      throw error(all[at].name,
                  "its " + format_count(static_cast<std::int64_t>(all[at].stored)) +
                      " bytes overlap what follows: the archive is damaged, or made to harm",
                  "damaged");
  }
}

const ZipMember* ZipFile::find(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? nullptr : &found->second;
}

// Where the bytes start: behind the member's own header, which must agree with the directory.
std::uint64_t ZipFile::data_offset(const ZipMember& member) const {
  if (member.encrypted) throw error(member.name, "it is encrypted: unpack the archive first", "encrypted");
  if (member.method != kStored && member.method != kDeflated)
    throw error(member.name,
                "it is packed with method " + std::to_string(member.method) + " (" + method_name(member.method) +
                    "), which is not known here (known: stored, deflate); unpack the archive first",
                "missing_filter");
  if (member.method == kStored && member.bytes != member.stored)
    throw error(member.name, "it is stored, but its two lengths differ: the archive is damaged", "damaged");
  if (member.method == kDeflated && member.bytes / kMostExpansion > member.stored)
    throw error(member.name,
                "it claims " + format_count(static_cast<std::int64_t>(member.bytes)) + " bytes from " +
                    format_count(static_cast<std::int64_t>(member.stored)) + ", which cannot be",
                "damaged");
  std::array<std::byte, kLocalHeader> header;
  file_->read(member.offset, header);
  const auto name_bytes = read_little_endian<std::uint16_t>(header, 26);
  const auto extra_bytes = read_little_endian<std::uint16_t>(header, 28);
  std::string name(name_bytes, '\0');
  file_->read(member.offset + kLocalHeader, std::as_writable_bytes(std::span(name)));
  if (read_little_endian<std::uint32_t>(header, 0) != 0x04034b50 || name != member.name ||
      read_little_endian<std::uint16_t>(header, 8) != member.method)
    throw error(member.name, "its own header and the archive's directory disagree: the archive is damaged", "damaged");
  const std::uint64_t offset = member.offset + kLocalHeader + name_bytes + extra_bytes;
  if (offset > file_bytes() || member.stored > file_bytes() - offset)
    throw error(member.name, "it reaches beyond the end of the archive, which is cut short: copy it again",
                "truncated");
  return offset;
}

std::vector<std::byte> ZipFile::read(const ZipMember& member, std::uint64_t most) const {
  const std::uint64_t offset = data_offset(member);
  if (member.bytes > most)
    throw error(member.name,
                "it is " + format_count(static_cast<std::int64_t>(member.bytes)) + " bytes, where at most " +
                    format_count(static_cast<std::int64_t>(most)) + " make sense",
                "damaged");
  std::vector<std::byte> stored(static_cast<std::size_t>(member.stored)), unpacked;
  file_->read(offset, stored);
  if (member.method == kDeflated) {
    unpacked.resize(static_cast<std::size_t>(member.bytes));
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (!decompressor) throw ResourceError("libdeflate cannot be started: out of memory");
    if (libdeflate_deflate_decompress(decompressor.get(), stored.data(), stored.size(), unpacked.data(),
                                      unpacked.size(), nullptr) != LIBDEFLATE_SUCCESS)
      throw error(member.name, "it cannot be unpacked: the archive is damaged; copy it again", "damaged");
  } else {
    unpacked = std::move(stored);
  }
  if (libdeflate_crc32(0, unpacked.data(), unpacked.size()) != member.checksum)
    throw error(member.name, "its checksum is wrong: the archive is damaged; copy it again", "damaged");
  return unpacked;
}

std::vector<std::byte> ZipFile::read_range(const ZipMember& member, std::uint64_t offset, std::uint64_t count) const {
  const std::uint64_t start = data_offset(member);
  if (offset > member.bytes || count > member.bytes - offset)
    throw error(member.name,
                "bytes " + std::to_string(offset) + " + " + std::to_string(count) + " are wanted, it has " +
                    format_count(static_cast<std::int64_t>(member.bytes)),
                "damaged");
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  if (member.method == kStored) {
    file_->read(start + offset, bytes);
    return bytes;
  }
  std::vector<char> skipped(static_cast<std::size_t>(std::min<std::uint64_t>(offset, 1 << 16)));
  const auto source = stream(member);
  for (std::uint64_t at = 0; at < offset;) {
    const std::uint64_t wanted = std::min<std::uint64_t>(skipped.size(), offset - at);
    at += source->read(skipped.data(), static_cast<std::size_t>(wanted));
  }
  for (std::size_t done = 0; done < bytes.size();)
    done += source->read(reinterpret_cast<char*>(bytes.data()) + done, bytes.size() - done);
  return bytes;
}

std::unique_ptr<ByteSource> ZipFile::stream(const ZipMember& member) const {
  return std::make_unique<MemberStream>(file_, member, data_offset(member));
}

bool is_zip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char head[4] = {};
  return file.read(head, sizeof head) &&
         (std::memcmp(head, "PK\x03\x04", 4) == 0 || std::memcmp(head, "PK\x05\x06", 4) == 0);
}

std::string describe_zip(const std::string& path) {
  try {
    const ZipFile zip(path);
    std::vector<std::string> names;
    for (const auto& [name, member] : zip.members()) names.push_back(name);
    if (names.empty()) return "it is a zip archive that holds nothing";
    return "it is a zip archive that holds " + join_some(names) +
           "; of zip archives scvet reads zarr stores, and single tables of text: unpack it first";
  } catch (const DataError& error) {
    return std::string("it is a zip archive that cannot be read (") + error.what() + ")";
  }
}

}  // namespace scvet::io
