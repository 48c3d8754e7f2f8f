#include "scvet/data/gene_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet {

GenePanel::GenePanel(std::vector<PanelGene> genes, std::string organism)
    : genes_(std::move(genes)), organism_(std::move(organism)) {
  std::sort(genes_.begin(), genes_.end(), [](const PanelGene& a, const PanelGene& b) { return a.name() < b.name(); });
  for (std::size_t at = 1; at < genes_.size(); ++at)
    if (genes_[at].name() == genes_[at - 1].name())
      throw InternalError("gene '" + genes_[at].name() + "' twice in one panel");
}

std::optional<std::uint32_t> GenePanel::find(std::string_view name) const {
  const auto found = std::lower_bound(genes_.begin(), genes_.end(), name,
                                      [](const PanelGene& gene, std::string_view text) { return gene.name() < text; });
  if (found == genes_.end() || found->name() != name) return std::nullopt;
  return static_cast<std::uint32_t>(found - genes_.begin());
}

namespace {
template <typename Has>
double share(const std::vector<PanelGene>& genes, Has has) {
  if (genes.empty()) return 0;
  return static_cast<double>(std::count_if(genes.begin(), genes.end(), has)) / static_cast<double>(genes.size());
}
}  // namespace

double GenePanel::share_with_ensembl() const {
  return share(genes_, [](const PanelGene& gene) { return !gene.ensembl.empty(); });
}

double GenePanel::share_with_symbol() const {
  return share(genes_, [](const PanelGene& gene) { return !gene.symbol.empty(); });
}

std::string GenePanel::to_text() const {
  std::string text;
  for (const PanelGene& gene : genes_) {
    text += gene.ensembl;
    text += '\t';
    text += gene.symbol;
    text += '\n';
  }
  return text;
}

GenePanel GenePanel::from_text(std::string_view text, std::string organism, const std::string& where) {
  std::vector<PanelGene> genes;
  std::int64_t line = 0;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    const std::size_t tab = text.find('\t', at);
    if (end == std::string_view::npos || tab == std::string_view::npos || tab > end)
      throw DataError(fmt::format("{}: gene line {} is not 'ensembl <tab> symbol'", where, line), {.row = line});
    PanelGene gene{std::string(text.substr(at, tab - at)), std::string(text.substr(tab + 1, end - tab - 1))};
    // Sorted in the file, as tokens are positions.
    if (gene.name().empty() || (!genes.empty() && !(genes.back().name() < gene.name())))
      throw DataError(fmt::format("{}: gene line {} is empty, repeated or out of order", where, line), {.row = line});
    genes.push_back(std::move(gene));
    at = end + 1;
  }
  return GenePanel(std::move(genes), std::move(organism));
}

namespace {

// A tab or line end inside a name would break the text forms; no real gene has one.
bool usable(std::string_view name) { return name.find_first_of("\t\n\r") == std::string_view::npos; }

std::vector<PanelGene> named_columns(const GeneNames& names, std::size_t n) {
  std::vector<PanelGene> columns(n);
  for (std::size_t column = 0; column < n; ++column) {
    if (!names.ensembl.empty() && usable(names.ensembl[column])) columns[column].ensembl = names.ensembl[column];
    if (!names.symbol.empty() && usable(names.symbol[column])) columns[column].symbol = names.symbol[column];
  }
  return columns;
}

[[noreturn]] void refuse_duplicate(const std::string& file, const std::string& name, std::size_t first,
                                   std::size_t second) {
  throw DataError(fmt::format("{}: gene '{}' names two columns (var rows {} and {}); pass --duplicate-genes sum to add "
                              "them up, or --duplicate-genes suffix to keep both",
                              file, name, first, second),
                  {.file = file, .row = static_cast<std::int64_t>(second), .gene = name, .reason = "duplicate_genes"});
}

// "GENE-1", "GENE-2", ...: the first that nothing else bears.
void rename(PanelGene& gene, const std::unordered_map<std::string, std::size_t>& taken, std::vector<std::string>& log) {
  const std::string base = gene.name();
  for (int suffix = 1;; ++suffix) {
    const std::string name = fmt::format("{}-{}", base, suffix);
    if (taken.contains(name)) continue;
    (gene.ensembl.empty() ? gene.symbol : gene.ensembl) = name;
    log.push_back(name);
    return;
  }
}

}  // namespace

PanelColumns make_panel(const GeneNames& names, const std::vector<std::string>& var_names,
                        const std::vector<std::uint8_t>& is_gene, DuplicateGenes duplicates, const std::string& file) {
  const std::size_t n = var_names.size();
  std::vector<PanelGene> columns = named_columns(names, n);
  PanelColumns result;
  std::unordered_map<std::string, std::size_t> first_column;  // canonical name -> first column
  std::vector<std::size_t> target(n, n);                      // column that holds the panel gene
  // Renamed genes must not meet a later gene's own name, so original names are all taken first.
  if (duplicates == DuplicateGenes::kSuffix)
    for (std::size_t column = 0; column < n; ++column)
      if (!columns[column].name().empty()) first_column.emplace(columns[column].name(), column);
  std::unordered_set<std::string> summed;
  for (std::size_t column = 0; column < n; ++column) {
    if (!is_gene.empty() && !is_gene[column]) {
      ++result.n_other_features;
      continue;
    }
    if (columns[column].name().empty()) {
      ++result.n_unnamed;
      continue;
    }
    auto [place, fresh] = first_column.emplace(columns[column].name(), column);
    if (!is_gene.empty() && !is_gene[place->second]) place->second = column;
    const std::size_t first = place->second;
    target[column] = first;
    if (fresh || first == column) continue;
    const bool same_name = var_names[first] == var_names[column];
    if (same_name && duplicates == DuplicateGenes::kRefuse) refuse_duplicate(file, var_names[column], first, column);
    if (same_name && duplicates == DuplicateGenes::kSuffix) {
      rename(columns[column], first_column, result.renamed);
      first_column.emplace(columns[column].name(), column);
      target[column] = column;
    } else if (summed.insert(columns[column].name()).second) {
      result.summed.push_back(columns[column].name());
    }
  }
  std::vector<PanelGene> genes;
  for (std::size_t column = 0; column < n; ++column)
    if (target[column] == column) genes.push_back(columns[column]);
  if (genes.empty() && n > 0)
    throw DataError(
        fmt::format("{}: expected gene names (Ensembl ids or symbols) in var, found {} names of kind {}; name "
                    "the var column that holds them with --gene-key",
                    file, n, gene_kind_name(names.index_kind)),
        {.file = file, .field = "var", .reason = "no_gene_names"});
  result.panel = GenePanel(std::move(genes), names.organism);
  result.token_of_column.assign(n, kNoToken);
  for (std::size_t column = 0; column < n; ++column)
    if (target[column] < n) result.token_of_column[column] = *result.panel.find(columns[target[column]].name());
  return result;
}

}  // namespace scvet
