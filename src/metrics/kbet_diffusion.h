// Diffusion coordinates of a graph: Euclidean distances between them approximate diffusion distances (Haghverdi et al.
// 2016, doi:10.1038/nmeth.3971), as kBET uses them to make the neighbour lists of labels comparable.
#pragma once

#include <vector>

#include "scvet/graph/fuzzy_graph.h"

namespace scvet::metrics {

// Cells x n_components, row-major; n_components <= cells. With K_ij = S_ij / (q_i q_j), q the column sums of the weights
// S, and z the roots of the column sums of K: eigenpairs of K_ij / (z_i z_j), those of the largest magnitude, each vector
// times lambda / (1 - lambda). A pair with lambda within 1e-6 of 1 (one for each connected part) keeps factor 1.
// Every cell must have an edge. Throws InternalError where the eigenpairs cannot be found.
std::vector<double> diffusion_coordinates(const graph::WeightedGraph& graph, std::int64_t n_components);

}  // namespace scvet::metrics
