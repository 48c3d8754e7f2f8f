#include "cell_hasher.h"

#include <bit>
#include <cstring>
#include <utility>

#include "scvet/base/parallel.h"

namespace scvet::trial {

CellHasher::CellHasher(const std::vector<std::string>& gene_names, const std::vector<std::string>& cell_names,
                       const std::string& file)
    : genes_(order_genes(gene_names, file)),
      cell_names_(cell_names),
      scatter_(static_cast<std::size_t>(workers())),
      named_(cell_names.size()),
      unnamed_(cell_names.size()) {
  for (Scatter& scatter : scatter_) {
    scatter.count.resize(gene_names.size());
    scatter.present.resize((gene_names.size() + 63) / 64);
  }
}

void CellHasher::add(std::int64_t cell, std::span<const std::uint32_t> genes, std::span<const std::uint32_t> counts,
                     int worker) {
  Scatter& scatter = scatter_[static_cast<std::size_t>(worker)];
  for (std::size_t at = 0; at < genes.size(); ++at) {
    const std::uint32_t rank = genes_.rank[genes[at]];
    scatter.count[rank] = counts[at];
    scatter.present[rank / 64] |= std::uint64_t{1} << (rank % 64);
  }
  scatter.record.resize(2 * genes.size());
  std::size_t out = 0;
  for (std::size_t word = 0; word < scatter.present.size(); ++word) {
    for (std::uint64_t bits = std::exchange(scatter.present[word], 0); bits != 0; bits &= bits - 1) {
      const auto rank = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      scatter.record[out++] = rank;
      scatter.record[out++] = scatter.count[rank];
    }
  }
  const auto at = static_cast<std::size_t>(cell);
  const CellHashes hashes = hash_cell(cell_names_[at], scatter.record);
  named_[at] = hashes.named;
  unnamed_[at] = hashes.unnamed;
}

std::vector<std::uint64_t> CellHasher::record_hash() const {
  std::vector<std::uint64_t> first(unnamed_.size());
  for (std::size_t cell = 0; cell < first.size(); ++cell) std::memcpy(&first[cell], unnamed_[cell].data(), 8);
  return first;
}

std::string CellHasher::counts_digest() { return trial::counts_digest(genes_.sha256, std::move(named_)); }

std::vector<std::string> CellHasher::sketch() { return cell_sketch(std::move(unnamed_)); }

}  // namespace scvet::trial
