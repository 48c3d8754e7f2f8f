#include "audit_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/sketch/fingerprint.h"

namespace scvet::jobs {
namespace {

void append(RankedCells& all, const RankedCells& more) {
  const std::int64_t start = all.offsets.back();
  all.tokens.insert(all.tokens.end(), more.tokens.begin(), more.tokens.end());
  all.values.insert(all.values.end(), more.values.begin(), more.values.end());
  for (std::size_t cell = 1; cell < more.offsets.size(); ++cell) all.offsets.push_back(start + more.offsets[cell]);
}

// The column's codes for the chosen cells; empty when the column is missing and was not asked for by the user.
void annotate(const BenchmarkFile& file, const std::vector<std::int64_t>& rows, const std::string& key, bool given,
              const char* flag, std::vector<std::string>& levels, std::vector<std::int32_t>& codes) {
  const Table& obs = file.input->obs();
  if (key.empty() || (!given && !obs.find(key))) return;
  std::vector<std::int32_t> all;
  levels = require_column(obs, key, file.path, flag).levels(all);
  for (const std::int64_t cell : rows) codes.push_back(all[static_cast<std::size_t>(file.input->file_row(cell))]);
}

std::string describe_panel(const sketch::Corpus& corpus, int panel) {
  std::vector<std::string> files;
  for (const sketch::CorpusSource& source : corpus.sources())
    if (source.panel == panel) files.push_back(base_name(source.file));
  return fmt::format("panel of {} genes ({})", format_count(corpus.panels()[static_cast<std::size_t>(panel)].size()),
                     join_some(files, 3));
}

// Two panels share one search when the benchmark's side and the universe are the same.
std::string universe_key(const PanelMatch& match) {
  Sha256 digest;
  for (const std::string& gene : match.genes) {
    digest.update(gene);
    digest.update(std::string_view("\n"));
  }
  digest.update(std::as_bytes(std::span(match.a.to_universe)));
  return digest.finish();
}

}  // namespace

BenchmarkFile load_benchmark(const std::string& path, const CellInputOptions& options,
                             const sketch::FingerprintRule& rule) {
  BenchmarkFile file;
  file.path = path;
  file.input = CellInput::open(path, options);
  const RankPolicy policy = rule.policy(file.input->panel(), file.input->ranked());
  const std::int64_t n_cells = file.input->n_cells();
  ProgressScope progress("reading " + base_name(path), n_cells);
  CellBatch batch;
  RankedCells ranked;
  for (std::int64_t first = 0; first < n_cells; first += file.input->chunk_cells()) {
    throw_if_stopped();
    const std::int64_t count = std::min(file.input->chunk_cells(), n_cells - first);
    file.input->read(first, count, batch);
    rank_cells(batch, policy, ranked, file.losses);
    append(file.ranked, ranked);
    progress.advance(count);
  }
  if (const std::string cut = cut_note(*file.input, rule.top_k); !cut.empty()) file.warnings.push_back(cut);
  return file;
}

std::vector<BenchmarkSet> split_benchmark(const BenchmarkFile& file, const AuditJobOptions& options) {
  const std::int64_t n_cells = file.input->n_cells();
  std::vector<BenchmarkSet> sets;
  if (options.dataset_key.empty()) {
    sets.push_back({stem(file.path), std::vector<std::int64_t>(static_cast<std::size_t>(n_cells)), {}});
    std::iota(sets[0].rows.begin(), sets[0].rows.end(), std::int64_t{0});
  } else {
    std::vector<std::int32_t> codes;
    const std::vector<std::string> levels =
        require_column(file.input->obs(), options.dataset_key, file.path, "--dataset-key").levels(codes);
    for (const std::string& level : levels) sets.push_back({stem(file.path) + ":" + level, {}, {}});
    for (std::int64_t cell = 0; cell < n_cells; ++cell) {
      const std::int32_t code = codes[static_cast<std::size_t>(file.input->file_row(cell))];
      if (code < 0)
        throw DataError(
            fmt::format("{}: cell {} has no value in obs column '{}', so it belongs to no data set; fill it, "
                        "or leave out --dataset-key",
                        file.path, cell, options.dataset_key),
            {.file = file.path, .field = options.dataset_key, .row = cell});
      sets[static_cast<std::size_t>(code)].rows.push_back(cell);
    }
    std::erase_if(sets, [](const BenchmarkSet& set) { return set.rows.empty(); });
  }
  for (BenchmarkSet& set : sets) {
    audit::CellAnnotations& notes = set.annotations;
    annotate(file, set.rows, options.label_key, options.label_key_given, "--label-key", notes.label_levels,
             notes.label);
    annotate(file, set.rows, options.donor_key, options.donor_key_given, "--donor-key", notes.donor_levels,
             notes.donor);
    annotate(file, set.rows, options.batch_key, options.batch_key_given, "--batch-key", notes.batch_levels,
             notes.batch);
  }
  return sets;
}

void JoinedReferences::add(std::unique_ptr<sketch::PanelView> view, std::int64_t first_row, std::size_t corpus) {
  first_.push_back(first_.back() + view->n_cells());
  views_.push_back(std::move(view));
  first_corpus_row_.push_back(first_row);
  corpus_.push_back(corpus);
}

std::size_t JoinedReferences::part_of(std::int64_t row) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
}

bool JoinedReferences::has_counts(std::int64_t row) const {
  const std::size_t part = part_of(row);
  return views_[part]->has_counts(row - first_[part]);
}

void JoinedReferences::read(std::int64_t row, sketch::CellSet& cell) const {
  const std::size_t part = part_of(row);
  views_[part]->read(row - first_[part], cell);
}

void JoinedReferences::read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const {
  const std::size_t part = part_of(row);
  views_[part]->read_tokens(row - first_[part], tokens);
}

std::span<const std::uint64_t> JoinedReferences::sketch_keys() const {
  std::call_once(keys_known_, [&] {
    if (views_.empty()) return;
    const auto keys = views_.front()->sketch_keys();
    if (std::all_of(views_.begin() + 1, views_.end(),
                    [&](const auto& view) { return std::ranges::equal(view->sketch_keys(), keys); }))
      keys_ = keys;
  });
  return keys_;
}

sketch::StoredSketches JoinedReferences::stored_sketches(std::int64_t row) const {
  if (sketch_keys().empty()) return {};
  const std::size_t part = part_of(row);
  return views_[part]->stored_sketches(row - first_[part]);
}

void JoinedReferences::forget(std::int64_t first, std::int64_t count) const {
  while (count > 0) {
    const std::size_t part = part_of(first);
    const std::int64_t here = std::min(count, first_[part + 1] - first);
    views_[part]->forget(first - first_[part], here);
    first += here;
    count -= here;
  }
}

JoinedReferences::Place JoinedReferences::place(std::int64_t row) const {
  const std::size_t part = part_of(row);
  const std::int64_t store_row = views_[part]->store_row(row - first_[part]);
  return {corpus_[part], store_row, first_corpus_row_[part] + store_row};
}

Corpora open_corpora(const std::vector<std::string>& paths) {
  Corpora corpora;
  for (const std::string& path : paths) {
    corpora.push_back(sketch::Corpus::open(path));
    const sketch::FingerprintRule &first = corpora.front()->rule(), &rule = corpora.back()->rule();
    const bool same_words =
        (!first.vocabulary && !rule.vocabulary) ||
        (first.vocabulary && rule.vocabulary && first.vocabulary->digest() == rule.vocabulary->digest());
    if (!same_words || (first.vocabulary && first.top_k != rule.top_k))
      throw UsageError(
          fmt::format("{} and {} were built with different fingerprints ({} and {}); audit against one at a "
                      "time, or build them alike",
                      paths.front(), path, first.kind(), rule.kind()),
          {.file = path, .field = "fingerprint"});
  }
  return corpora;
}

std::vector<UniverseGroup> match_corpora(const BenchmarkFile& file, const Corpora& corpora, const NameTable* names,
                                         std::vector<std::string>& notes) {
  std::vector<UniverseGroup> groups;
  std::map<std::string, std::size_t> by_universe;
  std::exception_ptr first_fault;
  std::int64_t first_row = 0;
  for (std::size_t number = 0; number < corpora.size(); ++number) {
    const sketch::Corpus& corpus = *corpora[number];
    for (int panel = 0; panel < static_cast<int>(corpus.panels().size()); ++panel) {
      if (corpus.panel_cells(panel) == 0) continue;
      PanelMatch match;
      try {
        match = match_panels(file.input->panel(), corpus.panels()[static_cast<std::size_t>(panel)],
                             {.names = names,
                              .vocabulary = corpus.rule().vocabulary.get(),
                              .name_a = file.path,
                              .name_b = corpus.path()});
      } catch (const DataError& error) {
        if (!first_fault) first_fault = std::current_exception();
        notes.push_back(fmt::format("{} of {} was left out: {}", describe_panel(corpus, panel),
                                    base_name(corpus.path()), error.what()));
        continue;
      }
      const auto n_universe = static_cast<std::uint32_t>(match.genes.size());
      const TokenMap map = match.b;
      const auto [at, is_new] = by_universe.emplace(universe_key(match), groups.size());
      if (is_new)
        groups.push_back(
            {describe_panel(corpus, panel), std::move(match), std::make_unique<JoinedReferences>(n_universe)});
      else
        groups[at->second].name += " and " + describe_panel(corpus, panel);
      groups[at->second].references->add(corpus.view(panel, map, n_universe), first_row, number);
    }
    first_row += corpus.n_cells();
  }
  if (groups.empty()) {
    if (first_fault) std::rethrow_exception(first_fault);
    throw DataError("the corpus holds no cells", {.file = corpora.front()->path()});
  }
  return groups;
}

sketch::CellSets restrict_benchmark(const BenchmarkFile& file, const BenchmarkSet& set, const PanelMatch& match) {
  sketch::CellSets cells(static_cast<std::uint32_t>(match.genes.size()));
  cells.reserve(static_cast<std::int64_t>(set.rows.size()), 0);
  sketch::CellSet cell;
  for (const std::int64_t row : set.rows) {
    sketch::restrict_cell(file.ranked, row, file.input->has_counts(), match.a, cell);
    cells.add(cell);
  }
  return cells;
}

}  // namespace scvet::jobs
