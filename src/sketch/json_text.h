// JSON from files that nobody vouches for.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace scvet::sketch {

// The value, or a discarded one when the text is no JSON or nests deeper than any of our documents (writing such a
// value again would recurse as deep).
inline nlohmann::json parse_json(std::string_view text) {
  constexpr int kMaxDepth = 32;
  int depth = 0, deepest = 0;
  bool quoted = false, escaped = false;
  for (const char c : text) {
    if (quoted) {
      quoted = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  if (deepest > kMaxDepth) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

}  // namespace scvet::sketch
