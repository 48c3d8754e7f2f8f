// `scvet geometry`: the geometry probes of embeddings, one row a pair of embedding and counts. docs/geometry.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

struct GeometryOptions {
  std::vector<std::string> embedding, data;  // files, folders or patterns
  std::string method;                        // label; "": the name of the folder that the embeddings lie in
  std::string label_key = "cell_type", batch_key = "batch_id";
  std::int64_t max_cells = 20000;  // more: a sorted draw; 0: all
  std::int64_t n_genes = 2000;     // variable genes of the reference graph of R_NX
  std::int64_t seed = 0;
  TaskOptions task;
};

struct GeometryResult {
  std::vector<TaskOutcome> outcomes;  // one a pair; failed: its row says why, and stands in the tables
  std::string table;                  // <outdir>/<method>_geometry.csv; "" after a dry run
  std::string page;                   // <outdir>/benchmark/report.html, made anew from every table there
};

// Pairs embeddings and files of counts by the stems of their names (one of each is a pair whatever the names), and runs
// every probe over each pair. Writes <outdir>/geometry/<method>/<stem>_<method>.csv, beside it
// <stem>_<method>_rnx_batches.csv where R_NX is defined, and <outdir>/<method>_geometry.csv with the rows of all pairs;
// a pair that is complete and unchanged is not computed again. UsageError before any work: no such file, an embedding
// without data of its stem, embeddings of several folders without a method, options out of range.
GeometryResult geometry(const GeometryOptions& options);

}  // namespace scvet::jobs
