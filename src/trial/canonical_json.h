// Canonical JSON of specification 14: UTF-8, keys by bytes, no blanks, integers only, one final newline.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "scvet/base/error.h"

namespace scvet::trial {

using Json = nlohmann::json;

// The bytes, with the newline. A real number is a fault of ours (InternalError); text that is not UTF-8 a DataError.
std::string canonical(const Json& value);
// Any JSON without real numbers and repeated keys; blanks and order of keys are free. DataError naming `where`.
Json read_json(std::string_view text, const std::string& where);
// The same, and the text must be what canonical() would write.
Json read_canonical(std::string_view text, const std::string& where);

// Takes the fields of one object, in any order; finish() refuses what nobody asked for.
class Fields {
 public:
  Fields(const Json& object, std::string where, std::string path = "");
  const Json& get(const char* key);
  std::string text(const char* key);
  std::string hash(const char* key);  // 64 hexadecimal digits
  std::int64_t integer(const char* key, std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX);
  bool boolean(const char* key);
  double real(const char* key);  // text as %.17g writes it
  std::optional<std::string> optional_text(const char* key);
  std::optional<std::int64_t> optional_integer(const char* key);
  Fields object(const char* key);
  void expect(const char* key, const Json& value);  // the one value that is possible
  void finish() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;
  std::string path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

 private:
  const Json* object_;
  std::string where_, path_;
  std::vector<std::string> seen_;
};

// Text of a real number as %.17g writes it, and nothing else.
std::optional<double> parse_real(std::string_view text);
bool is_sha256(std::string_view text);

}  // namespace scvet::trial
