#include "scvet/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

namespace scvet {

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string format_python(double value) {
  if (!std::isfinite(value)) return format_number(value);
  char text[48];
  const double size = std::fabs(value);
  const bool fixed = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto end =
      std::to_chars(text, text + sizeof text, value, fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string found(text, end.ptr);
  if (fixed && found.find('.') == std::string::npos) found += ".0";
  return found;
}

std::string format_count(std::int64_t value) {
  std::string digits = std::to_string(value);
  if (value < 0) digits.erase(0, 1);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return value < 0 ? "-" + digits : digits;
}

std::string format_percent(double share, int digits) {
  if (std::isnan(share)) return "n/a";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, 100 * share, std::chars_format::fixed, digits);
  return std::string(text, end.ptr) + " %";
}

namespace {
int bound_digits(double share) {
  int digits = 1;
  for (double least = .01; share > 0 && share < least && digits < 4; least /= 10) ++digits;
  return digits;
}
// 1e-9 of a step: a bound that is a round number but for its last bits stays that number.
std::string bound_percent(double share, bool up) {
  if (std::isnan(share)) return format_percent(share);
  const int digits = bound_digits(share);
  const double steps = share * 100 * std::pow(10.0, digits);
  const double whole = up ? std::ceil(steps - 1e-9) : std::floor(steps + 1e-9);
  return format_percent(whole / (100 * std::pow(10.0, digits)), digits);
}
}  // namespace

std::string format_upper_percent(double share) { return bound_percent(share, true); }
std::string format_lower_percent(double share) { return bound_percent(share, false); }

std::vector<std::string> sorted_distinct(std::span<const std::string> names) {
  std::vector<std::string> distinct(names.begin(), names.end());
  std::sort(distinct.begin(), distinct.end());  // std::string compares bytes as unsigned: UTF-8 order
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return distinct;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string result;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (at) result += separator;
    result += parts[at];
  }
  return result;
}

std::string join_some(std::span<const std::string> parts, std::size_t most) {
  if (parts.size() <= most) return join(parts, ", ");
  return join(parts.first(most), ", ") + ", ...";
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t x = 1; x <= a.size(); ++x) {
    std::size_t diagonal = row[0];
    row[0] = x;
    for (std::size_t y = 1; y <= b.size(); ++y) {
      const std::size_t above = row[y];
      row[y] = std::min({above + 1, row[y - 1] + 1, diagonal + (a[x - 1] != b[y - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}
}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  const std::string wanted = lower(name);
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string stem(std::string_view path) {
  std::string name = base_name(path);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot > 0) name.resize(dot);
  return name;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string html_escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace scvet
