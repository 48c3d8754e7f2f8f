// A matrix with its genes renumbered: some left out, several summed into one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet::io {

// target[gene of inner] is the row of `var` that takes its values, kNoIndex (convert.h) where none does.
std::unique_ptr<CellSource> mapped_genes_source(std::unique_ptr<CellSource> inner, std::vector<std::uint32_t> target,
                                                std::shared_ptr<const Table> var);

}  // namespace scvet::io
