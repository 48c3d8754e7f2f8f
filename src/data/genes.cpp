#include "scvet/data/genes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace scvet {
namespace {

constexpr std::size_t kSymbolsNeeded = 20;  // fewer names prove no organism
constexpr double kHumanShare = 0.9, kMouseShare = 0.75;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// Length of the id without its version, 0 when `gene` is no Ensembl gene id.
std::size_t id_length(std::string_view gene) {
  std::size_t length = 0;
  if (gene.starts_with("ENS")) {
    std::size_t at = 3;
    while (at < gene.size() && is_upper(gene[at])) ++at;
    if (at > 3 && gene[at - 1] == 'G' && all_digits(gene.substr(at, 11)) && gene.size() >= at + 11) length = at + 11;
  } else if (gene.starts_with("FBgn") && all_digits(gene.substr(4, 7)) && gene.size() >= 11) {
    length = 11;
  } else if (gene.starts_with("WBGene") && all_digits(gene.substr(6, 8)) && gene.size() >= 14) {
    length = 14;
  }
  if (length == 0 || length == gene.size()) return length;
  std::string_view rest = gene.substr(length);
  if (rest.ends_with("_PAR_Y")) rest.remove_suffix(6);
  return rest.empty() || (rest.front() == '.' && all_digits(rest.substr(1))) ? length : 0;
}

// Prefix of an Ensembl gene id and the organism, https://www.ensembl.org/info/genome/stable_ids/prefixes.html
constexpr std::array<std::pair<std::string_view, const char*>, 25> kOrganisms{{
    {"ENSG", "human"},         {"ENSMUSG", "mouse"},       {"ENSRNOG", "rat"},
    {"ENSDARG", "zebrafish"},  {"ENSMMUG", "macaque"},     {"ENSMFAG", "crab-eating macaque"},
    {"ENSPTRG", "chimpanzee"}, {"ENSGGOG", "gorilla"},     {"ENSPPYG", "orangutan"},
    {"ENSCJAG", "marmoset"},   {"ENSMICG", "mouse lemur"}, {"ENSSSCG", "pig"},
    {"ENSBTAG", "cow"},        {"ENSOARG", "sheep"},       {"ENSECAG", "horse"},
    {"ENSCAFG", "dog"},        {"ENSFCAG", "cat"},         {"ENSOCUG", "rabbit"},
    {"ENSCPOG", "guinea pig"}, {"ENSGALG", "chicken"},     {"ENSXETG", "frog"},
    {"ENSCING", "sea squirt"}, {"FBgn", "fruit fly"},      {"WBGene", "roundworm"},
    {"ENSMODG", "opossum"},
}};

int organism_index(std::string_view id) {
  const std::size_t digits = id.find_first_of("0123456789");
  const std::string_view prefix = id.substr(0, digits);
  for (std::size_t at = 0; at < kOrganisms.size(); ++at)
    if (kOrganisms[at].first == prefix) return static_cast<int>(at);
  return -1;
}

enum class SymbolCase { kUpper, kCapital, kOther };

// TP53, C1orf112 and HLA-DRA are upper; Trp53, mt-Nd1 and 4732440D04Rik capital.
SymbolCase symbol_case(std::string_view symbol) {
  if (symbol.starts_with("mt-")) return SymbolCase::kCapital;
  const std::size_t orf = symbol.find("orf");
  if (symbol.front() == 'C' && orf != std::string_view::npos && orf > 1) return SymbolCase::kUpper;
  if (symbol.ends_with("Rik")) return SymbolCase::kCapital;
  const auto uppers = std::count_if(symbol.begin(), symbol.end(), is_upper);
  const auto lowers = std::count_if(symbol.begin(), symbol.end(), is_lower);
  if (uppers + lowers < 2) return SymbolCase::kOther;
  if (lowers == 0) return SymbolCase::kUpper;
  return is_upper(symbol.front()) && lowers >= uppers ? SymbolCase::kCapital : SymbolCase::kOther;
}

// "Gene001", "Gene002", ...: names that a program numbered say nothing about an organism.
bool numbered(const std::vector<std::string_view>& symbols) {
  std::unordered_map<std::string_view, std::size_t> stems;
  std::size_t most = 0;
  for (const std::string_view symbol : symbols) {
    const std::size_t last = symbol.find_last_not_of("0123456789");
    if (last + 1 < symbol.size()) most = std::max(most, ++stems[symbol.substr(0, last + 1)]);
  }
  return 2 * most > symbols.size();
}

std::string organism_of_symbols(const std::vector<std::string>& genes) {
  std::vector<std::string_view> symbols;
  for (const std::string& gene : genes)
    if (!gene.empty() && !all_digits(gene) && id_length(gene) == 0) symbols.push_back(gene);
  if (symbols.size() < kSymbolsNeeded || numbered(symbols)) return "";
  double upper = 0, capital = 0, rik = 0;
  for (const std::string_view symbol : symbols) {
    const SymbolCase found = symbol_case(symbol);
    upper += found == SymbolCase::kUpper;
    capital += found == SymbolCase::kCapital;
    rik += symbol.ends_with("RIK");  // a mouse clone name in upper case
  }
  const auto n = static_cast<double>(symbols.size());
  if (capital >= kMouseShare * n || rik >= 0.005 * n) return "mouse";
  return upper >= kHumanShare * n ? "human" : "";
}

}  // namespace

const char* gene_kind_name(GeneKind kind) {
  switch (kind) {
    case GeneKind::kEnsembl:
      return "ensembl";
    case GeneKind::kSymbol:
      return "symbol";
    case GeneKind::kNumber:
      return "number";
    case GeneKind::kNone:
      return "none";
  }
  return "none";
}

GeneKind classify_genes(const std::vector<std::string>& genes) {
  std::size_t named = 0, ensembl = 0, numbers = 0;
  for (const std::string& gene : genes) {
    if (gene.empty()) continue;
    ++named;
    ensembl += id_length(gene) > 0;
    numbers += all_digits(gene);
  }
  if (named == 0) return GeneKind::kNone;
  if (2 * ensembl >= named) return GeneKind::kEnsembl;
  if (10 * numbers >= 9 * named) return GeneKind::kNumber;
  return GeneKind::kSymbol;
}

std::string strip_version(std::string_view gene) {
  const std::size_t length = id_length(gene);
  if (length == 0 || length == gene.size()) return std::string(gene);
  return std::string(gene.substr(0, length)) + (gene.ends_with("_PAR_Y") ? "_PAR_Y" : "");
}

bool is_ensembl(std::string_view gene) { return id_length(gene) > 0; }

std::string organism_of(const std::vector<std::string>& genes) {
  std::array<std::size_t, kOrganisms.size()> votes{};
  std::size_t ids = 0;
  for (const std::string& gene : genes) {
    if (id_length(gene) == 0) continue;
    ++ids;
    const int organism = organism_index(gene);
    if (organism >= 0) ++votes[static_cast<std::size_t>(organism)];
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  if (ids > 0 && 2 * *best > ids) return kOrganisms[static_cast<std::size_t>(best - votes.begin())].second;
  return ids > 0 ? "" : organism_of_symbols(genes);
}

}  // namespace scvet
