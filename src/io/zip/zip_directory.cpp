#include "zip/zip_directory.h"

#include <algorithm>

#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::size_t kEnd = 22, kEnd64 = 56, kLocator64 = 20, kEntry = 46;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50,
                        kEntryMark = 0x02014b50;

using Bytes = std::span<const std::byte>;

DataError damaged(const FileBytes& file, const std::string& what) {
  return DataError(file.path() + ": it is a zip archive, but " + what + "; copy or download it again",
                   {.file = file.path(), .reason = "damaged"});
}

struct End {
  std::uint64_t at = 0;  // of the first record of the end
  std::uint64_t n_entries = 0, bytes = 0, offset = 0;
  bool many_disks = false;
};

// The end record lies within the last 64 KiB, behind it only its comment.
End find_end(const FileBytes& file) {
  const auto tail_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kEnd + kLongestComment));
  std::vector<std::byte> tail(tail_bytes);
  file.read(file.size() - tail_bytes, tail);
  for (std::size_t at = tail_bytes >= kEnd ? tail_bytes - kEnd + 1 : 0; at-- > 0;) {
    if (read_little_endian<std::uint32_t>(tail, at) != kEndMark) continue;
    if (at + kEnd + read_little_endian<std::uint16_t>(tail, at + 20) != tail_bytes) continue;
    End end;
    end.at = file.size() - tail_bytes + at;
    const auto disk = read_little_endian<std::uint16_t>(tail, at + 4);
    end.many_disks = disk != 0 && disk != 0xffff;
    end.n_entries = read_little_endian<std::uint16_t>(tail, at + 10);
    end.bytes = read_little_endian<std::uint32_t>(tail, at + 12);
    end.offset = read_little_endian<std::uint32_t>(tail, at + 16);
    return end;
  }
  throw DataError(file.path() +
                      " is truncated: it starts as a zip archive, but its directory, which lies at the end, "
                      "is missing; copy or download it again",
                  {.file = file.path(), .reason = "truncated"});
}

// Replaces what does not fit 32 bits by the record of zip64, where there is one.
void read_end64(const FileBytes& file, End& end) {
  if (end.at < kLocator64) return;
  std::vector<std::byte> locator(kLocator64);
  file.read(end.at - kLocator64, locator);
  if (read_little_endian<std::uint32_t>(locator, 0) != kLocator64Mark) return;
  // Right before the locator, unless it is of a longer kind; what stands before the archive shifts the stated place.
  const std::uint64_t last = end.at - kLocator64;
  std::vector<std::byte> record(kEnd64);
  std::uint64_t at = read_little_endian<std::uint64_t>(locator, 8);
  bool found = false;
  for (const std::uint64_t place : {at, last - std::min<std::uint64_t>(last, kEnd64)}) {
    if (place > last || last - place < kEnd64) continue;
    file.read(place, record);
    at = place;
    found = read_little_endian<std::uint32_t>(record, 0) == kEnd64Mark;
    if (found) break;
  }
  if (!found) throw damaged(file, "its zip64 record is not where it should be");
  end.at = at;
  end.many_disks = read_little_endian<std::uint32_t>(record, 16) != 0;
  end.n_entries = read_little_endian<std::uint64_t>(record, 32);
  end.bytes = read_little_endian<std::uint64_t>(record, 40);
  end.offset = read_little_endian<std::uint64_t>(record, 48);
}

// Sizes and offset that stand in the extra field since they need 64 bits.
void read_extra64(const FileBytes& file, Bytes extra, ZipMember& member) {
  constexpr std::uint64_t kElsewhere = 0xffffffff;
  while (extra.size() >= 4) {
    const auto id = read_little_endian<std::uint16_t>(extra, 0);
    const std::size_t length = read_little_endian<std::uint16_t>(extra, 2);
    if (length > extra.size() - 4) return;
    if (id != 1) {
      extra = extra.subspan(4 + length);
      continue;
    }
    Bytes field = extra.subspan(4, length);
    for (std::uint64_t* value : {&member.bytes, &member.stored, &member.offset}) {
      if (*value != kElsewhere) continue;
      if (field.size() < 8) throw damaged(file, "the zip64 field of " + member.name + " is too short");
      *value = read_little_endian<std::uint64_t>(field, 0);
      field = field.subspan(8);
    }
    return;
  }
}

}  // namespace

bool leads_out(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.front() == '\\' || name.find('\0') != std::string::npos) return true;
  if (name.size() > 1 && name[1] == ':') return true;
  std::string separated = name;
  std::replace(separated.begin(), separated.end(), '\\', '/');
  const std::vector<std::string> parts = split(separated, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

ZipDirectory read_zip_directory(const FileBytes& file) {
  End end = find_end(file);
  read_end64(file, end);
  if (end.many_disks) throw damaged(file, "it is one part of several: join them first");
  if (end.bytes > end.at || end.offset > end.at - end.bytes)
    throw damaged(file, "its directory claims to reach beyond the end");
  // What stands before the archive (a program that unpacks it) shifts every offset.
  const std::uint64_t shift = end.at - end.bytes - end.offset;
  ZipDirectory directory;
  directory.offset = end.at - end.bytes;
  std::vector<std::byte> bytes(static_cast<std::size_t>(end.bytes));
  file.read(directory.offset, bytes);
  Bytes rest(bytes);
  while (!rest.empty()) {
    if (rest.size() < kEntry || read_little_endian<std::uint32_t>(rest, 0) != kEntryMark)
      throw damaged(file, "entry " + std::to_string(directory.entries.size()) + " of its directory is broken");
    const std::size_t name = read_little_endian<std::uint16_t>(rest, 28),
                      extra = read_little_endian<std::uint16_t>(rest, 30),
                      comment = read_little_endian<std::uint16_t>(rest, 32);
    if (name + extra + comment > rest.size() - kEntry)
      throw damaged(file, "entry " + std::to_string(directory.entries.size()) + " of its directory is broken");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(rest.data()) + kEntry, name);
    member.encrypted = (read_little_endian<std::uint16_t>(rest, 8) & 1) != 0;
    member.method = read_little_endian<std::uint16_t>(rest, 10);
    member.checksum = read_little_endian<std::uint32_t>(rest, 16);
    member.stored = read_little_endian<std::uint32_t>(rest, 20);
    member.bytes = read_little_endian<std::uint32_t>(rest, 24);
    member.offset = read_little_endian<std::uint32_t>(rest, 42);
    read_extra64(file, rest.subspan(kEntry + name, extra), member);
    if (member.offset > directory.offset || shift > directory.offset - member.offset)
      throw damaged(file, "the place of " + member.name + " is not in it");
    member.offset += shift;
    directory.entries.push_back(std::move(member));
    rest = rest.subspan(kEntry + name + extra + comment);
  }
  if ((directory.entries.size() & 0xffff) != (end.n_entries & 0xffff))
    throw damaged(file, "its directory holds " + std::to_string(directory.entries.size()) + " entries instead of " +
                            std::to_string(end.n_entries));
  return directory;
}

}  // namespace scvet::io
