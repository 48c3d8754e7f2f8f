// The embedding of `pca` (docs/methods.md), which the shuffles start from.
#pragma once

#include <array>

#include "scvet/embed/method.h"

namespace scvet::embed {

inline constexpr std::array<MethodParameter, 2> kPcaParameters{
    MethodParameter{"pca_n_top_genes", "2000", "genes kept, by normalised dispersion; ties with the last are kept too"},
    MethodParameter{"pca_n_comps", "50", "principal components"}};

MethodOutput pca_embedding(const MethodRecord& record, const MethodInput& input);

double pca_bytes(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored);
double pca_seconds(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored);

}  // namespace scvet::embed
