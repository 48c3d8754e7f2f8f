// scvet corpus build | info | verify.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/jobs/cell_input.h"
#include "scvet/sketch/corpus.h"

namespace scvet::jobs {

struct CorpusBuildOptions {
  std::string out;
  std::vector<std::string> inputs;  // files, folders of files, 10x mtx folders, other stores (merged)
  CellInputOptions input;
  std::string name, cutoff, card;      // card: a JSON file; name and cutoff stand above it
  std::string donor_key, dataset_key;  // "": donor_id and dataset_id where present
  std::string fingerprint;             // topk, positive; "": positive without a vocabulary, topk with one
  std::int64_t top_k = 0;              // 0: 2048, with a dictionary of Geneformer V2 4094
  std::string vocabulary, dictionary;  // as in RuleFlags
  std::string gene_table;              // symbols to Ensembl ids; "": the table that set-up made
  bool append = false, force = false;
  std::uint64_t seed = 42;  // recorded; nothing here is random
};
struct CorpusBuildResult {
  std::string path, digest, run_folder;
  std::int64_t n_cells = 0, n_added = 0, n_sources = 0;
  std::vector<std::string> skipped;  // files that the store held already
  bool unchanged = false;            // complete from an earlier run
};
CorpusBuildResult build_corpus(const CorpusBuildOptions& options);

// The flags that say how cells become sets.
struct RuleFlags {
  std::string fingerprint = {};  // topk, positive; "": topk with a dictionary, else positive
  std::int64_t top_k = 0;        // 0: by the kind of the dictionary
  std::string vocabulary = {};   // "" or universe: all genes; geneformer-v1 or -v2: of this kind; else a dictionary
  std::string dictionary =
      {};  // what io::load_dictionary reads, or "" (gene metadata of parquet counts name no tokens)
};
// The rule that the flags name. UsageError when they do not agree with one another.
sketch::FingerprintRule fingerprint_rule(const RuleFlags& flags);
// UsageError unless the dictionary is of the kind that `vocabulary` (geneformer-v1, geneformer-v2) names.
void check_vocabulary_kind(const std::string& vocabulary, const Vocabulary& dictionary);
bool names_vocabulary_kind(const std::string& vocabulary);  // geneformer-v1, geneformer-v2
// Inputs as the user names them: files as they are, folders opened (sorted), 10x mtx folders kept whole.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs);

struct CorpusPanelInfo {
  std::int64_t n_genes = 0, n_cells = 0, n_sources = 0;
  double share_ensembl = 0, share_symbol = 0;
  std::string organism;
};
struct CorpusInfo {
  std::string path, digest, card_json, fingerprint, vocabulary;
  std::int64_t file_bytes = 0, n_cells = 0, n_segments = 0, n_empty = 0, n_genes = 0;
  std::int64_t top_k = 0;
  bool counts_everywhere = true;
  std::vector<CorpusPanelInfo> panels;
  std::vector<sketch::CorpusSource> sources;
  std::int64_t n_donors = 0, n_datasets = 0;
  // Cells that repeat an earlier cell's content (empty cells left out); counts among cells that have them.
  std::int64_t repeated_sets = 0, repeated_orders = 0, repeated_counts = 0;
  std::vector<double> genes_quantiles;  // genes a cell at 0, 5, 25, 50, 75, 95, 100 %
};
CorpusInfo corpus_info(const std::string& path);
std::string corpus_info_text(const CorpusInfo& info);  // one screen
std::string corpus_info_json(const CorpusInfo& info);

// DataError naming the first bad section; otherwise a sentence on what was checked.
std::string verify_corpus(const std::string& path);

}  // namespace scvet::jobs
