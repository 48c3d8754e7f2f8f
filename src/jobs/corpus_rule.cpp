// How cells become sets, as the flags say it.
#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/io/dictionary.h"
#include "scvet/jobs/corpus.h"

namespace scvet::jobs {
namespace {

bool is_universe(const std::string& vocabulary) { return vocabulary.empty() || vocabulary == "universe"; }

// The path of the dictionary, "" where the flags name none.
std::string dictionary_path(const RuleFlags& flags) {
  std::string path = io::gene_metadata_table(flags.dictionary).empty() ? flags.dictionary : "";
  const bool kind = names_vocabulary_kind(flags.vocabulary);
  if (path.empty()) {
    if (kind)
      throw UsageError("--vocabulary " + flags.vocabulary +
                           ": scvet holds no copy of this dictionary; name its folder (token and median pickles) or "
                           "its text form with --dictionary",
                       {.field = "--dictionary"});
    return is_universe(flags.vocabulary) ? "" : flags.vocabulary;
  }
  if (flags.vocabulary == "universe")
    throw UsageError("--vocabulary universe takes all genes, --dictionary those of a model: leave one of them out",
                     {.field = "--vocabulary"});
  if (!flags.vocabulary.empty() && !kind)
    throw UsageError(fmt::format("--vocabulary {} and --dictionary {} both name a dictionary: leave one of them out",
                                 flags.vocabulary, flags.dictionary),
                     {.field = "--vocabulary"});
  return path;
}

void check_fingerprint_word(const RuleFlags& flags, bool dictionary) {
  if (!flags.fingerprint.empty() && flags.fingerprint != "topk" && flags.fingerprint != "positive")
    throw UsageError("--fingerprint '" + flags.fingerprint + "': expected topk or positive",
                     {.field = "--fingerprint"});
  if (flags.fingerprint == "topk" && !dictionary)
    throw UsageError(
        "--fingerprint topk ranks genes by a model's medians: name its dictionary with --dictionary (a folder of "
        "pickles, or a file of gene, token, median), or use --fingerprint positive",
        {.field = "--fingerprint"});
  if (flags.fingerprint == "positive" && dictionary)
    throw UsageError(
        "--fingerprint positive takes every gene above 0: leave out --vocabulary and --dictionary, or use "
        "--fingerprint topk",
        {.field = "--fingerprint"});
}

std::string special_words(const Vocabulary& dictionary) {
  std::vector<std::string> names;
  for (const SpecialToken& token : dictionary.special_tokens()) names.push_back(token.name);
  return names.empty() ? "no special tokens" : "special tokens " + join_some(names);
}

}  // namespace

bool names_vocabulary_kind(const std::string& vocabulary) {
  return vocabulary == vocabulary_kind_name(VocabularyKind::kGeneformerV1) ||
         vocabulary == vocabulary_kind_name(VocabularyKind::kGeneformerV2);
}

void check_vocabulary_kind(const std::string& vocabulary, const Vocabulary& dictionary) {
  if (vocabulary == vocabulary_kind_name(dictionary.kind())) return;
  throw UsageError(
      fmt::format("--vocabulary {}: the dictionary {} is of kind {} ({}, {} tokens); {} has {}", vocabulary,
                  dictionary.name(), vocabulary_kind_name(dictionary.kind()), special_words(dictionary),
                  format_count(dictionary.size()), vocabulary,
                  vocabulary == "geneformer-v1" ? "<pad> and <mask> alone" : "<pad>, <mask>, <cls> and <eos>"),
      {.field = "--vocabulary", .reason = "dictionary_differs"});
}

sketch::FingerprintRule fingerprint_rule(const RuleFlags& flags) {
  const std::string path = dictionary_path(flags);
  check_fingerprint_word(flags, !path.empty());
  if (flags.top_k < 0 || (flags.top_k > 0 && path.empty()))
    throw UsageError(fmt::format("--top-k {}: expected 1 or more, and a --dictionary whose ranks it cuts", flags.top_k),
                     {.field = "--top-k"});
  if (path.empty()) return {};
  const auto dictionary = std::make_shared<const Vocabulary>(io::load_dictionary(path));
  if (names_vocabulary_kind(flags.vocabulary)) check_vocabulary_kind(flags.vocabulary, *dictionary);
  const auto& genes = dictionary->genes();
  if (std::all_of(genes.begin(), genes.end(), [](const VocabularyGene& gene) { return gene.median == 1; }))
    log_warning(path +
                " has no medians: counted cells are ranked by count alone, which is not how its model ranks them");
  return {dictionary, flags.top_k > 0 ? flags.top_k : dictionary->default_top_k()};
}

}  // namespace scvet::jobs
