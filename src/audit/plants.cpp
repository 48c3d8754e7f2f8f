#include <algorithm>
#include <cstddef>
#include <functional>

#include "controls.h"
#include "gap_test.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::audit {
namespace {

using sketch::CellSet;

constexpr std::int64_t kMostPlants = 300;

// The smallest unit() over the molecules of each gene: the gene stays in a copy of share x when it is below x. One
// stream serves every share, so a thinner copy is part of a thicker one. Molecules in ascending token order.
struct Thinning {
  std::vector<double> smallest;  // by place in ascending token order
  std::vector<std::uint16_t> tokens;
  bool by_gene = false;
};

Thinning draw(const CellSet& cell, std::uint64_t seed, std::int64_t row) {
  std::vector<std::pair<std::uint16_t, std::uint32_t>> genes;
  for (std::size_t at = 0; at < cell.tokens.size(); ++at)
    genes.emplace_back(cell.tokens[at], cell.counts.empty() ? 1 : cell.counts[at]);
  std::sort(genes.begin(), genes.end());
  Thinning thinning;
  thinning.by_gene = cell.counts.empty();
  Stream stream(stream_key(seed + 2, static_cast<std::uint64_t>(row)));
  for (const auto& [token, molecules] : genes) {
    double smallest = 1;
    for (std::uint32_t molecule = 0; molecule < molecules; ++molecule) smallest = std::min(smallest, stream.unit());
    thinning.tokens.push_back(token);
    thinning.smallest.push_back(smallest);
  }
  return thinning;
}

struct Plant {
  std::vector<PoolEntry> pool;
  std::size_t place = 0;
  std::int64_t n_entries = 0;
};

// A reference cell with the very set of the copy is the same entry: the copy then only adds to its multiplicity.
bool holds(const sketch::SetSource& reference, std::int64_t row, const std::vector<std::uint16_t>& sorted) {
  CellSet cell;
  reference.read(row, cell);
  std::sort(cell.tokens.begin(), cell.tokens.end());
  return cell.tokens == sorted;
}

Plant insert(const std::vector<PoolEntry>& pool, std::int64_t n_entries, const sketch::SetSource& reference,
             const std::vector<std::uint16_t>& copy, std::uint32_t size, int top) {
  Plant plant{pool, 0, n_entries};
  PoolEntry entry;
  entry.reference = true;
  entry.match = {reference.n_cells(), static_cast<std::uint32_t>(copy.size()), size, 1};
  for (std::size_t at = 0; at < pool.size(); ++at)
    if (pool[at].reference && pool[at].match.intersection == entry.match.intersection &&
        pool[at].match.union_size == size && holds(reference, pool[at].match.row, copy)) {
      plant.place = at;
      return plant;
    }
  const auto at = std::upper_bound(plant.pool.begin(), plant.pool.end(), entry,
                                   [](const PoolEntry& a, const PoolEntry& b) { return before(a, b); });
  plant.place = static_cast<std::size_t>(at - plant.pool.begin());
  plant.pool.insert(at, entry);
  if (plant.pool.size() > static_cast<std::size_t>(top)) plant.pool.pop_back();
  ++plant.n_entries;
  return plant;
}

bool is_found(const GroupCells& of_group, const Plant& plant, std::uint32_t size, std::size_t n_groups,
              const AuditOptions& options) {
  if (size < static_cast<std::uint32_t>(options.min_genes_same) || plant.pool.empty()) return false;
  const GapResult gap = gap_test(plant.pool, plant.n_entries, neighbours_used(options), options.max_copies);
  const double p = gap.p * static_cast<double>(n_groups);
  return p <= options.p_suspect && lift_of(of_group.fit, size, gap.level) >= options.min_lift &&
         plant.place < static_cast<std::size_t>(gap.d);
}

}  // namespace

std::vector<double> plant_shares(double thinning) {
  std::vector<double> shares{1, .7, .5, .3, .2};
  if (std::find(shares.begin(), shares.end(), thinning) == shares.end()) shares.push_back(thinning);
  std::sort(shares.begin(), shares.end(), std::greater<>());
  return shares;
}

std::vector<std::int64_t> plant_rows(const CellsAudit& audit, const AuditOptions& options) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> order;
  for (std::size_t row = 0; row < audit.cells.size(); ++row) {
    const CellOutcome& cell = audit.cells[row];
    if (cell.exact || cell.suspect || cell.size < static_cast<std::uint32_t>(options.min_genes_same)) continue;
    order.emplace_back(mix(options.seed ^ row), static_cast<std::int64_t>(row));
  }
  std::sort(order.begin(), order.end());
  const auto most = std::min(kMostPlants, static_cast<std::int64_t>(audit.cells.size()) / 5);
  if (static_cast<std::int64_t>(order.size()) > most) order.resize(static_cast<std::size_t>(most));
  std::vector<std::int64_t> rows;
  for (const auto& [key, row] : order) rows.push_back(row);
  return rows;
}

std::vector<std::vector<PlantPower>> plant_copies(const std::vector<ReferenceGroup>& groups, const CellsAudit& audit,
                                                  const AuditOptions& options) {
  const std::vector<std::int64_t> rows = plant_rows(audit, options);
  const std::vector<double> shares = plant_shares(options.thinning);
  std::vector<std::vector<PlantPower>> result;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const sketch::CellSets& benchmark = *groups[group].benchmark;
    std::vector<std::uint8_t> found(rows.size() * shares.size(), 0), by_gene(rows.size(), 0);
    parallel_for(static_cast<std::int64_t>(rows.size()), [&](std::int64_t plant, int) {
      const auto at = static_cast<std::size_t>(plant);
      CellSet cell;
      benchmark.read(rows[at], cell);
      const auto row = static_cast<std::size_t>(rows[at]);
      const Thinning thinning = draw(cell, options.seed, rows[at]);
      by_gene[at] = thinning.by_gene;
      for (std::size_t share = 0; share < shares.size(); ++share) {
        std::vector<std::uint16_t> copy;
        for (std::size_t gene = 0; gene < thinning.tokens.size(); ++gene)
          if (thinning.smallest[gene] < shares[share]) copy.push_back(thinning.tokens[gene]);
        if (copy.empty()) continue;
        const auto size = static_cast<std::uint32_t>(cell.tokens.size());
        const Plant planted = insert(audit.pool(group, row), audit.groups[group].pool_entries[row],
                                     *groups[group].reference, copy, size, options.top);
        found[at * shares.size() + share] = is_found(audit.groups[group], planted, size, groups.size(), options);
      }
    });
    std::vector<PlantPower> powers;
    for (std::size_t share = 0; share < shares.size(); ++share) {
      std::int64_t hits = 0;
      for (std::size_t plant = 0; plant < rows.size(); ++plant) hits += found[plant * shares.size() + share];
      PlantPower power;
      power.kept = shares[share];
      power.found = make_share(hits, static_cast<std::int64_t>(rows.size()));
      power.by_gene = std::any_of(by_gene.begin(), by_gene.end(), [](std::uint8_t yes) { return yes != 0; });
      powers.push_back(power);
    }
    result.push_back(std::move(powers));
  }
  return result;
}

}  // namespace scvet::audit
