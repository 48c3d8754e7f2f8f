// The files that cmake/ReportAssets.cmake puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace scvet::report {

struct Asset {
  const char* name;  // base name; licences as "<package>.LICENSE"
  const char* first;
  const char* last;
};
std::span<const Asset> assets();

// "" when it was not built in.
std::string_view asset(std::string_view name);

}  // namespace scvet::report
