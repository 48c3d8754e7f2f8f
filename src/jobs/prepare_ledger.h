// What `scvet prepare` did to one file, as JSON and as lines for people.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "prepare_draw.h"
#include "prepare_genes.h"
#include "prepare_obs.h"

namespace scvet::jobs {

// The facts of one prepared file.
struct PreparedFile {
  std::string source, format, target;
  std::string sha256_before, sha256_after;
  std::int64_t n_cells = 0, n_genes = 0;  // of the source
  GeneChoice genes;
  ColumnFate gene_symbol = ColumnFate::kAdded, ensembl_id = ColumnFate::kAbsent;  // of var
  ObsChoice obs;
  bool raw_dropped = false;
  // X as stored, its chunks before decoding; empty where X was written anew.
  std::string x_before, x_after;
  std::string matrix, values, values_why;  // what the first cells of X hold, and why we think so
  std::optional<CellDraw> draw;
  std::vector<std::string> notes;

  bool nothing_changed() const;
};

nlohmann::json prepare_options_json(const PrepareOptions& options);
nlohmann::json draw_json(const CellDraw& draw, const PrepareOptions& options, std::int64_t n_cells);
nlohmann::json ledger_json(const PreparedFile& file, const PrepareOptions& options);
std::vector<std::string> ledger_lines(const PreparedFile& file, const PrepareOptions& options);

}  // namespace scvet::jobs
