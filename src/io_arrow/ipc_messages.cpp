#include "ipc_messages.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "arrow_support.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

using arrow::ipc::Message;
using arrow::ipc::MessageType;

constexpr std::string_view kMagic = "ARROW1";
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

template <typename Value>
Value load(const void* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Field `length` of the flatbuffer table RecordBatch, its first. Arrow shows the table, not its fields; Message::Open
// has verified it.
std::int64_t batch_length(const void* header) {
  const auto* table = static_cast<const char*>(header);
  const char* vtable = table - load<std::int32_t>(table);
  const auto vtable_bytes = load<std::uint16_t>(vtable);
  const std::uint16_t place = vtable_bytes >= 6 ? load<std::uint16_t>(vtable + 4) : std::uint16_t{0};
  return place ? load<std::int64_t>(table + place) : 0;
}

}  // namespace

IpcMessages::IpcMessages(const std::string& path) : file_(path) {
  std::int64_t begin = 0, end = 0;
  find_stream(begin, end);
  // Headers and short columns lie far apart: reading ahead of them would read the whole file. Bodies are announced.
  advise(0, bytes(), MADV_RANDOM);
  scan(begin, end);
}

// The FILE form is magic, padding, the stream, a footer, its length and the magic again.
void IpcMessages::find_stream(std::int64_t& begin, std::int64_t& end) {
  const auto* data = reinterpret_cast<const char*>(file_.bytes().data());
  const std::string_view all(data, file_.bytes().size());
  end = bytes();
  file_form_ = all.starts_with(kMagic);
  if (!file_form_) return;
  begin = 8;
  constexpr std::int64_t kTail = 10;
  if (end < begin + kTail || !all.ends_with(kMagic))
    throw DataError(fmt::format("{} is truncated: an Arrow file ends with ARROW1, this one has {} bytes and does not",
                                path(), format_count(end)),
                    {.file = path(), .reason = "truncated"});
  const auto footer = load<std::int32_t>(data + end - kTail);
  if (footer <= 0 || footer > end - kTail - begin)
    throw DataError(fmt::format("{}: its footer claims {} bytes, the file has {}", path(), footer, format_count(end)),
                    {.file = path(), .reason = "bad_size"});
  end -= kTail + footer;
}

void IpcMessages::cut_short(std::int64_t at, std::int64_t needed, std::int64_t end, const char* what) const {
  throw DataError(fmt::format("{} is truncated or broken: the {} at byte {} claims {} bytes, {} are left ({} record "
                              "batches before it are whole)",
                              path(), what, format_count(at), format_count(needed), format_count(end - at),
                              format_count(static_cast<std::int64_t>(entries_.size()))),
                  {.file = path(), .reason = "truncated"});
}

// The message at `at`, which moves behind it. False at the end of the stream.
bool IpcMessages::next(std::int64_t& at, std::int64_t end, bool& is_schema, IpcEntry& entry) const {
  const auto* data = reinterpret_cast<const char*>(file_.bytes().data());
  if (at == end) return false;
  if (end - at < 4) cut_short(at, 4, end, "length");
  auto size = load<std::int32_t>(data + at);
  std::int64_t start = at + 4;
  if (size == -1) {  // the mark of all writers since 2019
    if (end - at < 8) cut_short(at, 8, end, "length");
    size = load<std::int32_t>(data + at + 4);
    start = at + 8;
  }
  if (size == 0) return false;
  if (size < 0 || size > end - start) cut_short(at, size, end, "message");
  entry = {};
  entry.metadata = start;
  entry.metadata_bytes = size;
  const auto message =
      require(Message::Open(slice(start, size), nullptr), path(), fmt::format("read the message at byte {}", at));
  entry.body = start + size;
  entry.body_bytes = message->body_length();
  if (entry.body_bytes < 0 || entry.body_bytes > end - entry.body)
    cut_short(entry.body, entry.body_bytes, end, "record batch");
  const MessageType type = message->type();
  is_schema = type == MessageType::SCHEMA;
  entry.is_batch = type == MessageType::RECORD_BATCH;
  if (!is_schema && !entry.is_batch && type != MessageType::DICTIONARY_BATCH)
    throw DataError(fmt::format("{}: the message at byte {} is a {}, expected a record batch", path(), format_count(at),
                                arrow::ipc::FormatMessageType(type)),
                    {.file = path(), .reason = "broken_arrow"});
  // A union may name its type and hold nothing, which the verifier lets pass.
  if (!message->header())
    throw DataError(
        fmt::format("{}: the message at byte {} says what it is and holds nothing", path(), format_count(at)),
        {.file = path(), .reason = "broken_arrow"});
  if (entry.is_batch) entry.n_rows = batch_length(message->header());
  if (entry.n_rows < 0 || entry.n_rows > kMostRows)
    throw DataError(fmt::format("{}: the record batch at byte {} claims {} rows", path(), format_count(at),
                                format_count(entry.n_rows)),
                    {.file = path(), .reason = "bad_size"});
  at = entry.body + entry.body_bytes;
  return true;
}

void IpcMessages::scan(std::int64_t begin, std::int64_t end) {
  std::int64_t at = begin;
  bool is_schema = false;
  if (!next(at, end, is_schema, schema_) || !is_schema)
    throw DataError(path() + ": an Arrow stream begins with its schema, this file does not",
                    {.file = path(), .reason = "broken_arrow"});
  IpcEntry entry;
  while (next(at, end, is_schema, entry)) {
    if (is_schema)
      throw DataError(fmt::format("{}: a second schema stands before byte {}: are these several streams in one file?",
                                  path(), format_count(at)),
                      {.file = path(), .reason = "broken_arrow"});
    entry.first_row = n_rows_;
    n_rows_ += entry.n_rows;
    if (n_rows_ > kMostRows)
      throw DataError(path() + ": its record batches claim more than 2^40 rows",
                      {.file = path(), .reason = "bad_size"});
    entries_.push_back(entry);
  }
}

std::shared_ptr<arrow::Buffer> IpcMessages::slice(std::int64_t at, std::int64_t size) const {
  return std::make_shared<arrow::Buffer>(reinterpret_cast<const std::uint8_t*>(file_.bytes().data()) + at, size);
}

std::unique_ptr<Message> IpcMessages::message(const IpcEntry& entry) const {
  return require(Message::Open(slice(entry.metadata, entry.metadata_bytes), slice(entry.body, entry.body_bytes)),
                 path(), "read a message");
}

void IpcMessages::advise(std::int64_t at, std::int64_t size, int advice) const {
  if (size <= 0) return;
  const std::int64_t page = sysconf(_SC_PAGESIZE), from = at / page * page;
  // Advice only: where the kernel will not take it, nothing is lost.
  madvise(const_cast<std::byte*>(file_.bytes().data()) + from, static_cast<std::size_t>(at + size - from), advice);
}

void IpcMessages::announce(const IpcEntry& entry) const { advise(entry.body, entry.body_bytes, MADV_WILLNEED); }

void IpcMessages::forget(const IpcEntry& entry) const {
  file_.forget(static_cast<std::size_t>(entry.body), static_cast<std::size_t>(entry.body_bytes));
}

}  // namespace scvet::io
