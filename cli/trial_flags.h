// Flags that several verbs of `scvet trial` share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "scvet/jobs/trial.h"

namespace scvet::cli {

inline void add_place_flags(CLI::App& app, jobs::TrialPlace& place) {
  app.add_option("--trial", place.folder, "folder of the trial")->required();
  app.add_option("--state-dir", place.state_dir,
                 "folder of the mirrors (default: $XDG_STATE_HOME/scvet/trials, ~/.local/state/scvet/trials)");
  app.add_flag("--break-lock", place.break_lock, "take over from a writer that is gone; recorded in the ledger");
}

inline void add_counts_flags(CLI::App& app, jobs::TrialCounts& counts) {
  app.add_option("--counts", counts.path, "the screen: an h5ad (or zarr, h5mu, ...) of raw counts")->required();
  app.add_option("--layer", counts.layer, "layer with the counts (default: X)");
  app.add_option("--row-key", counts.row_key, "obs column that names the row of a cell")->capture_default_str();
  app.add_option("--target-key", counts.target_key, "obs column with the target gene")->capture_default_str();
  app.add_option("--batch-key", counts.batch_key, "obs column with the batch, for diagnostics; none: there is none")
      ->capture_default_str();
  app.add_option("--control-label", counts.control_label, "target of the control cells")->capture_default_str();
}

inline void add_embedding_flags(CLI::App& app, jobs::TrialEmbedding& embedding) {
  app.add_option("--embedding", embedding.path,
                 "representation of the cells: an h5ad whose X it is, npy, parquet, csv or tsv; joined by cell name");
  app.add_option("--obsm", embedding.obsm, "array of the embedding's file, or of the counts, to take instead of X");
  app.add_flag("--same-order", embedding.same_order, "an npy has no cell names: its rows are in the counts' order");
  app.add_option("--cell-names", embedding.cell_names,
                 "two parties: table of the names that the embedding's cells bear and their own, such as "
                 "TRIAL/private/cells.tsv");
}

inline void add_arm_flags(CLI::App& app, jobs::TrialArm& arm) {
  app.add_option("--arm", arm.name, "name of the arm")->required();
  app.add_option("--model", arm.model, "model that made the representation (default: the arm's name)");
  app.add_option("--role", arm.role, "primary or sensitivity; never changed afterwards")->capture_default_str();
  app.add_option("--extraction", arm.extraction,
                 "JSON with the extraction record: checkpoint, vocabulary, pooling, ... (docs/trial.md)")
      ->required();
}

// For tests that must give the same bytes again; not shown in --help.
inline void add_injection_flags(CLI::App& app, jobs::TrialInjection& injection) {
  app.add_option("--inject-clock", injection.clock)->group("");
  app.add_option("--inject-version", injection.version)->group("");
}

inline void print_stage(const jobs::TrialStageResult& result) {
  if (!result.headline.empty()) std::printf("%s\n", result.headline.c_str());
  for (const std::string& line : result.lines) std::printf("%s\n", line.c_str());
  std::printf("state: %s\n", result.state.c_str());
  if (!result.report.empty()) std::printf("report: %s\n", result.report.c_str());
}

constexpr const char* kTrialExits =
    "Exit codes: 0 done, 2 wrong flags or columns, 3 data, 4 a refusal (its message ends with reason=...), 6 disk,\n"
    "130 interrupted.";

}  // namespace scvet::cli
