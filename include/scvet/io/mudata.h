// What is special to MuData files (h5mu).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scvet::io {

struct MudataParts {
  std::vector<std::string> modalities;  // in the file's own order; empty when it is no MuData
  std::int64_t n_obs = -1;              // cells of the whole; -1 when they cannot be read
};

// Never throws on foreign or broken files.
MudataParts mudata_parts(const std::string& path);

}  // namespace scvet::io
