#include "scvet/io/dictionary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "dictionary/pickle.h"
#include "dictionary/pickle_numpy.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/data/genes.h"

namespace scvet::io {
namespace {

namespace fs = std::filesystem;
using Kind = DictionaryPickle::Kind;

constexpr std::size_t kShown = 5;

// A dict whose keys are texts.
struct Pickled {
  std::string path;
  PickleTree tree;
  Kind kind = Kind::kOther;
  std::vector<std::string> keys;
  std::vector<PickleRef> values;
  const PickleValue& value(std::size_t at) const { return tree[values[at]]; }
};

// Names go into files of tab-separated text and onto terminals.
bool printable(std::string_view name) {
  return !name.empty() && name.size() <= 200 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

// A gene of the text form: one word that is no note.
bool is_gene_name(std::string_view name) {
  return printable(name) && name.front() != '#' && name.find(' ') == std::string_view::npos;
}

bool all_of_kind(const Pickled& pickled, PickleValue::Kind kind) {
  for (std::size_t at = 0; at < pickled.values.size(); ++at)
    if (pickled.value(at).kind != kind) return false;
  return true;
}

bool mostly_ensembl(const std::vector<std::string>& names) {
  const auto n = std::count_if(names.begin(), names.end(), [](const std::string& name) { return is_ensembl(name); });
  return 2 * n >= static_cast<std::ptrdiff_t>(names.size());
}

bool distinct(const Pickled& pickled) {
  std::vector<std::int64_t> tokens;
  for (std::size_t at = 0; at < pickled.values.size(); ++at) tokens.push_back(pickled.value(at).integer);
  std::sort(tokens.begin(), tokens.end());
  return tokens.front() >= 0 && std::adjacent_find(tokens.begin(), tokens.end()) == tokens.end();
}

bool has_special(const std::vector<std::string>& keys) {
  return std::any_of(keys.begin(), keys.end(), [](const std::string& key) { return key.starts_with('<'); });
}

// Told by the values: distinct integers are tokens, reals medians, texts other names of the keys.
Kind classify(const Pickled& pickled) {
  if (pickled.keys.empty()) return Kind::kOther;
  if (all_of_kind(pickled, PickleValue::Kind::kInteger))
    return distinct(pickled) && (has_special(pickled.keys) || mostly_ensembl(pickled.keys)) ? Kind::kTokens
                                                                                            : Kind::kOther;
  if (all_of_kind(pickled, PickleValue::Kind::kReal)) return Kind::kMedians;
  if (all_of_kind(pickled, PickleValue::Kind::kText))
    return mostly_ensembl(pickled.keys) ? Kind::kIdMap : Kind::kSymbolMap;
  return Kind::kOther;
}

Pickled read_pickled(const std::string& path) {
  std::error_code error;
  if (const std::uint64_t size = fs::file_size(path, error); !error && size > kMostPickleBytes)
    throw DataError(
        fmt::format("{}: {} bytes; a dictionary has some 1 MB, and up to {} are read", path, size, kMostPickleBytes),
        {.file = path, .reason = "too_large"});
  const std::string bytes = read_file(path);
  Pickled pickled;
  pickled.path = path;
  pickled.tree = read_pickle(std::as_bytes(std::span(bytes)), path, numpy_scalars());
  const PickleValue& root = pickled.tree[pickled.tree.root];
  if (root.kind != PickleValue::Kind::kDict) return pickled;
  for (std::size_t at = 0; at + 1 < root.items.size(); at += 2) {
    const PickleValue& key = pickled.tree[root.items[at]];
    if (key.kind != PickleValue::Kind::kText) return pickled;
    if (!printable(key.text))
      throw DataError(fmt::format("{}: key {} is empty, endless or not plain text", path, at / 2),
                      {.file = path, .row = static_cast<std::int64_t>(at / 2), .reason = "dictionary"});
    pickled.keys.push_back(key.text);
    pickled.values.push_back(root.items[at + 1]);
  }
  pickled.kind = classify(pickled);
  return pickled;
}

std::string describe(const Pickled& pickled) {
  static constexpr const char* kWords[] = {"a dictionary of {} tokens", "a dictionary of {} medians",
                                           "a map of {} Ensembl ids", "a map of {} gene symbols",
                                           "{} entries that are neither tokens nor medians"};
  return base_name(pickled.path) + ": " +
         fmt::format(fmt::runtime(kWords[static_cast<int>(pickled.kind)]), pickled.keys.size());
}

// What a folder holds, by kind.
struct Folder {
  std::vector<Pickled> tokens, medians, maps;
  std::vector<std::string> others, unread;  // what is no dictionary of tokens, and what cannot be read
};

Folder read_folder(const std::string& path) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path))
    if (entry.is_regular_file() && lower(entry.path().extension().string()) == ".pkl")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw DataError(path +
                        ": no *.pkl in this folder; expected a token dictionary and its medians, or name a file "
                        "in text form (gene, token, median)",
                    {.file = path, .reason = "dictionary"});
  Folder folder;
  for (const std::string& file : files) {
    try {
      Pickled pickled = read_pickled(file);
      switch (pickled.kind) {
        case Kind::kTokens:
          folder.tokens.push_back(std::move(pickled));
          break;
        case Kind::kMedians:
          folder.medians.push_back(std::move(pickled));
          break;
        case Kind::kIdMap:
          folder.maps.push_back(std::move(pickled));
          break;
        default:
          folder.others.push_back(describe(pickled));
      }
    } catch (const DataError& error) {
      folder.unread.push_back(error.what());
    }
  }
  return folder;
}

// The one pickle of a kind, null where there is none.
const Pickled* only(const std::vector<Pickled>& found, const char* what, const std::string& folder) {
  if (found.size() < 2) return found.empty() ? nullptr : &found.front();
  std::vector<std::string> names;
  for (const Pickled& pickled : found) names.push_back(describe(pickled));
  throw DataError(fmt::format("{}: {} {} are in this folder ({}); copy the files of one model into a folder of their "
                              "own and name that, as dictionaries of different models must not be mixed",
                              folder, found.size(), what, join_some(names)),
                  {.file = folder, .reason = "several_dictionaries"});
}

[[noreturn]] void fail_entry(const Pickled& pickled, std::size_t at, const std::string& why) {
  throw DataError(
      fmt::format("{}: '{}' {}", pickled.path, pickled.keys[at], why),
      {.file = pickled.path, .row = static_cast<std::int64_t>(at), .gene = pickled.keys[at], .reason = "dictionary"});
}

std::unordered_map<std::string, double> median_table(const Pickled& medians) {
  std::unordered_map<std::string, double> table;
  for (std::size_t at = 0; at < medians.keys.size(); ++at)
    if (!table.emplace(strip_version(medians.keys[at]), medians.value(at).real).second)
      fail_entry(medians, at, "stands there twice");
  return table;
}

void add_medians(std::vector<VocabularyGene>& genes, const Pickled& tokens, const Pickled& medians) {
  const std::unordered_map<std::string, double> table = median_table(medians);
  std::vector<std::string> missing;
  for (VocabularyGene& gene : genes) {
    const auto found = table.find(gene.gene);
    if (found == table.end())
      missing.push_back(gene.gene);
    else
      gene.median = found->second;
  }
  if (!missing.empty())
    throw DataError(fmt::format("{} and {} do not belong together: {} of {} genes have a token and no median ({})",
                                tokens.path, medians.path, missing.size(), genes.size(), join_some(missing, 3)),
                    {.file = medians.path, .gene = missing.front(), .reason = "medians_missing"});
}

// Ids that stand for a gene of the dictionary under another id.
CollapseMap collapse_map(const Pickled& map, const std::vector<VocabularyGene>& genes) {
  std::unordered_map<std::string_view, bool> known;
  for (const VocabularyGene& gene : genes) known.emplace(gene.gene, true);
  CollapseMap collapse;
  for (std::size_t at = 0; at < map.keys.size(); ++at) {
    const std::string id = strip_version(map.keys[at]);
    const std::string& text = map.value(at).text;
    if (!printable(text)) fail_entry(map, at, "stands for something that is no plain text");
    const std::string gene = strip_version(text);
    if (!is_gene_name(id)) fail_entry(map, at, "is no name of a gene");
    if (id == gene || !known.contains(gene)) continue;
    const auto [place, fresh] = collapse.emplace(id, gene);
    if (!fresh && place->second != gene) fail_entry(map, at, "stands for two genes");
  }
  return collapse;
}

Vocabulary make_vocabulary(const Pickled& tokens, const Pickled* medians, const Pickled* map) {
  std::vector<VocabularyGene> genes;
  std::vector<SpecialToken> special;
  for (std::size_t at = 0; at < tokens.keys.size(); ++at) {
    const std::int64_t token = tokens.value(at).integer;
    if (!is_gene_name(tokens.keys[at])) fail_entry(tokens, at, "is no name of a gene");
    if (tokens.keys[at].starts_with('<'))
      special.push_back({tokens.keys[at], token});
    else
      genes.push_back({strip_version(tokens.keys[at]), token, 1});
  }
  if (genes.empty())
    throw DataError(tokens.path + ": special tokens only, no gene", {.file = tokens.path, .reason = "dictionary"});
  if (medians) add_medians(genes, tokens, *medians);
  CollapseMap collapse = map ? collapse_map(*map, genes) : CollapseMap{};
  return Vocabulary(std::move(genes), stem(tokens.path), std::move(special), std::move(collapse));
}

Vocabulary load_folder(const std::string& path) {
  const Folder folder = read_folder(path);
  const Pickled* tokens = only(folder.tokens, "token dictionaries", path);
  const Pickled* medians = only(folder.medians, "dictionaries of medians", path);
  const Pickled* map = only(folder.maps, "maps of Ensembl ids", path);
  std::vector<std::string> all = folder.unread;
  all.insert(all.end(), folder.others.begin(), folder.others.end());
  const std::string passed = all.empty() ? "" : "; passed over: " + join_some(all);
  if (!tokens)
    throw DataError(path + ": no token dictionary among its *.pkl" + passed, {.file = path, .reason = "dictionary"});
  if (!medians)
    throw DataError(fmt::format("{}: it holds {} and no medians; name that file to rank genes without medians{}", path,
                                describe(*tokens), passed),
                    {.file = path, .reason = "medians_missing"});
  for (const std::string& reason : folder.unread) log_warning("passed over in the dictionary's folder: " + reason);
  return make_vocabulary(*tokens, medians, map);
}

bool named_pickle(const std::string& path) {
  const std::string extension = lower(fs::path(path).extension().string());
  return extension == ".pkl" || extension == ".pickle";
}

}  // namespace

const char* dictionary_kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"tokens", "medians", "id_map", "symbol_map", "other"};
  return kNames[static_cast<int>(kind)];
}

bool looks_like_pickle(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  char first[2] = {}, last = 0;
  if (named_pickle(path)) return true;
  if (!file.read(first, 2) || !file.seekg(-1, std::ios::end) || !file.get(last)) return false;
  return first[0] == '\x80' && first[1] >= 2 && first[1] <= 5 && last == '.';
}

Vocabulary load_dictionary(const std::string& path) {
  if (!fs::exists(path)) throw DataError(path + ": no such file or folder", {.file = path, .reason = "missing"});
  if (fs::is_directory(path)) return load_folder(path);
  if (!looks_like_pickle(path)) return Vocabulary::load(path);
  const Pickled pickled = read_pickled(path);
  if (pickled.kind != Kind::kTokens)
    throw DataError(fmt::format("{}; a token dictionary is needed, or the folder that holds one and its medians",
                                describe(pickled)),
                    {.file = path, .reason = "dictionary"});
  return make_vocabulary(pickled, nullptr, nullptr);
}

std::shared_ptr<const Vocabulary> token_vocabulary(const OpenOptions& options) {
  if (options.vocabulary || options.dictionary.empty()) return options.vocabulary;
  return std::make_shared<const Vocabulary>(load_dictionary(options.dictionary));
}

namespace {

std::string shown(const PickleValue& value) {
  switch (value.kind) {
    case PickleValue::Kind::kInteger:
      return fmt::format("{}", value.integer);
    case PickleValue::Kind::kReal:
      return format_number(value.real);
    case PickleValue::Kind::kText:
      return printable(value.text) ? value.text : "(text)";
    case PickleValue::Kind::kBoolean:
      return value.integer ? "true" : "false";
    default:
      return "(other)";
  }
}

void describe_tokens(const Pickled& pickled, DictionaryPickle& facts) {
  const Vocabulary vocabulary = make_vocabulary(pickled, nullptr, nullptr);
  facts.special = vocabulary.special_tokens();
  facts.n_genes = static_cast<std::int64_t>(vocabulary.genes().size());
  facts.largest_token = vocabulary.largest_token();
  facts.n_ensembl = std::count_if(vocabulary.genes().begin(), vocabulary.genes().end(),
                                  [](const VocabularyGene& gene) { return is_ensembl(gene.gene); });
  facts.model = vocabulary.kind();
}

void describe_medians(const Pickled& pickled, DictionaryPickle& facts) {
  std::vector<double> medians;
  for (std::size_t at = 0; at < pickled.values.size(); ++at) {
    medians.push_back(pickled.value(at).real);
    if (!std::isfinite(medians.back()) || medians.back() <= 0)
      fail_entry(pickled, at, "has a median that is not above 0");
  }
  std::sort(medians.begin(), medians.end());
  facts.least = medians.front();
  facts.middle = medians[medians.size() / 2];
  facts.greatest = medians.back();
}

}  // namespace

DictionaryPickle read_dictionary_pickle(const std::string& path) {
  const Pickled pickled = read_pickled(path);
  DictionaryPickle facts;
  facts.kind = pickled.kind;
  facts.protocol = pickled.tree.protocol;
  facts.n_entries = static_cast<std::int64_t>(pickled.keys.size());
  for (std::size_t at = 0; at < std::min(kShown, pickled.keys.size()); ++at)
    facts.first.emplace_back(pickled.keys[at], shown(pickled.value(at)));
  if (facts.kind == Kind::kTokens) describe_tokens(pickled, facts);
  if (facts.kind == Kind::kMedians) describe_medians(pickled, facts);
  if (facts.kind == Kind::kIdMap)
    for (std::size_t at = 0; at < pickled.keys.size(); ++at)
      facts.n_changed += strip_version(pickled.keys[at]) != strip_version(pickled.value(at).text);
  return facts;
}

}  // namespace scvet::io
