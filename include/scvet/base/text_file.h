// Text files, plain or gzipped, read line by line in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace scvet {

// Bytes that come in order from somewhere else than a file of their own: a member of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` with up to `most` bytes; 0 only at the end. DataError on damage.
  virtual std::size_t read(char* out, std::size_t most) = 0;
};

class TextFile {
 public:
  explicit TextFile(std::string path);                             // DataError when missing or unreadable
  TextFile(std::string path, std::unique_ptr<ByteSource> source);  // `path` is for messages
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // The next line without its line end (LF or CRLF); false at the end of the file. The view is valid until the next
  // call. A gzip stream that is cut short or damaged is a DataError that names the line reached.
  bool next(std::string_view& line);
  std::int64_t line_number() const { return line_number_; }  // of the line returned last, from 1
  const std::string& path() const { return path_; }

 private:
  struct State;
  bool fill();
  std::string path_;
  std::unique_ptr<State> state_;
  std::int64_t line_number_ = 0;
};

// The whole content of a plain or gzipped file.
std::string read_text(const std::string& path);

}  // namespace scvet
