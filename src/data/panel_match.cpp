// How two panels meet: on Ensembl ids, on symbols, or on ids that a name table gives for symbols.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/data/gene_panel.h"
#include "scvet/data/vocabulary.h"

namespace scvet {
namespace {

constexpr double kMinTableShare = .8;  // of symbols that the name table must know (audit spec 2)
constexpr double kMinKindShare = .5;   // a panel "has" a kind of name when most genes do

// Key of each gene, "" where it has none.
using Keys = std::vector<std::string>;

Keys ensembl_keys(const GenePanel& panel) {
  Keys keys(panel.size());
  for (std::uint32_t token = 0; token < panel.size(); ++token) keys[token] = panel.gene(token).ensembl;
  return keys;
}

Keys symbol_keys(const GenePanel& panel) {
  Keys keys(panel.size());
  for (std::uint32_t token = 0; token < panel.size(); ++token) keys[token] = panel.gene(token).symbol;
  return keys;
}

Keys table_keys(const GenePanel& panel, const NameTable& table, const std::string& organism, double& known_share) {
  Keys keys(panel.size());
  std::int64_t known = 0;
  for (std::uint32_t token = 0; token < panel.size(); ++token) {
    const PanelGene& gene = panel.gene(token);
    if (!gene.ensembl.empty())
      keys[token] = gene.ensembl;
    else if (const auto id = table.ensembl(gene.symbol, organism))
      keys[token] = strip_version(*id);
    known += !keys[token].empty();
  }
  known_share = panel.size() ? static_cast<double>(known) / panel.size() : 0;
  return keys;
}

std::string examples(const GenePanel& panel) {
  std::vector<std::string> names;
  for (std::uint32_t token = 0; token < std::min(panel.size(), 3u); ++token) names.push_back(panel.gene(token).name());
  return join(names, ", ");
}

std::string kind_of(const GenePanel& panel) {
  const bool ids = panel.share_with_ensembl() >= kMinKindShare, symbols = panel.share_with_symbol() >= kMinKindShare;
  return ids && symbols ? "Ensembl ids and symbols" : ids ? "Ensembl ids" : symbols ? "symbols" : "mixed names";
}

// Keys that several genes of one side bear stand for no single gene: left out on both sides.
void drop_ambiguous(Keys& keys, PanelMatch& match) {
  std::map<std::string, int> seen;
  for (const std::string& key : keys)
    if (!key.empty()) ++seen[key];
  for (std::string& key : keys) {
    if (key.empty() || seen[key] == 1) continue;
    ++match.n_ambiguous;
    if (match.ambiguous.size() < 8 &&
        std::find(match.ambiguous.begin(), match.ambiguous.end(), key) == match.ambiguous.end())
      match.ambiguous.push_back(key);
    key.clear();
  }
}

void note_summed(const Keys& keys, const std::vector<std::string>& universe, PanelMatch& match, TokenMap& map) {
  std::vector<int> members(universe.size(), 0);
  for (std::size_t token = 0; token < keys.size(); ++token)
    if (map.to_universe[token] >= 0) ++members[static_cast<std::size_t>(map.to_universe[token])];
  for (std::size_t gene = 0; gene < universe.size(); ++gene) {
    if (members[gene] < 2) continue;
    map.merges = true;
    match.summed.push_back(universe[gene]);
  }
}

TokenMap map_to(const Keys& keys, const std::vector<std::string>& universe) {
  TokenMap map;
  map.to_universe.assign(keys.size(), -1);
  for (std::size_t token = 0; token < keys.size(); ++token) {
    if (keys[token].empty()) continue;
    const auto found = std::lower_bound(universe.begin(), universe.end(), keys[token]);
    if (found != universe.end() && *found == keys[token])
      map.to_universe[token] = static_cast<std::int32_t>(found - universe.begin());
  }
  return map;
}

double mapped_share(const TokenMap& map) {
  if (map.to_universe.empty()) return 0;
  const auto inside =
      std::count_if(map.to_universe.begin(), map.to_universe.end(), [](std::int32_t at) { return at >= 0; });
  return static_cast<double>(inside) / static_cast<double>(map.to_universe.size());
}

Keys sorted_distinct(Keys keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  if (!keys.empty() && keys.front().empty()) keys.erase(keys.begin());
  return keys;
}

void check_organisms(const GenePanel& a, const GenePanel& b, const MatchOptions& options) {
  if (a.organism().empty() || b.organism().empty() || a.organism() == b.organism()) return;
  throw DataError(fmt::format("organisms differ: the {} is {} (genes {}), the {} is {} (genes {}); sets of different "
                              "organisms cannot be compared. If the guess is wrong, pass --organism",
                              options.name_a, a.organism(), examples(a), options.name_b, b.organism(), examples(b)),
                  {.field = "organism", .reason = "organism_mismatch"});
}

struct SideKeys {
  Keys a, b;
};

SideKeys keys_through_table(const GenePanel& a, const GenePanel& b, const MatchOptions& options, PanelMatch& match) {
  if (!options.names)
    throw DataError(
        fmt::format("the {} names its genes by {} ({}), the {} by {} ({}): only like meets like without a "
                    "name table; make one with './dev setup' or set SCVET_GENE_TABLE to a file of 'ensembl_id "
                    "<tab> symbol <tab> organism' lines",
                    options.name_a, kind_of(a), examples(a), options.name_b, kind_of(b), examples(b)),
        {.field = "genes", .reason = "gene_kinds_differ"});
  const std::string organism = a.organism().empty() ? b.organism() : a.organism();
  double share_a = 1, share_b = 1;
  SideKeys keys{table_keys(a, *options.names, organism, share_a), table_keys(b, *options.names, organism, share_b)};
  match.key = "name_table";
  match.table_source = options.names->source();
  match.table_share = std::min(share_a, share_b);
  if (match.table_share < kMinTableShare) {
    const bool first = share_a < share_b;
    throw DataError(
        fmt::format("only {} of the {} genes of the {} ({}) could be given an Ensembl id by the name table {}; "
                    "at least {} are needed. Are these genes of {}?",
                    format_percent(match.table_share), first ? a.size() : b.size(),
                    first ? options.name_a : options.name_b, first ? examples(a) : examples(b), options.names->path(),
                    format_percent(kMinTableShare, 0), organism.empty() ? "an organism that the table has" : organism),
        {.field = "genes", .reason = "genes_not_mapped"});
  }
  return keys;
}

// Universe genes that the vocabulary lacks under every name they have.
void keep_known(SideKeys& keys, const GenePanel& a, const GenePanel& b, const Vocabulary& vocabulary) {
  const auto keep = [&](Keys& side, const GenePanel& panel) {
    for (std::uint32_t token = 0; token < panel.size(); ++token) {
      const PanelGene& gene = panel.gene(token);
      if (!vocabulary.find(gene.name()) && !vocabulary.find(gene.symbol) && !vocabulary.find(side[token]))
        side[token].clear();
    }
  };
  keep(keys.a, a);
  keep(keys.b, b);
}

}  // namespace

PanelMatch match_panels(const GenePanel& a, const GenePanel& b, const MatchOptions& options) {
  check_organisms(a, b, options);
  PanelMatch match;
  SideKeys keys;
  if (a.share_with_ensembl() >= kMinKindShare && b.share_with_ensembl() >= kMinKindShare) {
    match.key = "ensembl";
    keys = {ensembl_keys(a), ensembl_keys(b)};
  } else if (a.share_with_symbol() >= kMinKindShare && b.share_with_symbol() >= kMinKindShare) {
    match.key = "symbol";
    keys = {symbol_keys(a), symbol_keys(b)};
    drop_ambiguous(keys.a, match);
    drop_ambiguous(keys.b, match);
  } else {
    keys = keys_through_table(a, b, options, match);
  }
  if (options.vocabulary) keep_known(keys, a, b, *options.vocabulary);
  const Keys all_a = sorted_distinct(keys.a), all_b = sorted_distinct(keys.b);
  std::set_intersection(all_a.begin(), all_a.end(), all_b.begin(), all_b.end(), std::back_inserter(match.genes));
  if (match.genes.empty())
    throw DataError(
        fmt::format("the {} ({} genes: {}) and the {} ({} genes: {}) share no gene{}", options.name_a, a.size(),
                    examples(a), options.name_b, b.size(), examples(b), options.vocabulary ? " of the vocabulary" : ""),
        {.field = "genes", .reason = "no_shared_gene"});
  match.a = map_to(keys.a, match.genes);
  match.b = map_to(keys.b, match.genes);
  note_summed(keys.a, match.genes, match, match.a);
  note_summed(keys.b, match.genes, match, match.b);
  match.share_a = mapped_share(match.a);
  match.share_b = mapped_share(match.b);
  return match;
}

double share_on_universe(const TokenMap& map, std::span<const double> per_gene) {
  double inside = 0, all = 0;
  for (std::size_t token = 0; token < per_gene.size(); ++token) {
    all += per_gene[token];
    if (map.to_universe[token] >= 0) inside += per_gene[token];
  }
  return all > 0 ? inside / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace scvet
