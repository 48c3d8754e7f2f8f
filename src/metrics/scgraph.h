// scGraph (Wang et al. 2025, doi:10.1038/s41587-025-02702-z): do labels lie to each other in the embedding as they do
// within the batches, where no batch effect can shift them?
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scvet/metrics/metric.h"

namespace scvet::metrics {

// Labels x labels, row-major, over the labels compared. Columns are divided by their largest entry; NaN where no batch
// has both labels.
struct ScgraphDistances {
  std::vector<std::int32_t> labels = {};  // indices into the input's labels
  std::vector<double> consensus = {};     // mean over the batches
  std::vector<double> embedding = {};
  std::string undefined = {};                 // why there is none
  std::array<const void*, 4> made_from = {};  // embedding, counts, labels, batches

  std::size_t size() const { return labels.size(); }
};

// Labels of 10 cells and more that occur in a batch of 100 cells and more. Per such batch: 1,000 variable genes by
// dispersion, the logarithms of counts per 10,000, 10 principal components; per label the mean of each coordinate without
// 5 % of the values at each end; Euclidean distances. The input's copy where it was made from the same.
std::shared_ptr<const ScgraphDistances> scgraph_distances(const MetricInput& input);

// Agreement of one column of the embedding's distances with the consensus, over the entries that are there.
using ColumnAgreement = std::function<double(std::span<const double> embedding, std::span<const double> consensus)>;
// Its mean over the columns where it is defined, and one value a label.
MetricValue scgraph_agreement(const MetricInput& input, const ColumnAgreement& agreement);

// Distances between the labels' trimmed means in x (rows: cells), as above; labels without a cell: NaN. For tests too.
std::vector<double> scgraph_label_distances(MatrixView<const float> x, std::span<const std::int32_t> label_of_row,
                                            std::int32_t n_labels);
// Divides each column by its largest entry, NaN aside.
void scgraph_scale_columns(std::vector<double>& distances, std::size_t n_labels);

}  // namespace scvet::metrics
