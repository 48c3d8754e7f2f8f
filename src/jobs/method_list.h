#pragma once

#include <string>
#include <vector>

namespace scvet::jobs {

std::vector<std::string> variant_names_of_methods();
// UsageError where `name` (lower case) is a method of the peer that this version does not have.
void refuse_peer_method(const std::string& name);

}  // namespace scvet::jobs
