#include "text/delimited.h"

#include <algorithm>

#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// True when the record ends inside quotes: the next line belongs to it.
bool is_open(std::string_view record, char delimiter) {
  bool quoted = false, at_start = true;
  for (const char c : record) {
    if (c == '"' && (quoted || at_start)) quoted = !quoted;
    // A quote right after a closing one is a doubled quote and opens again.
    at_start = c == delimiter || c == '"';
  }
  return quoted;
}

}  // namespace

void split_fields(std::string_view record, char delimiter, std::vector<std::string>& fields) {
  std::size_t count = 0, at = 0;
  const auto field = [&]() -> std::string& {
    if (count == fields.size()) fields.emplace_back();
    fields[count].clear();
    return fields[count++];
  };
  while (true) {
    std::string& value = field();
    if (at < record.size() && record[at] == '"') {
      for (++at; at < record.size(); ++at) {
        if (record[at] != '"')
          value += record[at];
        else if (at + 1 < record.size() && record[at + 1] == '"')
          value += record[++at];
        else
          break;
      }
      ++at;
    }
    const std::size_t end = at < record.size() ? record.find(delimiter, at) : std::string_view::npos;
    if (at < record.size()) value += record.substr(at, end == std::string_view::npos ? end : end - at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  fields.resize(count);
}

bool DelimitedReader::next(std::vector<std::string>& fields) {
  std::string_view line;
  do {
    if (!file_->next(line)) return false;
    if (file_->line_number() == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  } while (trim(line).empty());
  first_line_ = file_->line_number();
  record_.assign(line);
  // A field with this many lines is a stray quote, not a field.
  for (int more = 0; more < 100 && record_.find('"') != std::string::npos && is_open(record_, delimiter_); ++more) {
    if (!file_->next(line)) break;
    record_ += '\n';
    record_ += line;
  }
  split_fields(record_, delimiter_, fields);
  return true;
}

char detect_delimiter(std::string_view line) {
  std::size_t tabs = 0, commas = 0, semicolons = 0, spaces = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    tabs += c == '\t';
    commas += c == ',';
    semicolons += c == ';';
    spaces += c == ' ';
  }
  if (tabs > 0) return '\t';
  if (commas + semicolons > 0) return commas >= semicolons ? ',' : ';';
  return spaces > 0 ? ' ' : '\t';
}

}  // namespace scvet::io
