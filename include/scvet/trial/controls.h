// The two controls of a representation: random numbers of its shape, and its own rows given to the wrong perturbations.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/trial/split.h"

namespace scvet::trial {

// Rows of standard normal numbers, row-major from one stream, each divided by its length; seed is that of the stream
// (the model's seed and the protocol's gaussian_offset).
std::vector<double> gaussian_rows(std::int64_t n_rows, std::int64_t dim, std::uint32_t seed);

// source[row]: whose representation the row is given. Train, then val, then test are permuted within themselves.
std::vector<std::int64_t> shuffle_sources(const Split& split, std::uint32_t seed);
std::vector<double> take_rows(MatrixView<const double> matrix, const std::vector<std::int64_t>& rows);

// Each row divided by its Euclidean length; a row of zeros stays.
void unit_rows(MatrixView<double> matrix);

}  // namespace scvet::trial
