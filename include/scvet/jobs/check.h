// `scvet check`: is a file ready for a method? The tests of docs/check.md in the peer's layout, then what only scvet
// tells. Nothing is refused: what is wrong is a line of the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/values.h"
#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

struct CheckOptions {
  std::vector<std::string> data = {};  // files, folders, patterns
  std::string method = {};             // "": any
  std::string label_key = "cell_type", batch_key = "batch_id";
  std::string role = {};                       // "", reference, query
  std::string genome = {}, modality = {};      // of files that hold several
  std::vector<std::string> vocabularies = {};  // gene vocabularies to measure the file against: see io/dictionary.h
};

enum class CheckLevel { kOk, kInfo, kWarn, kFail };
const char* check_level_name(CheckLevel level);  // OK, INFO, WARN, FAIL

struct CheckLine {
  CheckLevel level = CheckLevel::kInfo;
  std::string test;  // stable word for programs: values, gene_index, ...
  std::string text;
};

struct VocabularyShare {
  std::string name, gene_ids;             // ensembl or symbol
  std::int64_t n_vocabulary = 0;          // genes of the vocabulary
  std::int64_t n_known = 0, n_genes = 0;  // genes of the file: in it, and all
  double share_counts = 0;                // of the file's counts on them; NaN where there are none
  std::vector<std::string> unknown = {};  // the first few genes outside, those with most counts first
};

struct MethodEstimate {
  std::string name, label, gene_ids;
  double bytes = 0, seconds = 0;  // peak memory; processor time
};

// Which labels meet which batches.
struct Confounding {
  double cramers_v = 0;        // 0: every batch has the same mixture; 1: label tells batch; NaN: undefined
  std::string undefined = {};  // why
  std::vector<std::string> single_batch = {};          // labels that are in one batch only
  std::int64_t n_single_batch_cells = 0, n_cells = 0;  // cells of those, and cells with both
};

struct CheckReport {
  std::string path, name, sample_id;
  std::int64_t n_cells = -1, n_genes = -1;                       // -1: unreadable
  std::vector<CheckLine> lines;                                  // the peer's tests, in its layout
  std::vector<std::string> limitations;                          // what cannot be run without what is missing
  std::vector<CheckLine> ours;                                   // what only scvet tells
  ValueSummary values;                                           // of every value of X; row_sums left out
  std::string organism, symbols_from, ensembl_from, gene_names;  // gene_names: ensembl, symbol, number, none
  Confounding confounding;
  std::vector<VocabularyShare> vocabularies;
  std::vector<MethodEstimate> methods;
  bool failed() const;  // a FAIL, of either kind
};

// UsageError where the method, the role or a vocabulary is unknown; a broken file is a FAIL of its report.
CheckReport check_file(const std::string& path, const CheckOptions& options);

std::string check_text(const CheckReport& report);
std::string check_json(const CheckReport& report);

struct CheckResult {
  std::vector<TaskOutcome> outcomes;
  std::vector<std::string> failed;  // names of the files with a FAIL
};
// One run a file: <outdir>/check/<stem>_check.txt and .json; the texts also go to stdout. UsageError where a path is not
// there.
CheckResult run_check(const TaskOptions& task, const CheckOptions& options);

}  // namespace scvet::jobs
