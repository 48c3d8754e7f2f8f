// Records of delimited text: the layer under text_table and the feature lists of 10x.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/text_source.h"

namespace scvet::io {

class DelimitedReader {
 public:
  DelimitedReader(const std::string& path, char delimiter) : file_(open_text(path)), delimiter_(delimiter) {}
  // The fields of the next record that is not blank; false at the end. The fields live until the next call.
  bool next(std::vector<std::string>& fields);
  std::int64_t line_number() const { return first_line_; }  // where the record starts, from 1
  const std::string& text() const { return record_; }       // the record as it stands

 private:
  std::unique_ptr<TextFile> file_;
  char delimiter_;
  std::string record_;
  std::int64_t first_line_ = 0;
};

// The delimiter of tab, comma, semicolon and space that `line` holds, outside quotes, in that order of preference
// except that comma and semicolon compete by number; tab when there is none.
char detect_delimiter(std::string_view line);

// Splits one record. Quotes are dropped, doubled ones become one.
void split_fields(std::string_view record, char delimiter, std::vector<std::string>& fields);

}  // namespace scvet::io
