// Small zip archives for tests, written byte by byte so that every field can be wrong.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace scvet::io {

class ZipBuilder {
 public:
  struct Entry {
    std::string name, stored;
    std::uint64_t bytes = 0;
    std::uint32_t checksum = 0;
    std::uint16_t method = 0, flags = 0;
    std::uint64_t offset = 0;
    std::string local_name = {};  // "": the same name
  };

  // The entry may be changed until write().
  Entry& add(const std::string& name, const std::string& content, bool deflated = false) {
    Entry entry{name, content, content.size(), 0, 0, 0, 0};
    entry.checksum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    if (deflated) {
      entry.method = 8;
      entry.stored = deflate_raw(content);
    }
    entries_.push_back(std::move(entry));
    return entries_.back();
  }

  std::string comment, before;
  bool zip64 = false;
  std::int64_t n_entries_off = 0;  // added to the number that the end record states

  std::string bytes() {
    std::string out = before;
    for (Entry& entry : entries_) {
      entry.offset += out.size() - before.size();
      const std::string& name = entry.local_name.empty() ? entry.name : entry.local_name;
      out += "PK\x03\x04" + number(20, 2) + number(entry.flags, 2) + number(entry.method, 2) + number(0, 4) +
             number(entry.checksum, 4) + number(entry.stored.size(), 4) + number(entry.bytes, 4) +
             number(name.size(), 2) + number(3, 2) + name + "xyz" + entry.stored;
    }
    const std::size_t directory = out.size() - before.size();
    for (const Entry& entry : entries_) {
      const std::string extra = zip64 ? number(1, 2) + number(24, 2) + number(entry.bytes, 8) +
                                            number(entry.stored.size(), 8) + number(entry.offset, 8)
                                      : "";
      const std::uint64_t elsewhere = 0xffffffff;
      out += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(entry.flags, 2) + number(entry.method, 2) +
             number(0, 4) + number(entry.checksum, 4) + number(zip64 ? elsewhere : entry.stored.size(), 4) +
             number(zip64 ? elsewhere : entry.bytes, 4) + number(entry.name.size(), 2) + number(extra.size(), 2) +
             number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(zip64 ? elsewhere : entry.offset, 4) +
             entry.name + extra;
    }
    const std::size_t end = out.size() - before.size();
    const std::uint64_t count = entries_.size() + static_cast<std::uint64_t>(n_entries_off);
    if (zip64)
      out += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 4) + number(0, 4) +
             number(count, 8) + number(count, 8) + number(end - directory, 8) + number(directory, 8) + "PK\x06\x07" +
             number(0, 4) + number(end, 8) + number(1, 4);
    out += "PK\x05\x06" + number(0, 2) + number(0, 2) + number(zip64 ? 0xffff : count, 2) +
           number(zip64 ? 0xffff : count, 2) + number(zip64 ? 0xffffffff : end - directory, 4) +
           number(zip64 ? 0xffffffff : directory, 4) + number(comment.size(), 2) + comment;
    return out;
  }

  void write(const std::string& path) { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes(); }

  static std::string number(std::uint64_t value, std::size_t width) {
    std::string text(width, '\0');
    std::memcpy(text.data(), &value, width);
    return text;
  }

 private:
  static std::string deflate_raw(const std::string& content) {
    z_stream stream = {};
    deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }
  std::vector<Entry> entries_;
};

}  // namespace scvet::io
