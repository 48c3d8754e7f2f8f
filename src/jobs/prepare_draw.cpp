#include "prepare_draw.h"

#include <algorithm>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/random.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using Cells = std::vector<std::int64_t>;

// A number a cell that depends on its name and the seed alone: the cells with the least are drawn.
std::vector<std::uint64_t> priorities(const std::vector<std::string>& names, std::uint64_t seed) {
  std::vector<std::uint64_t> result;
  result.reserve(names.size());
  for (const std::string& name : names) {
    Fold fold(stream_key(seed, 1), name.size());
    for (const char c : name) fold.add(static_cast<unsigned char>(c));
    result.push_back(fold.value());
  }
  return result;
}

// Cells of each group, those of none in a group of their own at the end.
std::vector<Cells> by_group(const Groups& groups, const Cells& cells) {
  std::vector<Cells> members(static_cast<std::size_t>(groups.size()) + 1);
  for (const std::int64_t cell : cells) {
    const std::int32_t group = groups.of_cell[static_cast<std::size_t>(cell)];
    members[group < 0 ? members.size() - 1 : static_cast<std::size_t>(group)].push_back(cell);
  }
  return members;
}

void keep_first(Cells& cells, std::int64_t most, const std::vector<std::uint64_t>& priority) {
  if (static_cast<std::int64_t>(cells.size()) <= most) return;
  std::sort(cells.begin(), cells.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair(priority[static_cast<std::size_t>(a)], a) < std::pair(priority[static_cast<std::size_t>(b)], b);
  });
  cells.resize(static_cast<std::size_t>(most));
}

Cells join_groups(const std::vector<Cells>& groups) {
  Cells cells;
  for (const Cells& group : groups) cells.insert(cells.end(), group.begin(), group.end());
  std::sort(cells.begin(), cells.end());
  return cells;
}

std::vector<std::int64_t> sizes(const std::vector<Cells>& groups) {
  std::vector<std::int64_t> result;
  for (const Cells& group : groups) result.push_back(static_cast<std::int64_t>(group.size()));
  return result;
}

}  // namespace

CellCap parse_cell_cap(const std::string& text, const std::string& label_key) {
  const std::size_t equals = text.rfind('=');
  const std::string column = equals == std::string::npos ? label_key : text.substr(0, equals);
  const auto most = parse_integer(equals == std::string::npos ? text : text.substr(equals + 1));
  if (column.empty() || !most || *most < 1)
    throw UsageError("--max-per expects a column of obs and the most cells of each of its values, such as " +
                         label_key + "=1500; found '" + text + "'",
                     {.field = "--max-per"});
  return {column, *most};
}

std::vector<std::int64_t> shares(const std::vector<std::int64_t>& counts, std::int64_t total) {
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (total >= all) return counts;
  const auto filled = std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; });
  const std::int64_t least = total >= filled ? 1 : 0;
  std::vector<std::int64_t> result;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;  // negated, so that the largest come first
  for (std::size_t at = 0; at < counts.size(); ++at) {
    __extension__ using Wide = __int128;
    const Wide part = static_cast<Wide>(counts[at]) * total;
    result.push_back(std::max(static_cast<std::int64_t>(part / all), counts[at] > 0 ? least : 0));
    remainders.emplace_back(-static_cast<std::int64_t>(part % all), at);
  }
  std::sort(remainders.begin(), remainders.end());
  std::int64_t left = total - std::accumulate(result.begin(), result.end(), std::int64_t{0});
  for (std::size_t next = 0; left > 0; next = (next + 1) % remainders.size()) {
    const std::size_t at = remainders[next].second;
    if (result[at] >= counts[at]) continue;
    ++result[at];
    --left;
  }
  for (; left < 0; ++left) --*std::max_element(result.begin(), result.end());  // what the least of 1 took too much
  return result;
}

CellDraw draw_cells(const Table& obs, const PrepareOptions& options, const std::string& file) {
  const std::vector<std::uint64_t> priority = priorities(obs.names, options.seed);
  Cells cells(static_cast<std::size_t>(obs.rows()));
  std::iota(cells.begin(), cells.end(), std::int64_t{0});
  for (const CellCap& cap : options.max_per) {
    std::vector<Cells> groups = by_group(make_groups(require_column(obs, cap.column, file, "--max-per")), cells);
    for (Cells& group : groups) keep_first(group, cap.most, priority);
    cells = join_groups(groups);
  }
  CellDraw draw;
  const Column* label = obs.find(options.label_key);
  const Groups labels = label ? make_groups(*label) : Groups{{}, std::vector<std::int32_t>(obs.names.size(), -1)};
  if (label) draw.stratified_by = options.label_key;
  std::vector<Cells> strata = by_group(labels, cells);
  if (options.subsample > 0) {
    const std::vector<std::int64_t> quota = shares(sizes(strata), options.subsample);
    for (std::size_t at = 0; at < strata.size(); ++at) keep_first(strata[at], quota[at], priority);
  }
  draw.cells = join_groups(strata);
  Cells everyone(static_cast<std::size_t>(obs.rows()));
  std::iota(everyone.begin(), everyone.end(), std::int64_t{0});
  const std::vector<std::int64_t> before = sizes(by_group(labels, everyone)), after = sizes(strata);
  for (std::size_t at = 0; at < strata.size(); ++at)
    if (before[at] > 0)
      draw.strata.push_back({at < labels.names.size() ? labels.names[at] : "", before[at], after[at]});
  return draw;
}

}  // namespace scvet::jobs
