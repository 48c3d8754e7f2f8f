#include "inspect_dictionary.h"

#include <fmt/format.h>

#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using Kind = io::DictionaryPickle::Kind;
using nlohmann::json;

void add(std::string& text, std::string_view label, const std::string& content) {
  text += fmt::format("{:<8} {}\n", label, content);
}

const char* model_text(VocabularyKind kind) {
  switch (kind) {
    case VocabularyKind::kGeneformerV1:
      return "like Geneformer V1: <pad> and <mask>, cells are not framed, up to 2,048 genes";
    case VocabularyKind::kGeneformerV2:
      return "like Geneformer V2: cells are framed by <cls> and <eos>, up to 4,096 tokens with them";
    case VocabularyKind::kOther:
      return "not like Geneformer's: its special tokens are others";
  }
  return "";
}

void add_tokens(std::string& text, const io::DictionaryPickle& pickle) {
  std::vector<std::string> special;
  for (const SpecialToken& token : pickle.special) special.push_back(fmt::format("{} {}", token.name, token.token));
  add(text, "tokens",
      fmt::format("{} genes ({} named by Ensembl ids), largest token {}", format_count(pickle.n_genes),
                  format_count(pickle.n_ensembl), format_count(pickle.largest_token)));
  add(text, "special", special.empty() ? "none" : join_some(special));
  add(text, "model", model_text(pickle.model));
}

}  // namespace

std::string dictionary_text(const io::DictionaryPickle& pickle) {
  std::string text;
  add(text, "pickle",
      fmt::format("protocol {}, {} entries; read without running anything in it", pickle.protocol,
                  format_count(pickle.n_entries)));
  switch (pickle.kind) {
    case Kind::kTokens:
      add_tokens(text, pickle);
      break;
    case Kind::kMedians:
      add(text, "medians",
          fmt::format("from {} to {}, half of them below {}", format_number(pickle.least),
                      format_number(pickle.greatest), format_number(pickle.middle)));
      break;
    case Kind::kIdMap:
      add(text, "ids",
          fmt::format("Ensembl ids to those that stand for them; {} stand for another",
                      format_count(pickle.n_changed)));
      break;
    case Kind::kSymbolMap:
      add(text, "symbols", "names to other names, such as symbols to Ensembl ids");
      break;
    case Kind::kOther:
      add(text, "content", "neither tokens nor medians");
      break;
  }
  std::vector<std::string> first;
  for (const auto& [key, value] : pickle.first) first.push_back(key + " " + value);
  if (!first.empty()) add(text, "first", join_some(first));
  return text;
}

json dictionary_json(const io::DictionaryPickle& pickle) {
  json first = json::array(), special = json::object();
  for (const auto& [key, value] : pickle.first) first.push_back({key, value});
  for (const SpecialToken& token : pickle.special) special[token.name] = token.token;
  json object = {{"kind", io::dictionary_kind_name(pickle.kind)},
                 {"protocol", pickle.protocol},
                 {"n_entries", pickle.n_entries},
                 {"first", first}};
  if (pickle.kind == Kind::kTokens)
    object.update({{"special_tokens", special},
                   {"n_genes", pickle.n_genes},
                   {"n_ensembl", pickle.n_ensembl},
                   {"largest_token", pickle.largest_token},
                   {"model", vocabulary_kind_name(pickle.model)}});
  if (pickle.kind == Kind::kMedians)
    object.update({{"least", pickle.least}, {"median", pickle.middle}, {"greatest", pickle.greatest}});
  if (pickle.kind == Kind::kIdMap) object["n_changed"] = pickle.n_changed;
  return object;
}

}  // namespace scvet::jobs
