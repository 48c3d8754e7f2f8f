// What is in a file: shapes, values, names, genes, columns. Reads everything and repairs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/data/genes.h"
#include "scvet/data/table.h"
#include "scvet/data/values.h"
#include "scvet/io/dictionary.h"

namespace scvet::jobs {

struct InspectOptions {
  std::string path;
  std::string genome = {};    // 10x v2; "": all of them
  std::string modality = {};  // h5mu; "": all of them
  // Names the tokens of token lists and the genes of parquet: see OpenOptions::dictionary.
  std::string dictionary = {};
};

struct ColumnSummary {
  std::string name, dtype;
  Column::Kind kind = Column::Kind::kString;
  std::int64_t n_missing = 0;
  double sum = 0, min = 0, max = 0;     // numbers: in double, missing left out; NaN where all are
  std::int64_t n_levels = 0;            // categories, or distinct values of text and whole numbers
  std::vector<std::string> categories;  // of a categorical column, the first 40
  std::vector<std::int64_t> counts;     // rows of each of the first 12 categories
  std::vector<std::string> first;       // text and booleans: the first 3 values, "<NA>" or "nan" where missing
};

struct AxisSummary {  // obs or var
  std::int64_t n = 0;
  std::string index_name;                // "" when the file gives none
  std::vector<std::string> first, last;  // names: the first two and the last
  Duplicate duplicate;                   // row_a < 0: all names are unique
  std::vector<ColumnSummary> columns;
};

// Lists of tokens in rank order. Special tokens that a dictionary names take no part.
struct TokenSummary {
  std::int64_t n_tokens = 0, n_distinct = 0, least = -1, greatest = -1;  // over all cells; -1: no token at all
  std::int64_t shortest = 0, longest = 0, n_empty = 0;                   // lists
};

struct MatrixSummary {
  MatrixInfo info;
  ValueSummary values;                 // empty for token lists
  std::optional<TokenSummary> tokens;  // of token lists alone
  std::string fault;                   // why it cannot be read; then `values` is empty
};

// A file of cells, or one genome or modality of it.
struct CellsSummary {
  std::string genome;    // of a 10x v2 file, else ""
  std::string modality;  // of an h5mu file, else ""
  AxisSummary obs, var;
  std::vector<MatrixSummary> matrices;
  GeneNames genes;
  std::vector<NamedShape> obsm, varm;
  std::vector<std::string> obsp, uns_keys, notes;
  // 10x: the feature table.
  std::vector<std::string> feature_fields, first_ids, first_names, genomes;
  std::map<std::string, std::int64_t> feature_types;
  std::int64_t n_duplicated_names = 0;
};

struct TableSummary {
  std::vector<std::string> header, comments;
  std::string first_line, delimiter, name_from;
  bool has_header = true, embedding = false;  // embedding: fractional numbers in every column but the names
  std::int64_t n_lines = 0, n_columns = 0;
  double numeric_sum = 0, numeric_magnitude = 0;
  AxisSummary rows;
};

struct InspectResult {
  std::string path, format;
  std::int64_t bytes = 0;
  std::vector<CellsSummary> cells;  // one, or one a genome or modality; empty for a table or a pickle
  std::int64_t n_obs = -1;          // h5mu: cells of the whole, -1 when they cannot be read
  std::optional<TableSummary> table;
  std::optional<io::DictionaryPickle> pickle;
  std::vector<std::string> faults;  // parts that cannot be read, in words that name file, object and row
};

// Streams every matrix once. Faults of one matrix do not hide the rest; DataError only where nothing can be read.
InspectResult inspect(const InspectOptions& options);

std::string inspect_text(const InspectResult& result);  // for people, one screen
std::string inspect_json(const InspectResult& result);  // one object; docs/inspect.md names its keys

}  // namespace scvet::jobs
