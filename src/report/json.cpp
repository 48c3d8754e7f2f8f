#include "scvet/report/json.h"

#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "utf8.h"

namespace scvet::report {
namespace {

void append_escaped(std::string& out, unsigned char byte) {
  static const char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (byte < 0x20 || byte == 0x7F) {
        out += "\\u00";
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
      } else {
        out += static_cast<char>(byte);
      }
  }
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char byte : valid_utf8(text)) append_escaped(out, static_cast<unsigned char>(byte));
  return out + "\"";
}

void line_break(std::string& out, int indent, int depth) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
}

}  // namespace

Json::Json(std::int64_t value) : kind_(Kind::kText), text_(std::to_string(value)) {}
Json::Json(std::uint64_t value) : kind_(Kind::kText), text_(std::to_string(value)) {}
Json::Json(double value) {
  if (!std::isfinite(value)) return;
  kind_ = Kind::kText;
  text_ = format_number(value);
}
Json::Json(std::string_view value) : kind_(Kind::kText), text_(quoted(value)) {}

Json Json::object(const std::vector<std::pair<std::string, Json>>& members) {
  Json json(Kind::kObject);
  for (const auto& [key, value] : members) json.members_[key] = value;
  return json;
}

Json Json::array(std::vector<Json> items) {
  Json json(Kind::kArray);
  json.items_ = std::move(items);
  return json;
}

Json Json::raw(std::string text) {
  Json json(Kind::kText);
  json.text_ = std::move(text);
  return json;
}

Json& Json::operator[](const std::string& key) {
  if (kind_ == Kind::kNull) kind_ = Kind::kObject;
  if (kind_ != Kind::kObject) throw InternalError("JSON: key '" + key + "' set on a value that is no object");
  return members_[key];
}

void Json::push_back(Json item) {
  if (kind_ == Kind::kNull) kind_ = Kind::kArray;
  if (kind_ != Kind::kArray) throw InternalError("JSON: item added to a value that is no array");
  items_.push_back(std::move(item));
}

std::string Json::dump(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

void Json::write(std::string& out, int indent, int depth) const {
  const char* separator = "";
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kText:
      out += text_;
      return;
    case Kind::kObject:
      out += '{';
      for (const auto& [key, value] : members_) {
        out += separator;
        line_break(out, indent, depth + 1);
        out += quoted(key) + (indent < 0 ? ":" : ": ");
        value.write(out, indent, depth + 1);
        separator = ",";
      }
      if (!members_.empty()) line_break(out, indent, depth);
      out += '}';
      return;
    case Kind::kArray:
      out += '[';
      for (const Json& item : items_) {
        out += separator;
        line_break(out, indent, depth + 1);
        item.write(out, indent, depth + 1);
        separator = ",";
      }
      if (!items_.empty()) line_break(out, indent, depth);
      out += ']';
      return;
  }
}

}  // namespace scvet::report
