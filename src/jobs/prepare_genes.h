// The names of genes by the benchmark's protocol (specification 1): the symbol, or the Ensembl id where the symbol will
// not do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/data/genes.h"
#include "scvet/jobs/prepare.h"

namespace scvet::jobs {

// ^ENS[A-Z]*G\d{6,}(\.\d+)?$ : an Ensembl gene id, with or without a version.
bool looks_like_ensembl(std::string_view name);
// \.\d+$ : a name that ends like one with a version (RP11-34P13.7, and what R's make.unique makes of a repeated name).
bool ends_in_version(std::string_view name);

struct GeneChoice {
  std::vector<std::string> names;            // the new index
  std::vector<std::string> ensembl;          // as the file has them, "" where none; empty: the file has none at all
  std::string symbol_from, ensembl_from;     // "index" or the column's name, "" where there are none
  std::int64_t n_unusable = 0;               // symbols that are empty or look like Ensembl ids
  std::int64_t n_versioned = 0;              // symbols that only end in .N
  std::int64_t n_symbol = 0, n_ensembl = 0;  // genes named by either
  std::int64_t n_no_fallback = 0;            // symbols that will not do, kept for want of an id
  std::int64_t n_changed = 0;                // names that differ from the index
  std::vector<std::string> notes;
};
// UsageError when the symbol column was named and is not there.
GeneChoice choose_gene_names(const Table& var, const PrepareOptions& options, const std::string& file);

// DataError that lists every name that stands twice, with the index names of its genes; nothing when all differ.
void require_distinct_genes(const GeneChoice& choice, const Table& var, const std::string& file);

}  // namespace scvet::jobs
