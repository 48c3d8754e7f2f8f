// Analytic Pearson residuals of counts inside a batch (Lause et al. 2021, doi:10.1186/s13059-021-02451-7) and the genes
// that vary most by them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/base/csr_view.h"

namespace scvet::metrics {

// Genes that may enter: not technical (MT-, ERCC-, RPL, RPS at the start of the name in any case, or flagged), stored in
// at least 10 cells and with a total of at least 10.
struct CandidateGenes {
  std::vector<std::uint32_t> columns;  // ascending
  std::vector<std::int64_t> detected;  // of each, cells that store it
};
CandidateGenes candidate_genes(CsrView counts, std::span<const std::string> names,
                               std::span<const std::uint8_t> technical);

// Residuals inside one batch under mu = (cell's total) * (gene's total) / (all), variance mu + mu^2 / 100, clipped at
// +-sqrt(cells), in float32; 0 where mu is 0.
class BatchResiduals {
 public:
  explicit BatchResiduals(CsrView batch);

  // Variance (divisor n - 1) of each of these genes.
  std::vector<double> variances(std::span<const std::uint32_t> genes) const;
  // Cells x genes, row-major, in the order of `genes`.
  std::vector<float> matrix(std::span<const std::uint32_t> genes) const;

 private:
  float residual(std::int64_t cell, double gene_total, double count) const;

  CsrView batch_;
  std::vector<double> cell_totals_, gene_totals_;
  double total_ = 0, limit_ = 0;
};

// The first `n_genes` of the candidates (columns of counts) in the order of their variances: each batch ranks them
// (share of the candidates at or below), then by the median over batches, the mean, and `detected`, all descending,
// then by position. `variances`: one list a batch, one number a candidate.
std::vector<std::uint32_t> most_variable(const CandidateGenes& candidates,
                                         const std::vector<std::vector<double>>& variances, std::int64_t n_genes);

}  // namespace scvet::metrics
