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

constexpr const char* kHeader = "gene\ttoken\tmedian";

[[noreturn]] void bad_line(const std::string& where, std::int64_t line, const std::string& why) {
  throw DataError(fmt::format("{}: line {}: {}; expected 'gene <tab> token <tab> median'", where, line, why),
                  {.file = where, .row = line, .reason = "vocabulary"});
}

}  // namespace

Vocabulary::Vocabulary(std::vector<VocabularyGene> genes, std::string name)
    : genes_(std::move(genes)), name_(std::move(name)) {
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
}

Vocabulary Vocabulary::parse(std::string_view text, const std::string& where) {
  std::vector<VocabularyGene> genes;
  std::int64_t line_number = 0;
  bool header = false;
  for (const std::string& raw : split(text, '\n')) {
    ++line_number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    if (!header) {
      if (line != kHeader) bad_line(where, line_number, "no header");
      header = true;
      continue;
    }
    const std::vector<std::string> fields = split(line, '\t');
    if (fields[0].starts_with('<')) continue;  // <pad>, <mask>, ...
    if (fields.size() != 3) bad_line(where, line_number, fmt::format("{} fields", fields.size()));
    const auto token = parse_integer(fields[1]);
    const auto median = parse_number(fields[2]);
    if (fields[0].empty() || !token || *token < 0 || !median)
      bad_line(where, line_number, "not a gene, token and median");
    genes.push_back({strip_version(fields[0]), *token, *median});
  }
  if (genes.empty()) throw DataError(where + ": no gene in this vocabulary", {.file = where, .reason = "vocabulary"});
  return Vocabulary(std::move(genes), stem(where));
}

Vocabulary Vocabulary::load(const std::string& path) { return parse(read_file(path), path); }

const VocabularyGene* Vocabulary::find(std::string_view gene) const {
  const auto found = by_gene_.find(std::string(gene));
  return found == by_gene_.end() ? nullptr : &genes_[found->second];
}

std::string Vocabulary::to_text() const {
  std::string text = std::string(kHeader) + "\n";
  for (const VocabularyGene& gene : genes_)
    text += fmt::format("{}\t{}\t{}\n", gene.gene, gene.token, format_number(gene.median));
  return text;
}

std::string Vocabulary::digest() const { return sha256(to_text()); }

}  // namespace scvet
