// One pair of an embedding and its counts through the probes.
#pragma once

#include <string>

#include "geometry_table.h"
#include "scvet/jobs/geometry.h"

namespace scvet::jobs {

struct GeometryPair {
  std::string embedding, data;     // paths
  std::string dataset_id, output;  // stems of data and embedding
};

// The row of the pair; whatever goes wrong with its files is the row's failure. Ctrl-C and want of memory are thrown.
GeometryRow measure_pair(const GeometryPair& pair, const std::string& method, const GeometryOptions& options);

}  // namespace scvet::jobs
