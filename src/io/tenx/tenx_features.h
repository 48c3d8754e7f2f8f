// Which features of a 10x file become which genes: probes summed by gene, one genome of several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenx/tenx_file.h"

namespace scvet::io {

struct GeneView {
  TenxFeatures features;              // the genes that are left
  std::vector<std::uint32_t> target;  // of every feature of the file: its gene, or kNoIndex; empty: all as they are
  std::vector<std::string> notes;
};

// Files of probe-based assays (Flex) have a feature a probe: the probes that passed the assay's filter are summed by
// gene. `genome` (may be empty) keeps the features of that genome and takes its name off theirs. UsageError where the
// file has no such genome.
GeneView view_genes(TenxFeatures features, const std::string& genome, const std::string& file);

}  // namespace scvet::io
