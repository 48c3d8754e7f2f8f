// The corpus card: what the makers say of their corpus.
#include <fmt/format.h>

#include "json_text.h"

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/sketch/corpus.h"

namespace scvet::sketch {
namespace {

using nlohmann::json;

constexpr const char* kNotStated = "not stated";

std::string one_text(const json& value, const std::string& key, const std::string& where) {
  if (value.is_null() || value == kNotStated) return {};
  if (!value.is_string())
    throw DataError(fmt::format("{}: card field '{}' should be text, found {}", where, key, value.type_name()),
                    {.file = where, .field = key});
  return value.get<std::string>();
}

std::vector<std::string> text_list(const json& value, const std::string& key, const std::string& where) {
  if (!value.is_array()) {
    const std::string text = one_text(value, key, where);
    return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{text};
  }
  std::vector<std::string> all;
  for (const json& entry : value) all.push_back(one_text(entry, key, where));
  return all;
}

bool is_month(const std::string& text) {
  if (text.size() != 7 || text[4] != '-') return false;
  const auto year = parse_integer(text.substr(0, 4)), month = parse_integer(text.substr(5));
  return year && month && *year >= 1990 && *month >= 1 && *month <= 12;
}

json or_not_stated(const std::string& text) { return text.empty() ? json(kNotStated) : json(text); }
json or_not_stated(const std::vector<std::string>& texts) { return texts.empty() ? json(kNotStated) : json(texts); }

}  // namespace

CorpusCard CorpusCard::parse(std::string_view text, const std::string& where) {
  json all = parse_json(text);
  if (!all.is_object())
    throw DataError(where +
                        ": a corpus card is one JSON object with keys name, version, cutoff, sources, inclusion, "
                        "exclusions",
                    {.file = where});
  CorpusCard card;
  json extra = json::object();
  for (const auto& [key, value] : all.items()) {
    if (key == "name")
      card.name = one_text(value, key, where);
    else if (key == "version")
      card.version = one_text(value, key, where);
    else if (key == "cutoff")
      card.cutoff = one_text(value, key, where);
    else if (key == "sources")
      card.sources = text_list(value, key, where);
    else if (key == "inclusion")
      card.inclusion = text_list(value, key, where);
    else if (key == "exclusions")
      card.exclusions = text_list(value, key, where);
    else
      extra[key] = value;
  }
  if (!card.cutoff.empty() && !is_month(card.cutoff))
    throw DataError(fmt::format("{}: cutoff '{}' should be a month, YYYY-MM", where, card.cutoff),
                    {.file = where, .field = "cutoff"});
  if (!extra.empty()) card.extra_json = extra.dump(-1, ' ', false, json::error_handler_t::replace);
  return card;
}

std::string CorpusCard::to_json() const {
  json all = extra_json.empty() ? json::object() : json::parse(extra_json);
  all["name"] = or_not_stated(name);
  all["version"] = or_not_stated(version);
  all["cutoff"] = or_not_stated(cutoff);
  all["sources"] = or_not_stated(sources);
  all["inclusion"] = or_not_stated(inclusion);
  all["exclusions"] = or_not_stated(exclusions);
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace scvet::sketch
