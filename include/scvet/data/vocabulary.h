// The genes a model knows, with its token and median for each: what rank encoding needs.
#pragma once

#include <cstdint>
#include <map>
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

struct SpecialToken {
  std::string name;  // "<pad>", "<mask>", "<cls>", "<eos>"
  std::int64_t token = 0;
};

// Told by the special tokens: Geneformer V1 has <pad> and <mask>, V2 also <cls> and <eos>, which frame each cell.
enum class VocabularyKind { kOther, kGeneformerV1, kGeneformerV2 };
const char* vocabulary_kind_name(VocabularyKind kind);  // other, geneformer-v1, geneformer-v2

// Gene id -> the id of the vocabulary that stands for it (V2 collapses Ensembl ids). Only ids that differ.
using CollapseMap = std::map<std::string, std::string, std::less<>>;

// Text form: a header line "gene \t token \t median", then one gene a line; '#' lines are notes. Entries whose name
// begins with '<' are special tokens: they take no part in sets or ranks. "#> id \t gene" lines are the collapse map.
class Vocabulary {
 public:
  static Vocabulary load(const std::string& path);
  static Vocabulary parse(std::string_view text, const std::string& where);
  // DataError when a token or a gene stands twice, a median is not above 0, or an id collapses to an unknown gene.
  explicit Vocabulary(std::vector<VocabularyGene> genes, std::string name = {}, std::vector<SpecialToken> special = {},
                      CollapseMap collapse = {});
  const VocabularyGene* find(std::string_view gene) const;             // null when unknown
  const std::vector<VocabularyGene>& genes() const { return genes_; }  // ascending token, special tokens left out
  const std::vector<SpecialToken>& special_tokens() const { return special_; }  // ascending token; empty: not stated
  bool is_special(std::int64_t token) const;
  std::int64_t largest_token() const;                           // special ones included
  std::int64_t size() const { return largest_token() + 1; }     // tokens 0..size()-1; some may be unused
  std::vector<std::string> token_names() const;                 // size() of them, "" where unused
  const CollapseMap& collapse() const { return collapse_; }     // empty: ids stand for themselves
  const std::string& collapsed(const std::string& gene) const;  // what `gene` collapses to, or itself
  VocabularyKind kind() const;                                  // kOther where no special tokens are stated
  std::int64_t default_top_k() const;                           // 2048; V2: 4096 less <cls> and <eos>
  const std::string& name() const { return name_; }             // the file's stem
  std::string to_text() const;                                  // canonical: the same content gives the same text
  // SHA-256 of genes, tokens, medians and collapse map: what decides about fingerprints. Special tokens take no part.
  std::string digest() const;

 private:
  void check_special() const;
  std::string genes_text() const;
  std::string collapse_text() const;
  std::vector<VocabularyGene> genes_;
  std::string name_;
  std::vector<SpecialToken> special_;
  CollapseMap collapse_;
  std::unordered_map<std::string, std::size_t> by_gene_;
};

}  // namespace scvet
