// Tables of text: tsv or csv, plain or gzipped; an embedding, or columns of obs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/data/table.h"

namespace scvet::io {

struct TextTableOptions {
  // Column that names the rows; "": an unnamed first column, else a first column called index, cell, barcode or the
  // like, else a first column of distinct words beside others; else rows are numbered from 0.
  std::string name_column;
  // Whether the first line names the columns; unset: judged (no where all its fields are numbers, and in the lists that
  // 10x writes: barcodes.tsv, features.tsv, genes.tsv).
  std::optional<bool> header;
  bool verbatim = false;  // every column as text, as it stands: "01" is no number and "NA" not missing
};

struct TextTable {
  Table table;                        // names and columns; numbers where every value is one, else text
  std::vector<std::string> header;    // every column in the file's order; "Unnamed: 0" for one without a name
  std::vector<std::string> comments;  // lines before the table that start with '#', without it
  std::string first_line;             // of the table, as it stands
  std::int64_t n_lines = 0;           // of the table, its header included
  char delimiter = '\t';              // tab, comma, semicolon or space
  bool has_header = true;
  std::string name_from;         // the header of the column that names the rows, "" when they are numbered
  double numeric_sum = 0;        // over all columns of numbers, in double, NaN left out
  double numeric_magnitude = 0;  // the same of absolute values
  std::int64_t n_rows() const { return table.rows(); }
};

// True when the file reads as text with at least one line and is no other known format (JSON, HTML, FASTQ, SAM, ...).
bool looks_like_text_table(const std::string& path);

// Quoted fields may hold delimiters, doubled quotes and line ends. "", NA, NaN, nan, null, None and <NA> are missing.
// DataError names the line that has more or fewer fields than the first.
TextTable read_text_table(const std::string& path, const TextTableOptions& options = {});

// The columns of numbers as an embedding called `name`. DataError when there are none or a value is missing.
Embedding table_embedding(const TextTable& table, const std::string& name, const std::string& path);

}  // namespace scvet::io
