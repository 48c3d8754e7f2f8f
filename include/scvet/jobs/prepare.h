// `scvet prepare`: files as the benchmark wants them (docs/prepare.md). Names and columns only: no cell or gene is left
// out, no value is changed. Drawing fewer cells is a step of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

// At most `most` cells of each value of the obs column `column`.
struct CellCap {
  std::string column;
  std::int64_t most = 0;
};

struct PrepareOptions {
  std::vector<std::string> data = {};       // files, folders, patterns
  std::string symbol_key = "feature_name";  // var column of symbols
  bool symbol_key_given = false;            // false: where there is no such column, symbols are looked for
  bool keep_versioned = false;              // names that only end in .N stay names
  std::vector<std::string> batch_from = {"assay", "donor_id"};  // batch_id: their values joined by '|'
  bool batch_from_given = false;                                // false: may be absent
  std::string label_key = "cell_type";
  std::string genome = {}, modality = {};  // of files that hold several
  bool overwrite_obs = false;              // obs barcode and batch_id may replace others of these names
  // The draw, by --seed: caps first, then `subsample` of the cells that are left, stratified by the label; 0: no draw.
  std::int64_t subsample = 0;
  std::vector<CellCap> max_per = {};
  std::uint64_t seed = 42;
};

// "cell_type=1500", or "1500" for `label_key`. UsageError when it is neither.
CellCap parse_cell_cap(const std::string& text, const std::string& label_key);

// One run a file: <outdir>/<stem>.h5ad and <outdir>/<stem>_prepare.json, the ledger of what changed. outdir "": prepared.
// A file that cannot be prepared costs only itself; its outcome says failed. UsageError where an output would replace
// its input, or two inputs have one name.
std::vector<TaskOutcome> run_prepare(const TaskOptions& task, const PrepareOptions& options);

}  // namespace scvet::jobs
