// Which cells make a row, and which are controls, as obs says. Specification 1 and 2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/table.h"

namespace scvet::trial {

struct DesignOptions {
  std::string row_key = "gene_transcript", target_key = "target_gene";
  std::string batch_key = "gem_group";  // "none": no batches
  std::string control_label = "non-targeting";
};

struct DesignRow {
  std::string id, target;
  std::vector<std::int64_t> cells;  // rows of obs, ascending
};

struct Design {
  DesignOptions options;
  std::vector<std::string> cell_names;      // in the order of obs
  std::vector<DesignRow> rows;              // ascending by the bytes of their ids
  std::vector<std::int64_t> nt_cells;       // control cells of all batches, ascending
  std::vector<std::string> batches;         // names, ascending; empty: none
  std::vector<std::int32_t> batch_of_cell;  // place in `batches`; -1: none
  std::string digest;                       // SHA-256 over cell, row, target and batch of every cell, by cell name
};

// Cells with an empty target, or with a target but no row id, belong to no row. Refuses (DataError): column_missing
// naming what obs has; duplicate_names of cells; target_ambiguous where the cells of one row have two targets, naming
// both; a tab, CR or LF in a name; no control cell.
Design read_design(const Table& obs, const DesignOptions& options, const std::string& file);

}  // namespace scvet::trial
