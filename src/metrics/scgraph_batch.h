// Principal components of one batch, from its counts alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/csr_view.h"

namespace scvet::metrics {

struct BatchComponents {
  std::int64_t n_components = 0;
  std::vector<float> scores;  // cells x n_components
};

// Of these cells (ascending): logarithms of counts per 10,000 of the 1,000 genes with the largest normalised dispersion
// among them, centred, not scaled; 10 components.
BatchComponents batch_components(CsrView counts, std::span<const std::int64_t> cells);

}  // namespace scvet::metrics
