#include "prepare_genes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `from`: a column, or "index", which some files also have as a column.
std::vector<std::string> texts_of(const Table& var, const std::string& from, GeneKind kind) {
  if (from.empty()) return std::vector<std::string>(var.names.size());
  const Column* column = var.find(from);
  if (!column || (from == "index" && classify_genes(var.names) == kind)) return var.names;
  std::vector<std::string> texts;
  texts.reserve(var.names.size());
  for (std::int64_t row = 0; row < column->size(); ++row) texts.push_back(column->text(row));
  return texts;
}

// Where the symbols are: the column asked for, else what the names themselves tell.
std::string symbol_source(const Table& var, const GeneNames& names, const PrepareOptions& options,
                          const std::string& file, GeneChoice& choice) {
  if (var.find(options.symbol_key)) return options.symbol_key;
  if (options.symbol_key_given) require_column(var, options.symbol_key, file, "--symbol-key");
  if (names.symbol_from.empty())
    choice.notes.push_back(fmt::format("var has no column '{}' and no other column of symbols", options.symbol_key));
  else
    choice.notes.push_back(fmt::format("var has no column '{}'; symbols are taken from {}", options.symbol_key,
                                       names.symbol_from == "index" ? "the index" : "column " + names.symbol_from));
  return names.symbol_from;
}

// The ids as they are written, versions included; the index first, as it is where ids are published.
std::vector<std::string> original_ids(const Table& var, const std::string& from) {
  if (from.empty()) return {};
  std::vector<std::string> ids = texts_of(var, from, GeneKind::kEnsembl);
  const Column* own = var.find("ensembl_id");  // of a file that was prepared before: its index is symbols and ids
  for (std::size_t gene = 0; gene < ids.size(); ++gene) {
    if (is_ensembl(ids[gene])) continue;
    ids[gene] = is_ensembl(var.names[gene]) ? var.names[gene] : "";
    if (!own || !ids[gene].empty()) continue;
    const std::string known = own->text(static_cast<std::int64_t>(gene));
    if (is_ensembl(known)) ids[gene] = known;
  }
  return ids;
}

}  // namespace

bool looks_like_ensembl(std::string_view name) {
  if (!name.starts_with("ENS")) return false;
  std::size_t at = 3;
  while (at < name.size() && name[at] >= 'A' && name[at] <= 'Z') ++at;
  if (at == 3 || name[at - 1] != 'G') return false;
  const std::size_t digits = at;
  while (at < name.size() && is_digit(name[at])) ++at;
  if (at - digits < 6) return false;
  return at == name.size() || (name[at] == '.' && at + 1 < name.size() &&
                               std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 1, name.end(), is_digit));
}

bool ends_in_version(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && last + 1 < name.size() && name[last] == '.';
}

GeneChoice choose_gene_names(const Table& var, const PrepareOptions& options, const std::string& file) {
  GeneChoice choice;
  const GeneNames found = read_gene_names(var, "", file);
  choice.symbol_from = symbol_source(var, found, options, file, choice);
  choice.ensembl_from = found.ensembl_from;
  const std::vector<std::string> symbols = texts_of(var, choice.symbol_from, GeneKind::kSymbol);
  choice.ensembl = original_ids(var, choice.ensembl_from);
  if (found.index_kind == GeneKind::kNumber)
    choice.notes.push_back(fmt::format("the index only numbers the genes ({}, ...), as some converters leave them",
                                       var.names.empty() ? "" : var.names.front()));
  for (std::size_t gene = 0; gene < symbols.size(); ++gene) {
    const std::string& symbol = symbols[gene];
    const bool unusable = symbol.empty() || looks_like_ensembl(symbol);
    const bool versioned = !unusable && ends_in_version(symbol);
    choice.n_unusable += unusable;
    choice.n_versioned += versioned;
    const std::string id = choice.ensembl.empty() ? "" : choice.ensembl[gene];
    if (!unusable && (!versioned || options.keep_versioned)) {
      choice.names.push_back(symbol);
      ++choice.n_symbol;
    } else if (!id.empty()) {
      choice.names.push_back(id);
      ++choice.n_ensembl;
    } else {
      choice.names.push_back(symbol.empty() ? var.names[gene] : symbol);
      ++choice.n_no_fallback;
    }
    choice.n_changed += choice.names.back() != var.names[gene];
  }
  return choice;
}

void require_distinct_genes(const GeneChoice& choice, const Table& var, const std::string& file) {
  std::map<std::string, std::vector<std::string>> genes;
  for (std::size_t gene = 0; gene < choice.names.size(); ++gene) genes[choice.names[gene]].push_back(var.names[gene]);
  std::vector<std::string> repeated;
  for (const auto& [name, originals] : genes)
    if (originals.size() > 1) repeated.push_back(fmt::format("{} ({})", name, join(originals, ", ")));
  if (repeated.empty()) return;
  throw DataError(
      fmt::format("{}: {} gene names would stand more than once, and none is invented or dropped: {}; correct these "
                  "entries of var['{}'] in the file, or name another column with --symbol-key",
                  file, repeated.size(), join(repeated, "; "),
                  choice.symbol_from == "index" ? "_index" : choice.symbol_from),
      {.file = file, .field = "var", .reason = "duplicate_genes"});
}

}  // namespace scvet::jobs
