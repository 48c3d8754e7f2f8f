// Shares of a file's genes and counts that a model's vocabulary knows.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "check_extra.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/dictionary.h"

namespace scvet::jobs {
namespace {

constexpr std::size_t kUnknownShown = 5;

GeneVocabulary json_vocabulary(const std::string& path) {
  const nlohmann::json content = nlohmann::json::parse(read_file(path), nullptr, false);
  GeneVocabulary vocabulary{stem(path), {}};
  if (content.is_object())
    for (const auto& [gene, value] : content.items()) vocabulary.genes.push_back(gene);
  if (content.is_array())
    for (const auto& gene : content)
      if (gene.is_string()) vocabulary.genes.push_back(gene);
  std::erase_if(vocabulary.genes, [](const std::string& gene) { return gene.empty() || gene.front() == '<'; });
  if (vocabulary.genes.empty())
    throw DataError(path + ": expected a JSON object whose keys are genes, or a list of genes",
                    {.file = path, .reason = "no_vocabulary"});
  return vocabulary;
}

// The name of each gene of the file as the vocabulary would have it; "" where there is none.
std::vector<std::string> names_as(bool ensembl, const GeneNames& names, const std::vector<std::string>& index) {
  if (!ensembl) {
    std::vector<std::string> symbols = names.symbol.empty() ? index : names.symbol;
    for (std::size_t gene = 0; gene < index.size(); ++gene)
      if (symbols[gene].empty()) symbols[gene] = index[gene];
    return symbols;
  }
  std::vector<std::string> ids = names.ensembl.empty() ? std::vector<std::string>(index.size()) : names.ensembl;
  const auto table = NameTable::find_default();
  const std::string organism = names.organism.empty() ? "human" : names.organism;
  for (std::size_t gene = 0; gene < index.size(); ++gene) {
    if (!ids[gene].empty() || !table || names.symbol.empty()) continue;
    ids[gene] = strip_version(table->ensembl(names.symbol[gene], organism).value_or(""));
  }
  return ids;
}

}  // namespace

GeneVocabulary load_gene_vocabulary(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw UsageError("--vocabulary: " + path + " is not there", {.file = path, .field = "--vocabulary"});
  if (lower(path).ends_with(".json")) return json_vocabulary(path);
  const Vocabulary loaded = io::load_dictionary(path);
  GeneVocabulary vocabulary{loaded.name().empty() ? stem(path) : loaded.name(), {}};
  for (const VocabularyGene& gene : loaded.genes()) vocabulary.genes.push_back(gene.gene);
  vocabulary.collapse.assign(loaded.collapse().begin(), loaded.collapse().end());
  return vocabulary;
}

VocabularyShare measure_vocabulary(const GeneVocabulary& vocabulary, const GeneNames& names,
                                   const std::vector<std::string>& index, std::span<const double> totals) {
  const auto ids = std::count_if(vocabulary.genes.begin(), vocabulary.genes.end(),
                                 [](const std::string& gene) { return is_ensembl(gene); });
  const bool ensembl = 2 * ids > static_cast<std::ptrdiff_t>(vocabulary.genes.size());
  std::unordered_set<std::string> known;
  for (const std::string& gene : vocabulary.genes) known.insert(ensembl ? strip_version(gene) : gene);
  for (const auto& [from, to] : vocabulary.collapse) known.insert(from);
  const std::vector<std::string> genes = names_as(ensembl, names, index);
  VocabularyShare share{vocabulary.name, ensembl ? "ensembl" : "symbol",
                        static_cast<std::int64_t>(vocabulary.genes.size())};
  share.n_genes = static_cast<std::int64_t>(genes.size());
  double inside = 0, all = 0;
  std::vector<std::size_t> outside;
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    const bool found = !genes[gene].empty() && known.contains(genes[gene]);
    const double total = totals.empty() ? 0 : totals[gene];
    share.n_known += found;
    all += total;
    if (found)
      inside += total;
    else
      outside.push_back(gene);
  }
  share.share_counts = all > 0 ? inside / all : std::numeric_limits<double>::quiet_NaN();
  std::stable_sort(outside.begin(), outside.end(),
                   [&](std::size_t a, std::size_t b) { return !totals.empty() && totals[a] > totals[b]; });
  for (std::size_t at = 0; at < std::min(kUnknownShown, outside.size()); ++at)
    share.unknown.push_back(index[outside[at]]);
  return share;
}

}  // namespace scvet::jobs
