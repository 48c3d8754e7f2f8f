// The gene_metadata table of a set of count lists (Tahoe-100M): which gene a token stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scvet/data/table.h"

namespace scvet::io {

struct GeneMetadata {
  std::string path;
  std::vector<std::int64_t> tokens;  // ascending, unique
  Table var;                         // in that order: names, columns gene_symbol and ensembl_id where known, token
};

// The table for the cells at `path` (a file or a folder of parquet): `dictionary` where it is such a table or a folder
// that holds one, else gene_metadata.parquet beside the file, in ../metadata or in metadata. DataError when a table
// that is found makes no sense.
std::optional<GeneMetadata> find_gene_metadata(const std::string& path, const std::string& dictionary);

// Columns are told by their content, then by their names: distinct integers are tokens, Ensembl ids and symbols text.
GeneMetadata read_gene_metadata(const std::string& path);

bool is_gene_metadata_name(const std::string& file_name);  // "gene_metadata.parquet" and the like

}  // namespace scvet::io
