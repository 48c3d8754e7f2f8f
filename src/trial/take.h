// Chosen entries of a column, in the order of the choice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::trial {

template <typename Values>
std::vector<typename Values::value_type> take(const Values& values, std::span<const std::int64_t> rows) {
  std::vector<typename Values::value_type> taken;
  taken.reserve(rows.size());
  for (const std::int64_t row : rows) taken.push_back(values[static_cast<std::size_t>(row)]);
  return taken;
}

}  // namespace scvet::trial
