#include "cells_by_name.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {

std::vector<std::int64_t> cells_by_name(const std::vector<std::string>& wanted, const std::vector<std::string>& present,
                                        const std::string& wanted_path, const std::string& present_path) {
  std::unordered_map<std::string_view, std::int64_t> place;
  for (std::size_t at = 0; at < present.size(); ++at)
    if (!place.emplace(present[at], static_cast<std::int64_t>(at)).second)
      throw DataError(fmt::format("{}: cell name '{}' stands twice; names must be unique", present_path, present[at]),
                      {.file = present_path, .field = "obs", .reason = "duplicate_name"});
  std::vector<std::int64_t> places;
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    const auto found = place.find(name);
    if (found == place.end())
      missing.push_back(name);
    else
      places.push_back(found->second);
  }
  if (!missing.empty())
    throw DataError(fmt::format("{} of {} cells of {} are not in {} ({}); both files must name the same cells",
                                missing.size(), wanted.size(), wanted_path, present_path, join_some(missing, 3)),
                    {.file = present_path, .field = "obs", .reason = "cells_missing"});
  return places;
}

}  // namespace scvet::jobs
