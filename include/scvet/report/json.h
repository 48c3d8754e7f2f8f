// JSON as this project writes it: sorted keys, shortest numbers, NaN and infinities as null.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scvet::report {

// A JSON value that is built once and written. Objects keep their keys sorted, so that equal content is equal bytes.
class Json {
 public:
  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : kind_(Kind::kText), text_(value ? "true" : "false") {}
  Json(int value) : Json(static_cast<std::int64_t>(value)) {}
  Json(unsigned value) : Json(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value);
  Json(std::uint64_t value);
  Json(double value);  // NaN and infinities: null
  Json(const char* value) : Json(std::string_view(value)) {}
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(std::string_view value);  // bytes that are not UTF-8 become U+FFFD

  static Json object() { return Json(Kind::kObject); }
  static Json array() { return Json(Kind::kArray); }
  static Json object(const std::vector<std::pair<std::string, Json>>& members);
  static Json array(std::vector<Json> items);
  template <class Range>
  static Json array_of(const Range& items) {
    Json json = array();
    for (const auto& item : items) json.push_back(Json(item));
    return json;
  }
  // JSON text written elsewhere, taken as it is.
  static Json raw(std::string text);

  Json& operator[](const std::string& key);  // makes this null value an object
  void push_back(Json item);                 // makes this null value an array
  bool empty() const { return members_.empty() && items_.empty() && text_.empty(); }

  // indent < 0: one line. No trailing line end.
  std::string dump(int indent = -1) const;

 private:
  enum class Kind { kNull, kText, kObject, kArray };
  explicit Json(Kind kind) : kind_(kind) {}
  void write(std::string& out, int indent, int depth) const;

  Kind kind_ = Kind::kNull;
  std::string text_;  // kText: the finished token
  std::map<std::string, Json> members_;
  std::vector<Json> items_;
};

}  // namespace scvet::report
