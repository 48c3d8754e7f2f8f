// The genes a model knows, with its token and median for each: what rank encoding needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace scvet {

struct VocabularyGene {
  std::string gene;  // Ensembl id (version stripped) or symbol
  std::int64_t token = 0;
  double median = 1;  // of the non-zero normalised values over the model's own corpus
};

// Text form: a header line "gene \t token \t median", then one gene a line; '#' lines are notes. Entries whose name
// begins with '<' are special tokens: they take no part in sets or ranks.
class Vocabulary {
 public:
  static Vocabulary load(const std::string& path);
  static Vocabulary parse(std::string_view text, const std::string& where);
  explicit Vocabulary(std::vector<VocabularyGene> genes, std::string name = {});
  const VocabularyGene* find(std::string_view gene) const;             // null when unknown
  const std::vector<VocabularyGene>& genes() const { return genes_; }  // ascending token, special tokens left out
  const std::string& name() const { return name_; }                    // the file's stem
  std::string to_text() const;                                         // canonical: the same genes give the same text
  std::string digest() const;                                          // SHA-256 of to_text()

 private:
  std::vector<VocabularyGene> genes_;
  std::string name_;
  std::unordered_map<std::string, std::size_t> by_gene_;
};

}  // namespace scvet
