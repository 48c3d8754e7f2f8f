#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/jobs/corpus.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

constexpr double kQuantiles[] = {0, .05, .25, .5, .75, .95, 1};

std::int64_t repeats(std::vector<std::uint64_t>& hashes) {
  std::sort(hashes.begin(), hashes.end());
  const auto distinct = std::unique(hashes.begin(), hashes.end()) - hashes.begin();
  return static_cast<std::int64_t>(hashes.size()) - distinct;
}

void count_repeats(const sketch::Corpus& corpus, CorpusInfo& info) {
  std::vector<std::uint64_t> sets, orders, counts;
  for (const sketch::CorpusSource& source : corpus.sources()) {
    for (std::int64_t row = source.first_row; row < source.first_row + source.n_cells; ++row) {
      if (corpus.cell_size(row) == 0) continue;
      const sketch::CellHashes hashes = corpus.hashes(row);
      sets.push_back(hashes.set);
      orders.push_back(hashes.order);
      if (source.has_counts) counts.push_back(hashes.counts);
    }
    throw_if_stopped();
  }
  info.repeated_sets = repeats(sets);
  info.repeated_orders = repeats(orders);
  info.repeated_counts = repeats(counts);
}

std::vector<double> size_quantiles(const sketch::Corpus& corpus) {
  std::vector<std::uint32_t> sizes;
  for (std::int64_t row = 0; row < corpus.n_cells(); ++row) sizes.push_back(corpus.cell_size(row));
  std::sort(sizes.begin(), sizes.end());
  std::vector<double> quantiles;
  if (sizes.empty()) return quantiles;
  for (const double q : kQuantiles) {
    const double at = q * static_cast<double>(sizes.size() - 1), low = std::floor(at);
    const double a = sizes[static_cast<std::size_t>(low)], b = sizes[static_cast<std::size_t>(std::ceil(at))];
    quantiles.push_back(a + (at - low) * (b - a));
  }
  return quantiles;
}

void describe_panels(const sketch::Corpus& corpus, CorpusInfo& info) {
  std::set<std::string> genes;
  for (int panel = 0; panel < static_cast<int>(corpus.panels().size()); ++panel) {
    const GenePanel& found = corpus.panels()[static_cast<std::size_t>(panel)];
    CorpusPanelInfo entry;
    entry.n_genes = found.size();
    entry.n_cells = corpus.panel_cells(panel);
    entry.share_ensembl = found.share_with_ensembl();
    entry.share_symbol = found.share_with_symbol();
    entry.organism = found.organism();
    for (const sketch::CorpusSource& source : corpus.sources()) entry.n_sources += source.panel == panel;
    for (std::uint32_t token = 0; token < found.size(); ++token) genes.insert(found.gene(token).name());
    info.panels.push_back(entry);
  }
  info.n_genes = static_cast<std::int64_t>(genes.size());
}

void count_origins(const sketch::Corpus& corpus, CorpusInfo& info) {
  std::set<std::string> donors, datasets;
  for (std::size_t source = 0; source < corpus.sources().size(); ++source) {
    donors.insert(corpus.donors(source).begin(), corpus.donors(source).end());
    if (corpus.datasets(source).empty())
      datasets.insert(corpus.sources()[source].dataset);
    else
      datasets.insert(corpus.datasets(source).begin(), corpus.datasets(source).end());
  }
  info.n_donors = static_cast<std::int64_t>(donors.size());
  info.n_datasets = static_cast<std::int64_t>(datasets.size());
}

std::string bytes_text(std::int64_t bytes) {
  const char* const kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1000 && unit < 4) size /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string card_line(const json& card, const char* key) {
  if (!card.contains(key)) return "not stated";
  const json& value = card[key];
  if (value.is_string()) return value.get<std::string>();
  std::vector<std::string> parts;
  if (value.is_array())
    for (const json& entry : value) parts.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
  return parts.empty() ? value.dump() : join_some(parts, 4);
}

std::string kinds_text(const CorpusPanelInfo& panel) {
  const bool ids = panel.share_ensembl >= .5, symbols = panel.share_symbol >= .5;
  return ids && symbols ? "Ensembl ids and symbols" : ids ? "Ensembl ids" : "symbols";
}

}  // namespace

CorpusInfo corpus_info(const std::string& path) {
  const auto corpus = sketch::Corpus::open(path);
  CorpusInfo info;
  info.path = path;
  info.digest = corpus->digest();
  info.card_json = corpus->card().to_json();
  info.fingerprint = corpus->rule().kind();
  info.vocabulary = corpus->rule().vocabulary ? corpus->rule().vocabulary->name() : "universe";
  info.top_k = corpus->rule().top_k;
  info.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  info.n_cells = corpus->n_cells();
  info.n_segments = corpus->n_segments();
  info.sources = corpus->sources();
  for (const sketch::CorpusSource& source : info.sources) {
    info.n_empty += source.n_empty;
    info.counts_everywhere = info.counts_everywhere && source.has_counts;
  }
  describe_panels(*corpus, info);
  count_origins(*corpus, info);
  count_repeats(*corpus, info);
  info.genes_quantiles = size_quantiles(*corpus);
  return info;
}

std::string corpus_info_text(const CorpusInfo& info) {
  const json card = json::parse(info.card_json);
  const auto count = [](std::int64_t n) { return format_count(n); };
  std::string text =
      fmt::format("{}  ({}, contents {})\n", info.path, bytes_text(info.file_bytes), info.digest.substr(0, 16));
  text += fmt::format(
      "name         {}\nversion      {}\ncut-off      {}\nsources      {}\ninclusion    {}\nexclusions   {}\n",
      card_line(card, "name"), card_line(card, "version"), card_line(card, "cutoff"), card_line(card, "sources"),
      card_line(card, "inclusion"), card_line(card, "exclusions"));
  text += fmt::format("cells        {} ({} without any gene) in {} segments; {}\n", count(info.n_cells),
                      count(info.n_empty), count(info.n_segments),
                      info.counts_everywhere ? "counts kept" : "some without counts");
  text += fmt::format("origin       files {}, data sets {}, donors named {}\n", info.sources.size(),
                      count(info.n_datasets), count(info.n_donors));
  text += info.fingerprint == "topk"
              ? fmt::format("fingerprint  topk {}, vocabulary {}\n", count(info.top_k), info.vocabulary)
              : std::string("fingerprint  positive: every gene above 0, ranked by count\n");
  if (!info.genes_quantiles.empty())
    text += fmt::format("genes a cell {} / {} / {} / {} / {} / {} / {} (least, 5, 25, 50, 75, 95 %, most)\n",
                        std::llround(info.genes_quantiles[0]), std::llround(info.genes_quantiles[1]),
                        std::llround(info.genes_quantiles[2]), std::llround(info.genes_quantiles[3]),
                        std::llround(info.genes_quantiles[4]), std::llround(info.genes_quantiles[5]),
                        std::llround(info.genes_quantiles[6]));
  text += fmt::format("repeats      {} cells repeat another's set of genes, {} its order, {} its counts\n",
                      count(info.repeated_sets), count(info.repeated_orders), count(info.repeated_counts));
  text += fmt::format("genes        {} over {} panel{}\n", count(info.n_genes), info.panels.size(),
                      info.panels.size() == 1 ? "" : "s");
  constexpr std::size_t kMostLines = 10;
  for (std::size_t panel = 0; panel < std::min(kMostLines, info.panels.size()); ++panel) {
    const CorpusPanelInfo& found = info.panels[panel];
    text += fmt::format("  panel {:<4} {:>8} genes  {}, {}; {} cells, files {}\n", panel, count(found.n_genes),
                        found.organism.empty() ? "organism unknown" : found.organism, kinds_text(found),
                        count(found.n_cells), found.n_sources);
  }
  for (std::size_t at = 0; at < std::min(kMostLines, info.sources.size()); ++at) {
    const sketch::CorpusSource& source = info.sources[at];
    text += fmt::format("  file {:>13} cells  panel {}  {} ({}{})\n", count(source.n_cells), source.panel, source.file,
                        source.matrix,
                        source.has_counts ? ""
                        : source.ranked   ? ", ranks"
                                          : ", no counts");
  }
  if (info.sources.size() > kMostLines)
    text += fmt::format("  ... and {} more files (--json lists all)\n", info.sources.size() - kMostLines);
  return text;
}

std::string corpus_info_json(const CorpusInfo& info) {
  json panels = json::array(), sources = json::array();
  for (const CorpusPanelInfo& panel : info.panels)
    panels.push_back({{"n_genes", panel.n_genes},
                      {"n_cells", panel.n_cells},
                      {"n_sources", panel.n_sources},
                      {"share_ensembl", panel.share_ensembl},
                      {"share_symbol", panel.share_symbol},
                      {"organism", panel.organism}});
  for (const sketch::CorpusSource& source : info.sources)
    sources.push_back({{"file", source.file},
                       {"sha256", source.sha256},
                       {"format", source.format},
                       {"matrix", source.matrix},
                       {"dataset", source.dataset},
                       {"panel", source.panel},
                       {"has_counts", source.has_counts},
                       {"ranked", source.ranked},
                       {"n_cells", source.n_cells},
                       {"n_empty", source.n_empty},
                       {"first_row", source.first_row},
                       {"n_entries", source.n_entries},
                       {"n_outside_vocabulary", source.n_outside},
                       {"n_cut_cells", source.n_cut_cells},
                       {"notes", source.notes}});
  const json all = {{"path", info.path},
                    {"digest", info.digest},
                    {"card", json::parse(info.card_json)},
                    {"fingerprint", info.fingerprint},
                    {"top_k", info.top_k},
                    {"vocabulary", info.vocabulary},
                    {"bytes", info.file_bytes},
                    {"n_cells", info.n_cells},
                    {"n_empty", info.n_empty},
                    {"n_segments", info.n_segments},
                    {"n_genes", info.n_genes},
                    {"n_donors", info.n_donors},
                    {"n_datasets", info.n_datasets},
                    {"counts_everywhere", info.counts_everywhere},
                    {"repeated_sets", info.repeated_sets},
                    {"repeated_orders", info.repeated_orders},
                    {"repeated_counts", info.repeated_counts},
                    {"genes_a_cell", {{"quantiles", kQuantiles}, {"values", info.genes_quantiles}}},
                    {"panels", panels},
                    {"sources", sources}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string verify_corpus(const std::string& path) {
  const auto corpus = sketch::Corpus::open(path);
  const std::vector<sketch::CorpusFault> faults = corpus->verify(1);
  if (!faults.empty())
    throw DataError(faults[0].message, {.file = path, .field = faults[0].section, .reason = "corpus_damaged"});
  return fmt::format(
      "{}: sound; {} cells in {} segments, {} files and {} panels: every checksum, hash and sketch is right", path,
      format_count(corpus->n_cells()), format_count(corpus->n_segments()), corpus->sources().size(),
      corpus->panels().size());
}

}  // namespace scvet::jobs
