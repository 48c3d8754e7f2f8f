#include "canonical_json.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "scvet/base/text.h"
#include "scvet/trial/lock_tables.h"

namespace scvet::trial {
namespace {

bool has_real(const Json& value) {
  if (value.is_number_float()) return true;
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), has_real);
}

// For messages: a long value is cut.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

}  // namespace

std::string canonical(const Json& value) {
  if (has_real(value)) throw InternalError("a real number in canonical JSON: " + shown(value));
  try {
    return value.dump(-1, ' ', false, Json::error_handler_t::strict) + "\n";
  } catch (const Json::type_error&) {
    throw DataError("a name is not UTF-8 text: " + shown(value) + "; rename it in the input");
  }
}

Json read_json(std::string_view text, const std::string& where) {
  std::vector<std::set<std::string>> open;
  std::string repeated;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      repeated = value.get<std::string>();
    return true;
  };
  Json value;
  try {
    value = Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    throw DataError(where + " is not JSON: " + error.what(), {.file = where});
  }
  if (!repeated.empty())
    throw DataError(where + ": the key '" + repeated + "' stands twice", {.file = where, .field = repeated});
  if (has_real(value))
    throw DataError(where + " holds a real number; here they are written as text, \"0.020\"", {.file = where});
  return value;
}

Json read_canonical(std::string_view text, const std::string& where) {
  Json value = read_json(text, where);
  if (canonical(value) != text)
    throw DataError(where + " is not in canonical form (keys sorted, no blanks, one final newline)", {.file = where});
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || real_text(*value) != text) return std::nullopt;
  return value;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Fields::Fields(const Json& object, std::string where, std::string path)
    : object_(&object), where_(std::move(where)), path_(std::move(path)) {
  if (!object.is_object())
    throw DataError(
        where_ + ": expected an object" + (path_.empty() ? "" : " at '" + path_ + "'") + ", found " + shown(object),
        {.file = where_, .field = path_});
}

void Fields::refuse(const std::string& key, const std::string& expected) const {
  const auto found = object_->find(key);
  throw DataError(where_ + ": '" + path(key) + "' must be " + expected + ", found " +
                      (found == object_->end() ? "nothing" : shown(*found)),
                  {.file = where_, .field = path(key)});
}

const Json& Fields::get(const char* key) {
  seen_.emplace_back(key);
  const auto found = object_->find(key);
  if (found == object_->end())
    throw DataError(where_ + ": '" + path(key) + "' is missing", {.file = where_, .field = path(key)});
  return *found;
}

std::string Fields::text(const char* key) {
  const Json& value = get(key);
  if (!value.is_string()) refuse(key, "a text");
  return value.get<std::string>();
}

std::string Fields::hash(const char* key) {
  std::string value = text(key);
  if (!is_sha256(value)) refuse(key, "a SHA-256 in 64 lower-case hexadecimal digits");
  return value;
}

std::int64_t Fields::integer(const char* key, std::int64_t least, std::int64_t most) {
  const Json& value = get(key);
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    refuse(key, least == INT64_MIN && most == INT64_MAX ? "an integer"
                                                        : "an integer from " + std::to_string(least) +
                                                              (most == INT64_MAX ? "" : " to " + std::to_string(most)));
  return value.get<std::int64_t>();
}

bool Fields::boolean(const char* key) {
  const Json& value = get(key);
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

double Fields::real(const char* key) {
  const auto value = parse_real(text(key));
  if (!value) refuse(key, "a number as %.17g writes it, in quotes");
  return *value;
}

std::optional<std::string> Fields::optional_text(const char* key) {
  const Json& value = get(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_string()) refuse(key, "a text or null");
  return value.get<std::string>();
}

std::optional<std::int64_t> Fields::optional_integer(const char* key) {
  if (get(key).is_null()) return std::nullopt;
  return integer(key);
}

Fields Fields::object(const char* key) { return Fields(get(key), where_, path(key)); }

void Fields::expect(const char* key, const Json& value) {
  if (get(key) != value) refuse(key, shown(value));
}

void Fields::finish() const {
  for (const auto& item : object_->items()) {
    if (std::find(seen_.begin(), seen_.end(), item.key()) != seen_.end()) continue;
    std::string message = where_ + ": '" + path(item.key()) + "' is not known";
    if (const auto near = nearest_name(item.key(), seen_)) message += "; did you mean '" + *near + "'?";
    throw DataError(message, {.file = where_, .field = path(item.key())});
  }
}

}  // namespace scvet::trial
