// Digests of what a trial is about: independent of compression, of the order of cells and of the order of genes.
// Specification 14.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/base/digest.h"

namespace scvet::trial {

using CellHash = Sha256Bytes;

// Place of every gene among the names sorted by their bytes, and the SHA-256 of those names, each with LF.
struct GeneOrder {
  std::vector<std::uint32_t> rank;
  std::string sha256;
};
// DataError duplicate_names, or where a name holds a tab or a line end.
GeneOrder order_genes(const std::vector<std::string>& names, const std::string& file);

// Of one cell: its name, a zero byte, then rank and count of each non-zero, ranks ascending; and the same without the
// name and zero byte. `record` holds rank, count, rank, count, ...
struct CellHashes {
  CellHash named, unnamed;
};
CellHashes hash_cell(std::string_view name, std::span<const std::uint32_t> record);

// SHA-256 over the gene list's digest and the cells' hashes, sorted.
std::string counts_digest(const std::string& genes_sha256, std::vector<CellHash> named);
// The 64 smallest of the hashes without names, as their first 16 hexadecimal digits.
std::vector<std::string> cell_sketch(std::vector<CellHash> unnamed);

// SHA-256 of the values as little-endian float64.
std::string array_sha256(std::span<const double> values);

}  // namespace scvet::trial
