// What an audit reads: benchmark cells in memory, and the references that meet them, grouped by universe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/data/gene_panel.h"
#include "scvet/jobs/audit.h"
#include "scvet/jobs/audit_report.h"
#include "scvet/jobs/cell_input.h"
#include "scvet/sketch/corpus.h"

namespace scvet::jobs {

// One benchmark file, its cells ranked on the file's own panel.
struct BenchmarkFile {
  std::string path;
  std::unique_ptr<CellInput> input;
  RankedCells ranked;
  RankLosses losses;
  std::vector<std::string> warnings;
};
BenchmarkFile load_benchmark(const std::string& path, const CellInputOptions& options,
                             const sketch::FingerprintRule& rule);

// Cells of one file that are audited together: all of them, or one level of --dataset-key.
struct BenchmarkSet {
  std::string name;
  std::vector<std::int64_t> rows;  // cells of the file, ascending
  audit::CellAnnotations annotations;
};
std::vector<BenchmarkSet> split_benchmark(const BenchmarkFile& file, const AuditJobOptions& options);

// References of one universe, possibly from several panels and corpus files, as one source of cells.
class JoinedReferences : public sketch::SetSource {
 public:
  explicit JoinedReferences(std::uint32_t n_tokens) : n_tokens_(n_tokens) {}
  // `first_row` is added to the view's store rows: rows over all corpus files in the order given.
  void add(std::unique_ptr<sketch::PanelView> view, std::int64_t first_row, std::size_t corpus);
  std::int64_t n_cells() const override { return first_.back(); }
  std::uint32_t n_tokens() const override { return n_tokens_; }
  bool has_counts(std::int64_t row) const override;
  void read(std::int64_t row, sketch::CellSet& cell) const override;
  void read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const override;
  // Where all views have sketches of the same keys.
  std::span<const std::uint64_t> sketch_keys() const override;
  sketch::StoredSketches stored_sketches(std::int64_t row) const override;
  void forget(std::int64_t first, std::int64_t count) const override;

  struct Place {
    std::size_t corpus = 0;
    std::int64_t store_row = 0;   // in that corpus
    std::int64_t corpus_row = 0;  // over all corpus files
  };
  Place place(std::int64_t row) const;

 private:
  std::size_t part_of(std::int64_t row) const;
  std::uint32_t n_tokens_;
  std::vector<std::unique_ptr<sketch::PanelView>> views_;
  mutable std::once_flag keys_known_;  // after the last add()
  mutable std::span<const std::uint64_t> keys_;
  std::vector<std::int64_t> first_{0};  // first row of each view, and the end
  std::vector<std::int64_t> first_corpus_row_;
  std::vector<std::size_t> corpus_;
};

struct UniverseGroup {
  std::string name;  // "panel of 9,015 genes (study_a.h5ad, ...)"
  PanelMatch match;  // a: benchmark, b: of the first panel
  std::unique_ptr<JoinedReferences> references;
};

using Corpora = std::vector<std::shared_ptr<const sketch::Corpus>>;
// Opens all; UsageError when they were not built with the same fingerprint rule.
Corpora open_corpora(const std::vector<std::string>& paths);

// Panels that cannot meet the benchmark (other organism, no shared gene) are left out and said in `notes`; when none
// can, the first one's DataError is thrown.
std::vector<UniverseGroup> match_corpora(const BenchmarkFile& file, const Corpora& corpora, const NameTable* names,
                                         std::vector<std::string>& notes);

// The set's cells on one universe.
sketch::CellSets restrict_benchmark(const BenchmarkFile& file, const BenchmarkSet& set, const PanelMatch& match);

}  // namespace scvet::jobs
