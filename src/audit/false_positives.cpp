#include <algorithm>
#include <cmath>
#include <cstddef>

#include "controls.h"
#include "scvet/base/random.h"

namespace scvet::audit {
namespace {

constexpr double kMostAt001 = .005;  // above: the flags are called not calibrated

std::vector<ReferenceGroup> part_groups(const std::vector<ReferenceGroup>& groups,
                                        const std::vector<sketch::CellSets>& own,
                                        const std::vector<sketch::CellSets>& other) {
  std::vector<ReferenceGroup> parts;
  for (std::size_t group = 0; group < groups.size(); ++group)
    parts.push_back({groups[group].name, &own[group], &other[group]});
  return parts;
}

std::vector<sketch::CellSets> take(const std::vector<ReferenceGroup>& groups, const std::vector<std::int64_t>& rows) {
  std::vector<sketch::CellSets> parts;
  sketch::CellSet cell;
  for (const ReferenceGroup& group : groups) {
    parts.emplace_back(group.benchmark->n_tokens());
    std::int64_t tokens = 0;
    for (const std::int64_t row : rows) tokens += static_cast<std::int64_t>(group.benchmark->tokens(row).size());
    parts.back().reserve(static_cast<std::int64_t>(rows.size()), tokens);
    for (const std::int64_t row : rows) {
      group.benchmark->read(row, cell);
      parts.back().add(cell);
    }
  }
  return parts;
}

std::string flag_of(const CellOutcome& cell) {
  if (cell.exact) return "exact";
  return cell.same_cell ? "same_cell" : "suspect";
}

void add_pair(const CellOutcome& cell, std::int64_t row, const std::vector<std::int64_t>& other_rows,
              const AuditOptions& options, FalsePositives& result) {
  const bool counts = cell.suspect || cell.same_cell || cell.counts_as_exact(options.min_genes_same);
  if (!counts) return;
  FalsePositives::Pair pair;
  pair.cell = row;
  const std::int64_t match = cell.exact ? cell.identical_row() : cell.best.row;
  if (match >= 0) pair.match = other_rows[static_cast<std::size_t>(match)];
  pair.p_same = cell.p_same;
  pair.lift = cell.lift;
  pair.jaccard = cell.best.jaccard();
  pair.flag = flag_of(cell);
  result.pairs.push_back(pair);
}

FalsePositives::Type& type_of(const CellAnnotations& annotations, std::int64_t row, FalsePositives& result) {
  const std::int32_t code = annotations.label[static_cast<std::size_t>(row)];
  return code < 0 ? result.types.back() : result.types[static_cast<std::size_t>(code)];
}

void count_part(const PartAudit& part, const PartAudit& other, const CellAnnotations& annotations,
                const AuditOptions& options, FalsePositives& result, std::int64_t (&below)[3], std::int64_t& flagged) {
  for (std::size_t at = 0; at < part.rows.size(); ++at) {
    const CellOutcome& cell = part.audit.cells[at];
    const bool tested = !std::isnan(cell.p_same);
    result.n_tested += tested;
    below[0] += cell.p_same <= .05;
    below[1] += cell.p_same <= .01;
    below[2] += cell.p_same <= .001;
    result.n_same_cell += cell.same_cell;
    result.n_suspect += cell.suspect;
    result.n_undecidable_rare += cell.status == CellStatus::kUndecidableRare;
    result.n_exact += cell.exact;
    flagged += tested && cell.exposed(options.min_genes_same);
    add_pair(cell, part.rows[at], other.rows, options, result);
    if (annotations.label.empty()) continue;
    FalsePositives::Type& type = type_of(annotations, part.rows[at], result);
    ++type.n_cells;
    type.n_tested += tested;
    type.n_suspect += cell.suspect;
    type.n_same_cell += cell.same_cell;
  }
}

}  // namespace

Split split_benchmark(std::int64_t n_cells, const CellAnnotations& annotations, std::uint64_t seed) {
  Split split{"halves", std::vector<std::uint8_t>(static_cast<std::size_t>(n_cells), 0)};
  // Cells without a donor count as one donor more.
  std::vector<std::int64_t> size(annotations.donor_levels.size() + 1, 0);
  const auto level = [&](std::int32_t code) { return code < 0 ? size.size() - 1 : static_cast<std::size_t>(code); };
  for (const std::int32_t code : annotations.donor) ++size[level(code)];
  std::vector<std::size_t> donors;
  for (std::size_t donor = 0; donor + 1 < size.size(); ++donor)
    if (size[donor] > 0) donors.push_back(donor);
  if (donors.size() >= 2) {
    if (size.back() > 0) donors.push_back(size.size() - 1);
    std::stable_sort(donors.begin(), donors.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
    std::vector<std::uint8_t> side(size.size(), 0);
    for (std::size_t place = 0; place < donors.size(); ++place) side[donors[place]] = place % 2;
    for (std::size_t cell = 0; cell < split.part.size(); ++cell)
      split.part[cell] = side[level(annotations.donor[cell])];
    split.kind = "donors";
    return split;
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t cell = 0; cell < split.part.size(); ++cell) order.emplace_back(mix(seed ^ cell), cell);
  std::sort(order.begin(), order.end());
  for (std::size_t place = order.size() / 2; place < order.size(); ++place) split.part[order[place].second] = 1;
  return split;
}

FalsePositives measure_false_positives(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                                       const AuditOptions& options) {
  FalsePositives result;
  const std::int64_t n = groups[0].benchmark->n_cells();
  const Split split = split_benchmark(n, annotations, options.seed);
  result.split = split.kind;
  result.n_cells = n;
  std::vector<PartAudit> parts(2);
  for (std::int64_t row = 0; row < n; ++row) parts[split.part[static_cast<std::size_t>(row)]].rows.push_back(row);
  const std::vector<sketch::CellSets> first = take(groups, parts[0].rows), second = take(groups, parts[1].rows);
  for (int side = 0; side < 2; ++side) {
    PartAudit& part = parts[static_cast<std::size_t>(side)];
    part.audit =
        audit_cells(side == 0 ? part_groups(groups, first, second) : part_groups(groups, second, first), options);
    std::vector<std::int32_t> label;
    if (!annotations.label.empty())
      for (const std::int64_t row : part.rows) label.push_back(annotations.label[static_cast<std::size_t>(row)]);
    decide_flags(part.audit.cells, part.audit.groups, label, options);
  }
  if (!annotations.label.empty()) {
    for (const std::string& label : annotations.label_levels) result.types.emplace_back().label = label;
    result.types.emplace_back();  // cells without a label
  }
  std::int64_t below[3] = {0, 0, 0}, flagged = 0;
  count_part(parts[0], parts[1], annotations, options, result, below, flagged);
  count_part(parts[1], parts[0], annotations, options, result, below, flagged);
  result.at_05 = make_share(below[0], result.n_tested);
  result.at_01 = make_share(below[1], result.n_tested);
  result.at_001 = make_share(below[2], result.n_tested);
  result.flagged = make_share(flagged, result.n_tested);
  result.calibrated = !(result.at_001.share > kMostAt001) && result.n_same_cell == 0;
  std::sort(result.pairs.begin(), result.pairs.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  if (result.n_tested == 0)
    result.reason = "the benchmark is too small: its two parts hold too few different cells for the test";
  else if (!annotations.label.empty())
    test_rare_types(groups, annotations, split, parts, options, result);
  if (!annotations.label.empty() && result.types.back().n_cells == 0) result.types.pop_back();
  return result;
}

}  // namespace scvet::audit
