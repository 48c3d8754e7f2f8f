#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <unordered_map>

#include "content_hash.h"
#include "controls.h"
#include "gap_test.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/numeric/multiple_testing.h"

namespace scvet::audit {
namespace {

using sketch::CellSets;

constexpr std::int64_t kFewestCells = 40;
constexpr std::size_t kKept = 3, kQueries = 2 * kKept;  // per part, in both

// Which cells of a group hold the very same set; -1: no gene.
struct SetClasses {
  std::vector<std::int32_t> of_cell;
  std::int32_t n = 0;
};

SetClasses classify(const CellSets& cells) {
  SetClasses classes;
  std::unordered_map<std::uint64_t, std::int32_t> known;
  ContentHasher hasher(cells.n_tokens());
  for (std::int64_t row = 0; row < cells.n_cells(); ++row) {
    const auto tokens = cells.tokens(row);
    if (tokens.empty()) {
      classes.of_cell.push_back(-1);
      continue;
    }
    const auto [at, is_new] = known.try_emplace(hasher.set(tokens), classes.n);
    classes.n += is_new;
    classes.of_cell.push_back(at->second);
  }
  return classes;
}

struct RareQuery {
  std::int64_t row = -1;
  std::uint8_t part = 0;
  std::vector<GapResult> gap;  // one a group
};

using Counts = std::array<std::uint16_t, kQueries>;

// Genes shared by every kept cell and the queries: eight 8-bit counters in one word, emptied before they overflow.
std::vector<Counts> intersections(const CellSets& cells, const std::vector<RareQuery>& queries,
                                  const std::vector<std::uint8_t>& kept) {
  std::vector<std::uint64_t> mask(cells.n_tokens(), 0);
  for (std::size_t query = 0; query < queries.size(); ++query)
    for (const std::uint16_t token : cells.tokens(queries[query].row)) mask[token] |= std::uint64_t{1} << (8 * query);
  std::vector<Counts> shared(kept.size(), Counts{});
  for (std::size_t cell = 0; cell < kept.size(); ++cell) {
    if (!kept[cell]) continue;
    const auto tokens = cells.tokens(static_cast<std::int64_t>(cell));
    for (std::size_t first = 0; first < tokens.size(); first += 255) {
      std::uint64_t sum = 0;
      for (std::size_t at = first; at < std::min(first + 255, tokens.size()); ++at) sum += mask[tokens[at]];
      for (std::size_t query = 0; query < kQueries; ++query)
        shared[cell][query] = static_cast<std::uint16_t>(shared[cell][query] + ((sum >> (8 * query)) & 255));
    }
  }
  return shared;
}

GapResult test_query(const CellSets& cells, const SetClasses& classes, const std::vector<Counts>& shared,
                     const std::vector<std::uint8_t>& kept, const std::vector<std::uint8_t>& part,
                     const RareQuery& query, std::size_t column, const AuditOptions& options) {
  std::vector<PoolEntry> pool;
  std::array<std::vector<std::int32_t>, 2> entry_of;  // by class: none -1, no shared gene -2, else place in pool
  for (auto& side : entry_of) side.assign(static_cast<std::size_t>(classes.n), -1);
  std::int64_t n_entries = 0;
  const auto size = static_cast<std::uint32_t>(cells.tokens(query.row).size());
  for (std::size_t cell = 0; cell < kept.size(); ++cell) {
    const std::int32_t set = classes.of_cell[cell];
    if (!kept[cell] || set < 0 || static_cast<std::int64_t>(cell) == query.row) continue;
    const bool reference = part[cell] != query.part;
    std::int32_t& entry = entry_of[reference][static_cast<std::size_t>(set)];
    if (entry >= 0) ++pool[static_cast<std::size_t>(entry)].match.multiplicity;
    if (entry != -1) continue;
    ++n_entries;
    const std::uint32_t both = shared[cell][column];
    entry = both > 0 ? static_cast<std::int32_t>(pool.size()) : -2;
    if (both == 0) continue;
    const auto own = static_cast<std::uint32_t>(cells.tokens(static_cast<std::int64_t>(cell)).size());
    pool.push_back({{static_cast<std::int64_t>(cell), both, size + own - both, 1}, reference});
  }
  const std::size_t top = std::min(pool.size(), static_cast<std::size_t>(options.top));
  std::partial_sort(pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(top), pool.end(),
                    [](const PoolEntry& a, const PoolEntry& b) { return before(a, b); });
  pool.resize(top);
  return gap_test(pool, n_entries, neighbours_used(options), options.max_copies);
}

// Three cells of each part with the smallest key; where a part has fewer, the six smallest dealt alternately.
std::vector<RareQuery> choose(const std::vector<std::int64_t>& cells, const std::vector<std::uint8_t>& part,
                              std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> order;
  for (const std::int64_t row : cells) order.emplace_back(mix(seed ^ static_cast<std::uint64_t>(row)), row);
  std::sort(order.begin(), order.end());
  std::vector<RareQuery> chosen;
  std::array<std::size_t, 2> taken{0, 0};
  for (const auto& [key, row] : order) {
    const std::uint8_t side = part[static_cast<std::size_t>(row)];
    if (taken[side] == kKept) continue;
    ++taken[side];
    chosen.push_back({row, side, {}});
  }
  if (taken[0] == kKept && taken[1] == kKept) return chosen;
  chosen.clear();
  for (std::size_t place = 0; place < std::min(order.size(), kQueries); ++place)
    chosen.push_back({order[place].second, static_cast<std::uint8_t>(place % 2), {}});
  return chosen;
}

// How the queries of one part would be flagged there, the other cells of their label being gone.
std::int64_t count_flagged(const PartAudit& part, std::uint8_t side, const std::vector<RareQuery>& queries,
                           const std::vector<std::int32_t>& label, std::int32_t code,
                           const std::vector<ReferenceGroup>& groups, const AuditOptions& options) {
  std::vector<std::size_t> stay;
  for (std::size_t at = 0; at < part.rows.size(); ++at)
    if (label[static_cast<std::size_t>(part.rows[at])] != code) stay.push_back(at);
  std::vector<LiftFit> fits;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<std::uint32_t> size;
    std::vector<double> background;
    for (const std::size_t at : stay) {
      size.push_back(part.audit.groups[group].size[at]);
      background.push_back(part.audit.groups[group].background[at]);
    }
    for (const RareQuery& query : queries) {
      if (query.part != side) continue;
      size.push_back(static_cast<std::uint32_t>(groups[group].benchmark->tokens(query.row).size()));
      background.push_back(query.gap[group].background);
    }
    fits.push_back(fit_lift(size, background));
  }
  std::vector<double> p;
  std::vector<std::pair<const RareQuery*, std::size_t>> tested;  // with the group that answers
  for (const RareQuery& query : queries) {
    if (query.part != side) continue;
    std::size_t best = 0;
    for (std::size_t group = 1; group < groups.size(); ++group)
      if (query.gap[group].p < query.gap[best].p || std::isnan(query.gap[best].p)) best = group;
    tested.emplace_back(&query, best);
    p.push_back(query.gap[best].d > 0 ? std::min(1.0, query.gap[best].p * static_cast<double>(groups.size())) : kNaN);
  }
  for (const std::size_t at : stay) p.push_back(part.audit.cells[at].p_same);
  const std::vector<double> q = numeric::benjamini_hochberg(p);
  std::int64_t flagged = 0;
  for (std::size_t at = 0; at < tested.size(); ++at) {
    const auto [query, group] = tested[at];
    const auto size = static_cast<std::uint32_t>(groups[group].benchmark->tokens(query->row).size());
    const double lift = lift_of(fits[group], size, query->gap[group].level);
    flagged += query->gap[group].reference && lift >= options.min_lift &&
               (p[at] <= options.p_suspect || q[at] <= options.q_flag);
  }
  return flagged;
}

}  // namespace

void test_rare_types(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations, const Split& split,
                     const std::vector<PartAudit>& parts, const AuditOptions& options, FalsePositives& result) {
  std::vector<SetClasses> classes;
  for (const ReferenceGroup& group : groups) classes.push_back(classify(*group.benchmark));
  std::vector<std::vector<std::int64_t>> testable(annotations.label_levels.size());
  for (std::size_t cell = 0; cell < annotations.label.size(); ++cell) {
    const std::int32_t code = annotations.label[cell];
    const auto size = groups[0].benchmark->tokens(static_cast<std::int64_t>(cell)).size();
    if (code >= 0 && size >= static_cast<std::size_t>(options.min_genes_same))
      testable[static_cast<std::size_t>(code)].push_back(static_cast<std::int64_t>(cell));
  }
  parallel_for(static_cast<std::int64_t>(testable.size()), [&](std::int64_t task, int) {
    const auto type = static_cast<std::size_t>(task);
    if (result.types[type].n_cells < kFewestCells || testable[type].size() < kQueries) return;
    std::vector<RareQuery> queries = choose(testable[type], split.part, options.seed);
    std::vector<std::uint8_t> kept(split.part.size(), 1), part = split.part;
    for (std::size_t cell = 0; cell < kept.size(); ++cell)
      kept[cell] = annotations.label[cell] != static_cast<std::int32_t>(type);
    for (const RareQuery& query : queries) {
      kept[static_cast<std::size_t>(query.row)] = 1;
      part[static_cast<std::size_t>(query.row)] = query.part;
    }
    for (std::size_t group = 0; group < groups.size(); ++group) {
      const CellSets& cells = *groups[group].benchmark;
      const std::vector<Counts> shared = intersections(cells, queries, kept);
      for (std::size_t query = 0; query < queries.size(); ++query)
        queries[query].gap.push_back(
            test_query(cells, classes[group], shared, kept, part, queries[query], query, options));
    }
    for (const RareQuery& query : queries)
      result.types[type].rare_tested +=
          std::any_of(query.gap.begin(), query.gap.end(), [](const GapResult& gap) { return gap.d > 0; });
    for (std::uint8_t side = 0; side < 2; ++side)
      result.types[type].rare_flagged += count_flagged(parts[side], side, queries, annotations.label,
                                                       static_cast<std::int32_t>(type), groups, options);
  });
}

}  // namespace scvet::audit
