#include "scvet/data/groups.h"

#include <algorithm>

#include "scvet/base/text.h"

namespace scvet {
namespace {

// Names in code-point order (that of UTF-8 bytes), those without a cell left out.
Groups compact(const std::vector<std::string>& names, std::span<const std::int32_t> codes) {
  std::vector<std::string> used;
  std::vector<std::uint8_t> seen(names.size(), 0);
  for (const std::int32_t code : codes)
    if (code >= 0 && !seen[static_cast<std::size_t>(code)]) {
      seen[static_cast<std::size_t>(code)] = 1;
      used.push_back(names[static_cast<std::size_t>(code)]);
    }
  Groups groups;
  groups.names = sorted_distinct(used);
  std::vector<std::int32_t> new_code(names.size(), -1);
  for (std::size_t at = 0; at < names.size(); ++at)
    if (seen[at])
      new_code[at] = static_cast<std::int32_t>(std::lower_bound(groups.names.begin(), groups.names.end(), names[at]) -
                                               groups.names.begin());
  groups.of_cell.reserve(codes.size());
  for (const std::int32_t code : codes)
    groups.of_cell.push_back(code < 0 ? -1 : new_code[static_cast<std::size_t>(code)]);
  return groups;
}

}  // namespace

std::vector<std::int64_t> Groups::counts() const {
  std::vector<std::int64_t> found(names.size(), 0);
  for (const std::int32_t group : of_cell)
    if (group >= 0) ++found[static_cast<std::size_t>(group)];
  return found;
}

std::vector<std::vector<std::int64_t>> Groups::members() const {
  std::vector<std::vector<std::int64_t>> found(names.size());
  for (std::size_t cell = 0; cell < of_cell.size(); ++cell)
    if (of_cell[cell] >= 0) found[static_cast<std::size_t>(of_cell[cell])].push_back(static_cast<std::int64_t>(cell));
  return found;
}

Groups make_groups(const Column& column) {
  std::vector<std::int32_t> codes;
  const std::vector<std::string> levels = column.levels(codes);
  return compact(levels, codes);
}

Groups make_groups(std::span<const std::string> texts) {
  std::vector<std::string> names = sorted_distinct(texts);
  std::vector<std::int32_t> codes;
  codes.reserve(texts.size());
  for (const std::string& text : texts)
    codes.push_back(
        text.empty() ? -1
                     : static_cast<std::int32_t>(std::lower_bound(names.begin(), names.end(), text) - names.begin()));
  return compact(names, codes);
}

Groups select_groups(const Groups& groups, std::span<const std::int64_t> cells) {
  std::vector<std::int32_t> codes;
  codes.reserve(cells.size());
  for (const std::int64_t cell : cells) codes.push_back(groups.of_cell[static_cast<std::size_t>(cell)]);
  return compact(groups.names, codes);
}

}  // namespace scvet
