#include "audit_dictionary.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/io/dictionary.h"
#include "scvet/jobs/corpus.h"

namespace scvet::jobs {
namespace {

void check_fingerprint(const AuditJobOptions& options, const sketch::FingerprintRule& rule, const std::string& corpus) {
  if (!options.fingerprint.empty() && options.fingerprint != rule.kind())
    throw UsageError(fmt::format("--fingerprint {}: {} was built with fingerprint {}; leave the flag out, or build the "
                                 "corpus again",
                                 options.fingerprint, corpus, rule.kind()),
                     {.file = corpus, .field = "--fingerprint"});
  if (options.top_k == 0) return;
  if (!rule.vocabulary)
    throw UsageError(
        fmt::format("--top-k {}: {} was built without a dictionary and keeps every gene; leave the flag out",
                    options.top_k, corpus),
        {.file = corpus, .field = "--top-k"});
  if (options.top_k != rule.top_k)
    throw UsageError(fmt::format("--top-k {}: {} was built with {}; leave the flag out, or build the corpus again",
                                 options.top_k, corpus, rule.top_k),
                     {.file = corpus, .field = "--top-k"});
}

// Medians may differ where only tokens are named: ranks follow the corpus' own.
bool same_tokens(const Vocabulary& a, const Vocabulary& b) {
  return std::equal(
      a.genes().begin(), a.genes().end(), b.genes().begin(), b.genes().end(),
      [](const VocabularyGene& x, const VocabularyGene& y) { return x.token == y.token && x.gene == y.gene; });
}

void check_same(const Vocabulary& given, const sketch::FingerprintRule& rule, const std::string& corpus,
                const char* flag) {
  if (!rule.vocabulary || same_tokens(given, *rule.vocabulary)) return;
  throw UsageError(fmt::format("{} {}: {} was built with another dictionary ({}, {} genes); leave the flag out, as the "
                               "corpus holds its own",
                               flag, given.name(), corpus, rule.vocabulary->name(), rule.vocabulary->genes().size()),
                   {.file = corpus, .field = flag, .reason = "dictionary_differs"});
}

void check_vocabulary(const AuditJobOptions& options, const sketch::FingerprintRule& rule, const std::string& corpus,
                      const Vocabulary* given) {
  const std::string& vocabulary = options.vocabulary;
  if (vocabulary.empty()) return;
  if ((vocabulary == "universe") != !rule.vocabulary)
    throw UsageError(fmt::format("--vocabulary {}: {} was built {}; leave the flag out, or build the corpus again",
                                 vocabulary, corpus,
                                 rule.vocabulary ? "with the dictionary " + rule.vocabulary->name()
                                                 : std::string("on all genes, without a dictionary")),
                     {.file = corpus, .field = "--vocabulary"});
  if (vocabulary == "universe") return;
  if (names_vocabulary_kind(vocabulary))
    check_vocabulary_kind(vocabulary, given ? *given : *rule.vocabulary);
  else
    check_same(io::load_dictionary(vocabulary), rule, corpus, "--vocabulary");
}

}  // namespace

void choose_dictionary(const AuditJobOptions& options, const sketch::FingerprintRule& rule, const std::string& corpus,
                       CellInputOptions& reading) {
  check_fingerprint(options, rule, corpus);
  reading.vocabulary = rule.vocabulary;
  reading.gene_metadata = io::gene_metadata_table(options.dictionary);
  if (reading.gene_metadata.empty() && !options.dictionary.empty()) {
    reading.tokens = std::make_shared<const Vocabulary>(io::load_dictionary(options.dictionary));
    check_same(*reading.tokens, rule, corpus, "--dictionary");
  }
  check_vocabulary(options, rule, corpus, reading.tokens.get());
}

}  // namespace scvet::jobs
