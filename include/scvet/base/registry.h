// Look-up by name over the tables that cmake/Variants.cmake writes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet {

// Every record has `const char* name`. `what` names the kind of thing for the message ("engine").
template <typename Record>
std::vector<std::string> variant_names(std::span<const Record* const> table) {
  std::vector<std::string> names;
  for (const Record* record : table) names.emplace_back(record->name);
  return names;
}

template <typename Record>
const Record& find_variant(std::span<const Record* const> table, std::string_view name, std::string_view what) {
  for (const Record* record : table)
    if (name == record->name) return *record;
  const std::vector<std::string> names = variant_names(table);
  std::string message = "unknown " + std::string(what) + " '" + std::string(name) + "'";
  if (const auto near = nearest_name(name, names)) message += "; did you mean '" + *near + "'?";
  throw UsageError(message + " (available: " + join(names, ", ") + ")");
}

}  // namespace scvet
