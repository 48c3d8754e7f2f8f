// Cells of one file found in another by their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scvet::jobs {

// For each of `wanted` its place in `present`. DataError where a name stands twice or is not there; the paths are for
// the message.
std::vector<std::int64_t> cells_by_name(const std::vector<std::string>& wanted, const std::vector<std::string>& present,
                                        const std::string& wanted_path, const std::string& present_path);

}  // namespace scvet::jobs
