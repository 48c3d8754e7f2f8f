// Which genes vary more than others of their mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/csr_view.h"

namespace scvet::numeric {

// By normalised dispersion, as Seurat's first version (Satija et al. 2015, doi:10.1038/nbt.3192) and scanpy's flavour
// "seurat" on counts per 10,000: ln(variance / mean) against the other genes of the same of 20 bins of ln(1 + mean).
struct DispersionGenes {
  std::vector<std::int64_t> genes;  // columns, ascending: all with a score of at least the cut-off
  double cut_off = 0;               // NaN where no gene has a score
  std::vector<double> normalised;   // the score of every column; NaN: none (no variance)
};
// The n_top highest scores, and those equal to the last of them; every gene with a score where there are fewer. Counts
// (see row_sums) of all cells, or of the given ones. A cell without counts counts as a row of zeros.
DispersionGenes dispersion_genes(CsrView counts, std::int64_t n_top);
DispersionGenes dispersion_genes(CsrView counts, std::span<const std::int64_t> cells, std::int64_t n_top);

// Order among genes of several batches: by the median of their ranks first (scanpy's flavour seurat_v3), or by the
// number of batches in which they are among the first (seurat_v3_paper, and Seurat over layers).
enum class VstOrder { kRank, kBatches };

// By variance after a transformation that takes the variance of genes of the same mean out (Stuart et al. 2019,
// doi:10.1016/j.cell.2019.05.031), on raw counts, in each batch apart.
struct VstGenes {
  std::vector<std::int64_t> genes;     // columns, ascending
  std::vector<double> variances_norm;  // of every column: mean over the batches
  std::vector<double> rank;            // of every column: median over the batches where it is below n_top; NaN: in none
  std::vector<std::int32_t> n_batches;  // of every column: in how many batches it is
};
// batch_of_cell: 0 .. n_batches - 1, every batch with a cell; empty for one batch. min(n_top, columns) genes. Ties go to
// the lower column. DataError where a batch has one cell, or too few genes that vary for the loess (loess.h).
VstGenes vst_genes(CsrView counts, std::span<const std::int32_t> batch_of_cell, std::int64_t n_top, VstOrder order);

}  // namespace scvet::numeric
