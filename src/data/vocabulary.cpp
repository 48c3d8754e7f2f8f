#include "scvet/data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/data/genes.h"

namespace scvet {
namespace {

constexpr std::int64_t kMostTokens = 1 << 24;  // of a model; real ones have some 25,000

constexpr const char* kHeader = "gene\ttoken\tmedian";

[[noreturn]] void bad_line(const std::string& where, std::int64_t line, const std::string& why) {
  throw DataError(fmt::format("{}: line {}: {}; expected 'gene <tab> token <tab> median'", where, line, why),
                  {.file = where, .row = line, .reason = "vocabulary"});
}

// "#> ENSG00000000001 \t ENSG00000000002": a note to readers that know no collapse map.
constexpr std::string_view kCollapse = "#>";

SpecialToken parse_special(const std::vector<std::string>& fields, const std::string& where, std::int64_t line) {
  const auto token = fields.size() < 2 ? std::nullopt : parse_integer(trim(fields[1]));
  if (!token || *token < 0) bad_line(where, line, "no token of '" + fields[0] + "'");
  return {fields[0], *token};
}

}  // namespace

const char* vocabulary_kind_name(VocabularyKind kind) {
  switch (kind) {
    case VocabularyKind::kGeneformerV1:
      return "geneformer-v1";
    case VocabularyKind::kGeneformerV2:
      return "geneformer-v2";
    case VocabularyKind::kOther:
      return "other";
  }
  return "other";
}

Vocabulary::Vocabulary(std::vector<VocabularyGene> genes, std::string name, std::vector<SpecialToken> special,
                       CollapseMap collapse)
    : genes_(std::move(genes)), name_(std::move(name)), special_(std::move(special)), collapse_(std::move(collapse)) {
  std::sort(special_.begin(), special_.end(),
            [](const SpecialToken& a, const SpecialToken& b) { return a.token < b.token; });
  std::sort(genes_.begin(), genes_.end(),
            [](const VocabularyGene& a, const VocabularyGene& b) { return a.token < b.token; });
  for (std::size_t at = 0; at < genes_.size(); ++at) {
    const VocabularyGene& gene = genes_[at];
    const std::string where = "vocabulary " + name_;
    if (at > 0 && genes_[at - 1].token == gene.token)
      throw DataError(
          fmt::format("{}: token {} stands for both '{}' and '{}'", where, gene.token, genes_[at - 1].gene, gene.gene),
          {.file = name_, .gene = gene.gene});
    if (!by_gene_.emplace(gene.gene, at).second)
      throw DataError(fmt::format("{}: gene '{}' stands there twice", where, gene.gene),
                      {.file = name_, .gene = gene.gene});
    if (!std::isfinite(gene.median) || gene.median <= 0)
      throw DataError(fmt::format("{}: the median of '{}' is {}, expected a number above 0", where, gene.gene,
                                  format_number(gene.median)),
                      {.file = name_, .gene = gene.gene});
  }
  check_special();
  for (const auto& [id, gene] : collapse_)
    if (!find(gene))
      throw DataError(fmt::format("vocabulary {}: '{}' stands for '{}', which it does not know", name_, id, gene),
                      {.file = name_, .gene = id});
}

// Special tokens share no token with one another or with a gene.
void Vocabulary::check_special() const {
  for (std::size_t at = 0; at < special_.size(); ++at) {
    const SpecialToken& token = special_[at];
    const auto gene = std::lower_bound(genes_.begin(), genes_.end(), token.token,
                                       [](const VocabularyGene& a, std::int64_t b) { return a.token < b; });
    const std::string other = at > 0 && special_[at - 1].token == token.token      ? special_[at - 1].name
                              : gene != genes_.end() && gene->token == token.token ? gene->gene
                                                                                   : "";
    if (!other.empty())
      throw DataError(
          fmt::format("vocabulary {}: token {} stands for both '{}' and '{}'", name_, token.token, other, token.name),
          {.file = name_, .gene = token.name});
  }
}

Vocabulary Vocabulary::parse(std::string_view text, const std::string& where) {
  std::vector<VocabularyGene> genes;
  std::vector<SpecialToken> special;
  CollapseMap collapse;
  std::int64_t line_number = 0;
  bool header = false;
  for (const std::string& raw : split(text, '\n')) {
    ++line_number;
    const std::string_view line = trim(raw);
    if (line.starts_with(kCollapse)) {
      const std::vector<std::string> fields = split(trim(line.substr(kCollapse.size())), '\t');
      if (fields.size() != 2 || fields[0].empty() || fields[1].empty())
        bad_line(where, line_number, "not two ids after '#>'");
      if (!collapse.emplace(fields[0], fields[1]).second)
        bad_line(where, line_number, "'" + fields[0] + "' stands there twice");
      continue;
    }
    if (line.empty() || line.front() == '#') continue;
    if (!header) {
      if (line != kHeader) bad_line(where, line_number, "no header");
      header = true;
      continue;
    }
    const std::vector<std::string> fields = split(line, '\t');
    if (fields[0].starts_with('<')) {
      special.push_back(parse_special(fields, where, line_number));
      continue;
    }
    if (fields.size() != 3) bad_line(where, line_number, fmt::format("{} fields", fields.size()));
    const auto token = parse_integer(fields[1]);
    const auto median = parse_number(fields[2]);
    if (fields[0].empty() || !token || *token < 0 || !median)
      bad_line(where, line_number, "not a gene, token and median");
    genes.push_back({strip_version(fields[0]), *token, *median});
  }
  if (genes.empty()) throw DataError(where + ": no gene in this vocabulary", {.file = where, .reason = "vocabulary"});
  return Vocabulary(std::move(genes), stem(where), std::move(special), std::move(collapse));
}

Vocabulary Vocabulary::load(const std::string& path) { return parse(read_file(path), path); }

const VocabularyGene* Vocabulary::find(std::string_view gene) const {
  const auto found = by_gene_.find(std::string(gene));
  return found == by_gene_.end() ? nullptr : &genes_[found->second];
}

bool Vocabulary::is_special(std::int64_t token) const {
  return std::any_of(special_.begin(), special_.end(),
                     [&](const SpecialToken& special) { return special.token == token; });
}

std::int64_t Vocabulary::largest_token() const {
  return std::max(genes_.empty() ? -1 : genes_.back().token, special_.empty() ? -1 : special_.back().token);
}

std::vector<std::string> Vocabulary::token_names() const {
  if (size() > kMostTokens)
    throw DataError(fmt::format("vocabulary {}: its largest token is {}; lists of tokens up to {} can be named", name_,
                                largest_token(), kMostTokens - 1),
                    {.file = name_, .reason = "vocabulary"});
  std::vector<std::string> names(static_cast<std::size_t>(size()));
  for (const VocabularyGene& gene : genes_) names[static_cast<std::size_t>(gene.token)] = gene.gene;
  for (const SpecialToken& token : special_) names[static_cast<std::size_t>(token.token)] = token.name;
  return names;
}

const std::string& Vocabulary::collapsed(const std::string& gene) const {
  const auto found = collapse_.find(gene);
  return found == collapse_.end() ? gene : found->second;
}

VocabularyKind Vocabulary::kind() const {
  const auto has = [&](std::string_view name) {
    return std::any_of(special_.begin(), special_.end(), [&](const SpecialToken& token) { return token.name == name; });
  };
  if (!has("<pad>") || !has("<mask>") || has("<cls>") != has("<eos>")) return VocabularyKind::kOther;
  return has("<cls>") ? VocabularyKind::kGeneformerV2 : VocabularyKind::kGeneformerV1;
}

std::int64_t Vocabulary::default_top_k() const { return kind() == VocabularyKind::kGeneformerV2 ? 4096 - 2 : 2048; }

std::string Vocabulary::genes_text() const {
  std::string text;
  for (const VocabularyGene& gene : genes_)
    text += fmt::format("{}\t{}\t{}\n", gene.gene, gene.token, format_number(gene.median));
  return text;
}

std::string Vocabulary::collapse_text() const {
  std::string text;
  for (const auto& [id, gene] : collapse_) text += fmt::format("{} {}\t{}\n", kCollapse, id, gene);
  return text;
}

std::string Vocabulary::to_text() const {
  std::string text = std::string(kHeader) + "\n";
  for (const SpecialToken& token : special_) text += fmt::format("{}\t{}\n", token.name, token.token);
  return text + genes_text() + collapse_text();
}

std::string Vocabulary::digest() const { return sha256(std::string(kHeader) + "\n" + genes_text() + collapse_text()); }

}  // namespace scvet
