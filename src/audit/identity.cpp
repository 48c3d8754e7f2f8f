#include "identity.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "content_hash.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"

namespace scvet::audit {
namespace {

using sketch::CellHashes;
using sketch::CellSet;
using sketch::CellSets;
using sketch::SetSource;

constexpr std::int64_t kTile = 4096;

// A reference row whose set may match something, with what else it holds.
struct Candidate {
  std::int64_t row;
  CellHashes hash;
  bool counted;
};

struct Workers {
  explicit Workers(std::uint32_t n_tokens) : hashers(static_cast<std::size_t>(workers()), ContentHasher(n_tokens)) {
    cells.resize(hashers.size());
  }
  std::vector<ContentHasher> hashers;
  std::vector<CellSet> cells;
};

// Calls body(row, hasher, cell) for every row; rows of one tile go to one worker in order.
template <typename Body>
void for_tiles(const SetSource& source, const char* label, const Body& body) {
  const std::int64_t n = source.n_cells(), n_tiles = (n + kTile - 1) / kTile;
  Workers state(source.n_tokens());
  ProgressScope progress(label, n);
  parallel_for(n_tiles, [&](std::int64_t tile, int worker) {
    const std::int64_t first = tile * kTile, count = std::min(kTile, n - first);
    body(tile, first, count, state.hashers[static_cast<std::size_t>(worker)],
         state.cells[static_cast<std::size_t>(worker)]);
    source.forget(first, count);
    progress.advance(count);
  });
}

// 0 stands for "no genes": a real hash is 0 with probability 2^-64.
std::vector<std::uint64_t> set_hashes(const SetSource& source) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(source.n_cells()), 0);
  for_tiles(source, "hashing reference cells",
            [&](std::int64_t, std::int64_t first, std::int64_t count, ContentHasher& hasher, CellSet& cell) {
              for (std::int64_t row = first; row < first + count; ++row) {
                source.read_tokens(row, cell.tokens);
                if (!cell.tokens.empty()) hashes[static_cast<std::size_t>(row)] = hasher.set(cell.tokens);
              }
            });
  return hashes;
}

// Sorted distinct hashes that occur at least twice.
std::vector<std::uint64_t> repeated(std::vector<std::uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  std::vector<std::uint64_t> twice;
  for (std::size_t at = 1; at < hashes.size(); ++at)
    if (hashes[at] == hashes[at - 1] && hashes[at] != 0 && (twice.empty() || twice.back() != hashes[at]))
      twice.push_back(hashes[at]);
  return twice;
}

std::vector<Candidate> read_candidates(const SetSource& source, const std::vector<std::uint64_t>& hashes,
                                       const std::vector<std::uint64_t>& wanted) {
  const auto n_tiles = static_cast<std::size_t>((source.n_cells() + kTile - 1) / kTile);
  std::vector<std::vector<Candidate>> found(n_tiles);
  for_tiles(source, "comparing repeated sets",
            [&](std::int64_t tile, std::int64_t first, std::int64_t count, ContentHasher& hasher, CellSet& cell) {
              for (std::int64_t row = first; row < first + count; ++row) {
                const std::uint64_t hash = hashes[static_cast<std::size_t>(row)];
                if (hash == 0 || !std::binary_search(wanted.begin(), wanted.end(), hash)) continue;
                source.read(row, cell);
                found[static_cast<std::size_t>(tile)].push_back({row, hasher.all(cell), !cell.counts.empty()});
              }
            });
  std::vector<Candidate> all;
  for (const auto& tile : found) all.insert(all.end(), tile.begin(), tile.end());
  return all;
}

std::int64_t equal_pairs(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  std::int64_t pairs = 0, run = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    run = at > 0 && values[at] == values[at - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

PairCounts count_pairs(const std::vector<Candidate>& cells) {
  std::vector<std::uint64_t> set, counts, order;
  for (const Candidate& cell : cells) {
    set.push_back(cell.hash.set);
    order.push_back(cell.hash.order);
    if (cell.counted) counts.push_back(cell.hash.counts);
  }
  PairCounts pairs;
  pairs.set = equal_pairs(std::move(set));
  pairs.counts = equal_pairs(std::move(counts));
  pairs.order = equal_pairs(std::move(order));
  return pairs;
}

bool hides_difference(const std::vector<Candidate>& cells) {
  struct First {
    std::uint64_t order, counts;
    bool counted;
  };
  std::unordered_map<std::uint64_t, First> seen;
  for (const Candidate& cell : cells) {
    const auto [at, is_new] = seen.try_emplace(cell.hash.set, First{cell.hash.order, cell.hash.counts, cell.counted});
    if (is_new) continue;
    First& first = at->second;
    if (first.order != cell.hash.order) return true;
    if (first.counted && cell.counted && first.counts != cell.hash.counts) return true;
    if (!first.counted && cell.counted) first = {first.order, cell.hash.counts, true};
  }
  return false;
}

using LowestRow = std::unordered_map<std::uint64_t, std::int64_t>;

std::int64_t lowest(const LowestRow& rows, std::uint64_t hash) {
  const auto at = rows.find(hash);
  return at == rows.end() ? -1 : at->second;
}

bool same_set(const CellSet& a, const CellSet& b) {
  std::vector<std::uint16_t> left = a.tokens, right = b.tokens;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

bool same_counts(const CellSet& a, const CellSet& b) {
  if (a.counts.size() != a.tokens.size() || b.counts.size() != b.tokens.size() || a.tokens.size() != b.tokens.size())
    return false;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> left, right;
  for (std::size_t at = 0; at < a.tokens.size(); ++at) {
    left.emplace_back(a.tokens[at], a.counts[at]);
    right.emplace_back(b.tokens[at], b.counts[at]);
  }
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

IdentityMatches match(const CellSets& benchmark, const std::vector<Candidate>& cells, const SetSource& reference,
                      const std::vector<Candidate>& candidates) {
  LowestRow by_set, by_counts, by_order;
  for (const Candidate& candidate : candidates) {  // ascending rows: the first stays
    by_set.try_emplace(candidate.hash.set, candidate.row);
    by_order.try_emplace(candidate.hash.order, candidate.row);
    if (candidate.counted) by_counts.try_emplace(candidate.hash.counts, candidate.row);
  }
  const auto n = static_cast<std::size_t>(benchmark.n_cells());
  IdentityMatches matches{std::vector<std::int64_t>(n, -1), std::vector<std::int64_t>(n, -1),
                          std::vector<std::int64_t>(n, -1)};
  CellSet query, found;
  for (const Candidate& cell : cells) {
    const auto at = static_cast<std::size_t>(cell.row);
    const std::int64_t set = lowest(by_set, cell.hash.set), order = lowest(by_order, cell.hash.order);
    const std::int64_t counts = cell.counted ? lowest(by_counts, cell.hash.counts) : -1;
    if (set < 0) continue;
    benchmark.read(cell.row, query);
    const auto confirmed = [&](std::int64_t row, const auto& same) {
      if (row < 0) return false;
      reference.read(row, found);
      return same(query, found);
    };
    if (confirmed(set, same_set)) matches.set[at] = set;
    if (confirmed(counts, same_counts)) matches.counts[at] = counts;
    if (confirmed(order, [](const CellSet& a, const CellSet& b) { return a.tokens == b.tokens; }))
      matches.order[at] = order;
  }
  return matches;
}

}  // namespace

IdentityScan scan_identities(const CellSets& benchmark, const SetSource& reference) {
  std::vector<Candidate> cells;  // benchmark cells with at least one gene
  ContentHasher hasher(benchmark.n_tokens());
  CellSet cell;
  std::vector<std::uint64_t> wanted;
  for (std::int64_t row = 0; row < benchmark.n_cells(); ++row) {
    benchmark.read(row, cell);
    if (cell.tokens.empty()) continue;
    cells.push_back({row, hasher.all(cell), !cell.counts.empty()});
    wanted.push_back(cells.back().hash.set);
  }
  const std::vector<std::uint64_t> hashes = set_hashes(reference);
  const std::vector<std::uint64_t> twice = repeated(hashes);
  wanted.insert(wanted.end(), twice.begin(), twice.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const std::vector<Candidate> candidates = read_candidates(reference, hashes, wanted);

  IdentityScan scan;
  scan.benchmark = count_pairs(cells);
  scan.benchmark.set_hides_difference = hides_difference(cells);
  scan.reference = count_pairs(candidates);
  scan.matches = match(benchmark, cells, reference, candidates);
  return scan;
}

}  // namespace scvet::audit
