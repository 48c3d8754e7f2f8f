#include "scvet/base/text_file.h"

#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "scvet/base/error.h"

namespace scvet {

struct TextFile::State {
  gzFile file = nullptr;
  std::unique_ptr<ByteSource> source;  // instead of the file
  std::vector<char> buffer = std::vector<char>(1 << 18);
  std::size_t begin = 0, end = 0;  // unread bytes of the buffer
  bool at_end = false;
};

TextFile::TextFile(std::string path) : path_(std::move(path)), state_(std::make_unique<State>()) {
  // gzopen reads plain files as they are.
  if (!std::filesystem::is_directory(path_)) state_->file = gzopen(path_.c_str(), "rb");
  if (!state_->file) throw DataError("cannot read " + path_ + ": no such file, or no permission", {.file = path_});
  gzbuffer(state_->file, 1 << 17);
}

TextFile::TextFile(std::string path, std::unique_ptr<ByteSource> source)
    : path_(std::move(path)), state_(std::make_unique<State>()) {
  state_->source = std::move(source);
}

TextFile::~TextFile() {
  if (state_->file) gzclose_r(state_->file);
}

// Makes room after the unread bytes and reads more; false at the end of the file.
bool TextFile::fill() {
  State& state = *state_;
  if (state.at_end) return false;
  std::memmove(state.buffer.data(), state.buffer.data() + state.begin, state.end - state.begin);
  state.end -= state.begin;
  state.begin = 0;
  if (state.end == state.buffer.size()) state.buffer.resize(2 * state.buffer.size());
  if (state.source) {
    const std::size_t got = state.source->read(state.buffer.data() + state.end, state.buffer.size() - state.end);
    state.end += got;
    state.at_end = got == 0;
    return got > 0;
  }
  const int got =
      gzread(state.file, state.buffer.data() + state.end, static_cast<unsigned>(state.buffer.size() - state.end));
  int code = Z_OK;
  const char* reason = gzerror(state.file, &code);
  // A stream that stops before its trailer reads as a short file; only gzerror tells.
  if (got < 0 || code == Z_BUF_ERROR)
    throw DataError(path_ + " is a gzip file that is cut short or damaged after line " + std::to_string(line_number_) +
                        " (" + (code == Z_BUF_ERROR ? "unexpected end" : reason) + "); fetch or write it again",
                    {.file = path_, .row = line_number_, .reason = "truncated"});
  state.end += static_cast<std::size_t>(got);
  state.at_end = got == 0;
  return got > 0;
}

bool TextFile::next(std::string_view& line) {
  State& state = *state_;
  std::size_t searched = 0;
  while (true) {
    const char* const start = state.buffer.data() + state.begin;
    const std::size_t unread = state.end - state.begin;
    if (const void* found = std::memchr(start + searched, '\n', unread - searched)) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      line = {start, length};
      state.begin += length + 1;
      break;
    }
    searched = unread;
    if (fill()) continue;
    if (unread == 0) return false;
    line = {state.buffer.data() + state.begin, unread};
    state.begin = state.end;
    break;
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++line_number_;
  return true;
}

std::string read_text(const std::string& path) {
  TextFile file(path);
  std::string text;
  std::string_view line;
  while (file.next(line)) {
    text += line;
    text += '\n';
  }
  return text;
}

}  // namespace scvet
