// What a method asks of a file, as far as `scvet check` can tell it from names and columns.
#pragma once

#include <string>
#include <vector>

#include "scvet/jobs/check.h"

namespace scvet::jobs {

// Of the methods that this version has, and of the peer's others by their names.
struct MethodNeeds {
  std::string name;             // "" when no method was named
  bool ensembl = false;         // var['ensembl_id']
  bool integration = false;     // batches
  bool seurat_anchors = false;  // batches of more than 30 cells
  bool spatial = false;         // obsm['spatial']
  bool counts = false;          // refuses other values
};

// In any case; UsageError with the nearest name.
MethodNeeds method_needs(const std::string& name);

// Of every method of this version, or of `name` alone; none where this version does not have it.
std::vector<MethodEstimate> method_estimates(const std::string& name, std::int64_t n_cells, std::int64_t n_genes,
                                             std::int64_t stored);

}  // namespace scvet::jobs
