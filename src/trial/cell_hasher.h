// Hashes the record of every cell of a screen, in any order of cells and from several threads. Specification 14.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/trial/digests.h"

namespace scvet::trial {

class CellHasher {
 public:
  // DataError as order_genes.
  CellHasher(const std::vector<std::string>& gene_names, const std::vector<std::string>& cell_names,
             const std::string& file);
  // Non-zeros of a cell, each gene once; each cell once; workers work at the same time.
  void add(std::int64_t cell, std::span<const std::uint32_t> genes, std::span<const std::uint32_t> counts, int worker);

  const std::string& gene_list_sha256() const { return genes_.sha256; }
  std::vector<std::uint64_t> record_hash() const;  // first 8 bytes of the hashes without names
  // After all cells; each may be asked for once.
  std::string counts_digest();
  std::vector<std::string> sketch();

 private:
  // Counts by rank of the gene, with one bit a rank that has one: sorts a record in linear time.
  struct Scatter {
    std::vector<std::uint32_t> count;
    std::vector<std::uint64_t> present;
    std::vector<std::uint32_t> record;
  };
  GeneOrder genes_;
  const std::vector<std::string>& cell_names_;
  std::vector<Scatter> scatter_;  // one a worker
  std::vector<CellHash> named_, unnamed_;
};

}  // namespace scvet::trial
