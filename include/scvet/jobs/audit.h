// `scvet audit`: benchmark files against corpus files, to tables, annotated copies and a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/audit/outcome.h"

namespace scvet::jobs {

struct AuditJobOptions {
  std::vector<std::string> benchmarks;  // files or mtx folders; each is a data set unless dataset_key
  std::vector<std::string> corpora;     // .corpus files
  std::string outdir;                   // "" = results/audit/<stem of the first benchmark>
  std::uint64_t seed = 42;
  bool force = false;

  std::string engine = "exact";
  std::vector<std::string> nulls{"same_cell"};
  bool engine_given = false, null_given = false;  // by the user
  bool paper = false;                             // the published recipe: engine lsh, null uniform
  bool sensitivity = false;                       // the sensitivity table on all references, with its costly rows
  int max_copies = audit::kMaxCopies;
  int min_genes = 200;
  double thinning = .5;      // at which the power of the verdict is stated: one of the planted shares
  double clear_below = .05;  // upper bound of the share that still counts as cleared
  // "" or 0: as the corpus was built.
  std::string fingerprint;
  int top_k = 0;
  std::string vocabulary;  // geneformer-v1, geneformer-v2, universe, or a dictionary
  std::string dictionary;  // names the tokens of token lists; must be the corpus' own where that has one

  // obs columns; the defaults may be missing, a name that the user gave may not.
  std::string label_key = "cell_type", donor_key = "donor_id", batch_key = "batch_id", dataset_key;
  bool label_key_given = false, donor_key_given = false, batch_key_given = false;

  std::string released;  // YYYY-MM
  std::string organism, gene_key, layer, genome, modality;
  std::string gene_table;         // symbol to Ensembl; "" = the one that set-up made, where there is one
  std::string values = "counts";  // counts | as-is
  std::string duplicate_genes = "refuse";
  bool write_clean = false;
};

struct AuditJobResult {
  std::string folder, report;
  bool reused = false;                        // complete and unchanged since an earlier run
  std::vector<std::string> names, sentences;  // per data set
  std::vector<std::string> summaries;  // the published method's line per data set; empty without the null uniform
  bool exposed = false;                // any data set
  std::vector<audit::DatasetAudit> datasets;  // empty when reused
};

std::vector<std::string> null_names();  // what --null takes; identity tests always run

AuditJobResult run_audit(const AuditJobOptions& options);

}  // namespace scvet::jobs
