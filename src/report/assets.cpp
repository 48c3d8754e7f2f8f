#include "assets.h"

namespace scvet::report {

std::string_view asset(std::string_view name) {
  for (const Asset& candidate : assets())
    if (name == candidate.name) return {candidate.first, static_cast<std::size_t>(candidate.last - candidate.first)};
  return {};
}

}  // namespace scvet::report
