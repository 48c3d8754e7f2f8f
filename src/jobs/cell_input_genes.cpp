#include "cell_input_genes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

constexpr double kMinTableShare = .8;        // audit spec 2
constexpr std::int64_t kFramedCells = 5;     // fewer prove nothing
constexpr std::uint32_t kCls = 2, kEos = 3;  // of Geneformer V2

// Symbols to Ensembl ids, for vocabularies that know only those.
void map_to_ensembl(GeneNames& names, const std::vector<std::uint8_t>& is_gene, const CellInputOptions& options,
                    const std::string& file, CellInputFacts& facts) {
  std::optional<NameTable> found;
  if (!options.names) found = NameTable::find_default();
  const NameTable* const table = options.names ? options.names.get() : found ? &*found : nullptr;
  if (!table)
    throw DataError(
        fmt::format("{}: its genes are symbols, the vocabulary has Ensembl ids, and there is no name table; make "
                    "one with './dev setup', or name one with --gene-table or SCVET_GENE_TABLE",
                    file),
        {.file = file, .field = "var", .reason = "gene_kinds_differ"});
  std::int64_t n_genes = 0, n_known = 0;
  names.ensembl.assign(names.symbol.size(), "");
  for (std::size_t column = 0; column < names.symbol.size(); ++column) {
    if (!is_gene.empty() && !is_gene[column]) continue;
    ++n_genes;
    const auto id = table->ensembl(names.symbol[column], names.organism.empty() ? "human" : names.organism);
    if (!id) continue;
    names.ensembl[column] = strip_version(*id);
    ++n_known;
  }
  facts.table_share = n_genes ? static_cast<double>(n_known) / static_cast<double>(n_genes) : 0;
  facts.table_source = table->source().empty() ? table->path() : table->source();
  if (facts.table_share < kMinTableShare)
    throw DataError(
        fmt::format("{}: only {} of {} gene symbols could be given an Ensembl id by {}; at least {} are needed", file,
                    format_percent(facts.table_share), n_genes, table->path(), format_percent(kMinTableShare, 0)),
        {.file = file, .field = "var", .reason = "genes_not_mapped"});
}

bool mostly_empty(const std::vector<std::string>& names) {
  const auto filled = std::count_if(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); });
  return 2 * filled < static_cast<std::ptrdiff_t>(names.size()) || names.empty();
}

void collapse_ids(GeneNames& names, const Vocabulary& vocabulary, CellInputFacts& facts) {
  for (std::string& id : names.ensembl) {
    const std::string& gene = vocabulary.collapsed(id);
    if (gene == id) continue;
    facts.collapsed.push_back(id);
    id = gene;
  }
}

}  // namespace

PanelColumns name_columns(const Table& var, const CellInputOptions& options, const std::string& file,
                          CellInputFacts& facts) {
  GeneNames names = read_gene_names(var, options.gene_key, file);
  if (facts.format == "parquet" && names.index_kind == GeneKind::kNumber && names.ensembl.empty() &&
      names.symbol.empty())
    throw DataError(
        fmt::format("{}: its genes are the data set's own numbers and no table of them was found beside it; "
                    "name its gene_metadata table (token_id, ensembl_id or gene_symbol) with --dictionary",
                    file),
        {.file = file, .field = "--dictionary", .reason = "no_dictionary"});
  if (!options.organism.empty()) names.organism = lower(options.organism);
  const std::vector<std::uint8_t> is_gene = mark_genes(var);
  if (options.vocabulary) {
    if (mostly_empty(names.ensembl) && !names.symbol.empty() && is_ensembl(options.vocabulary->genes().front().gene))
      map_to_ensembl(names, is_gene, options, file, facts);
    if (!options.vocabulary->collapse().empty()) collapse_ids(names, *options.vocabulary, facts);
  }
  facts.ensembl_from = names.ensembl_from;
  facts.symbol_from = names.symbol_from;
  return make_panel(names, var.names, is_gene, options.duplicate_genes, file);
}

const Vocabulary* token_names(const CellInputOptions& options) {
  return options.tokens ? options.tokens.get() : options.vocabulary.get();
}

TokenColumns name_tokens(std::int64_t n_tokens, const CellInputOptions& options, const std::string& file,
                         CellInputFacts& facts) {
  const Vocabulary* const names = token_names(options);
  if (!names)
    throw DataError(
        fmt::format("{}: it lists tokens, which have no gene names of their own; name the model's "
                    "dictionary with --dictionary (a folder of its pickles, or a file of gene, token, median)",
                    file),
        {.file = file, .field = "--dictionary", .reason = "no_dictionary"});
  if (n_tokens > names->size())
    throw DataError(
        fmt::format("{}: its tokens go up to {}, the dictionary {} has tokens up to {}: it is the dictionary "
                    "of another model",
                    file, n_tokens - 1, names->name(), names->largest_token()),
        {.file = file, .field = "--dictionary", .reason = "dictionary_differs"});
  TokenColumns tokens;
  std::vector<PanelGene> genes;
  for (const VocabularyGene& gene : names->genes())
    genes.push_back(is_ensembl(gene.gene) ? PanelGene{gene.gene, ""} : PanelGene{"", gene.gene});
  std::vector<std::string> all;
  for (const VocabularyGene& gene : names->genes()) all.push_back(gene.gene);
  tokens.columns.panel =
      GenePanel(std::move(genes), options.organism.empty() ? organism_of(all) : lower(options.organism));
  tokens.columns.token_of_column.assign(static_cast<std::size_t>(n_tokens), kNoToken);
  tokens.special.assign(static_cast<std::size_t>(n_tokens), 0);
  for (const VocabularyGene& gene : names->genes())
    if (gene.token < n_tokens)
      tokens.columns.token_of_column[static_cast<std::size_t>(gene.token)] = *tokens.columns.panel.find(gene.gene);
  for (const SpecialToken& token : names->special_tokens())
    if (token.token < n_tokens) tokens.special[static_cast<std::size_t>(token.token)] = 1;
  (is_ensembl(names->genes().front().gene) ? facts.ensembl_from : facts.symbol_from) = "dictionary " + names->name();
  return tokens;
}

void check_framing(const CellChunk& chunk, const Vocabulary& tokens, const std::string& file) {
  if (tokens.is_special(kCls) || tokens.is_special(kEos)) return;
  std::int64_t framed = 0;
  for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
    const auto from = chunk.indptr[static_cast<std::size_t>(cell)],
               to = chunk.indptr[static_cast<std::size_t>(cell) + 1];
    if (from == to) continue;
    const auto [last, first] = std::minmax_element(chunk.values.begin() + from, chunk.values.begin() + to);
    const auto gene_at = [&](auto value) {
      return chunk.genes[static_cast<std::size_t>(value - chunk.values.begin())];
    };
    if (gene_at(first) != kCls || gene_at(last) != kEos) return;
    ++framed;
  }
  if (framed >= kFramedCells)
    throw DataError(
        fmt::format("{}: each of the first {} cells begins with token {} and ends with token {}, as "
                    "Geneformer V2 frames its cells (<cls>, <eos>), but these are genes of the dictionary {}; "
                    "name the dictionary of V2",
                    file, framed, kCls, kEos, tokens.name()),
        {.file = file, .field = "--dictionary", .reason = "dictionary_differs"});
}

}  // namespace scvet::jobs
