// The search in its plainest form, to compare engines with: every query against every row, one gene at a time.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "scvet/base/random.h"
#include "scvet/sketch/minhash.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch::testing {

inline SearchResult naive_search(const CellSets& queries, const CellSets& reference, const SearchOptions& options) {
  std::vector<std::vector<std::uint16_t>> sets;
  std::map<std::vector<std::uint16_t>, std::vector<std::int64_t>> rows_of;
  for (std::int64_t row = 0; row < reference.n_cells(); ++row) {
    const auto tokens = reference.tokens(row);
    sets.emplace_back(tokens.begin(), tokens.end());
    std::sort(sets.back().begin(), sets.back().end());
    if (!sets.back().empty()) rows_of[sets.back()].push_back(row);
  }
  SearchResult result;
  result.n_reference = reference.n_cells();
  result.n_distinct = static_cast<std::int64_t>(rows_of.size());
  for (std::int64_t query = 0; query < queries.n_cells(); ++query) {
    std::vector<std::uint8_t> held(queries.n_tokens(), 0);
    for (const std::uint16_t token : queries.tokens(query)) held[token] = 1;
    const auto size = static_cast<std::uint32_t>(queries.tokens(query).size());
    std::vector<Neighbour> found;
    SearchResult::Containment containment;
    for (const auto& [set, rows] : rows_of) {
      std::vector<std::int64_t> others = rows;
      if (options.queries_are_reference) std::erase(others, query);
      std::uint32_t shared = 0;
      for (const std::uint16_t token : set) shared += held[token];
      if (others.empty() || shared == 0) continue;
      found.push_back({others.front(), shared, size + static_cast<std::uint32_t>(set.size()) - shared,
                       static_cast<std::uint32_t>(others.size())});
      if (shared > containment.intersection || (shared == containment.intersection && others.front() < containment.row))
        containment = {others.front(), shared};
    }
    std::sort(found.begin(), found.end(), before);
    if (found.size() > static_cast<std::size_t>(options.top)) found.resize(static_cast<std::size_t>(options.top));
    result.nearest.push_back(found);
    result.containment.push_back(options.containment ? containment : SearchResult::Containment{});
  }
  return result;
}

// `keys`: one a token; empty: the token numbers.
inline std::vector<Sketch> sketches_of(const CellSets& cells, std::uint64_t seed, std::span<const std::uint64_t> keys) {
  std::vector<Sketch> sketches;
  for (std::int64_t row = 0; row < cells.n_cells(); ++row) {
    std::vector<std::uint64_t> genes;
    for (const std::uint16_t token : cells.tokens(row)) genes.push_back(keys.empty() ? token : keys[token]);
    sketches.push_back(minhash(genes, seed));
  }
  return sketches;
}

// What the engines over sketches promise, in the plainest form (audit specification, section 3).
struct NaiveSketchSearch {
  using Lists = std::vector<std::vector<Neighbour>>;
  NaiveSketchSearch(const CellSets& queries, const CellSets& reference, const SearchOptions& options,
                    std::uint64_t seed, std::span<const std::uint64_t> keys = {})
      : queries_(queries),
        reference_(reference),
        options_(options),
        of_queries_(sketches_of(queries, seed, keys)),
        of_reference_(sketches_of(reference, seed, keys)) {
    for (std::int64_t row = 0; row < reference.n_cells(); ++row) {
      const auto tokens = reference.tokens(row);
      std::vector<std::uint16_t> set(tokens.begin(), tokens.end());
      std::sort(set.begin(), set.end());
      if (!set.empty()) rows_of_[set].push_back(row);
    }
  }

  Lists minhash() const { return by_sketch(static_cast<std::size_t>(options_.top), equal_slots); }
  Lists lsh() const {
    return by_sketch(static_cast<std::size_t>(options_.top),
                     [](const Sketch& a, const Sketch& b) { return equal_bands(a, b) ? equal_slots(a, b) : 0; });
  }
  Lists sketch8() const {
    const auto keep = static_cast<std::size_t>(std::max(200, options_.top));
    Lists nearest =
        by_sketch(keep, [](const Sketch& a, const Sketch& b) { return equal_bytes(low_bytes(a), low_bytes(b)); });
    for (std::int64_t query = 0; query < queries_.n_cells(); ++query) {
      auto& entries = nearest[static_cast<std::size_t>(query)];
      const auto own = queries_.tokens(query);
      std::vector<std::uint8_t> held(queries_.n_tokens(), 0);
      for (const std::uint16_t token : own) held[token] = 1;
      for (Neighbour& entry : entries) {
        const auto tokens = reference_.tokens(entry.row);
        entry.intersection = 0;
        for (const std::uint16_t token : tokens) entry.intersection += held[token];
        entry.union_size = static_cast<std::uint32_t>(own.size() + tokens.size()) - entry.intersection;
      }
      std::erase_if(entries, [](const Neighbour& entry) { return entry.intersection == 0; });
      std::sort(entries.begin(), entries.end(), before);
      if (entries.size() > static_cast<std::size_t>(options_.top))
        entries.resize(static_cast<std::size_t>(options_.top));
    }
    return nearest;
  }

 private:
  // `score` of two sketches; 0 is no entry.
  template <typename Score>
  Lists by_sketch(std::size_t keep, const Score& score) const {
    Lists nearest;
    for (std::int64_t query = 0; query < queries_.n_cells(); ++query) {
      std::vector<Neighbour> found;
      for (const auto& [set, rows] : rows_of_) {
        std::vector<std::int64_t> others = rows;
        if (options_.queries_are_reference) std::erase(others, query);
        if (others.empty() || queries_.tokens(query).empty()) continue;
        const auto equal = static_cast<std::uint32_t>(
            score(of_queries_[static_cast<std::size_t>(query)], of_reference_[static_cast<std::size_t>(rows.front())]));
        if (equal > 0) found.push_back({others.front(), equal, kSlots, static_cast<std::uint32_t>(others.size())});
      }
      std::sort(found.begin(), found.end(), before);
      if (found.size() > keep) found.resize(keep);
      nearest.push_back(found);
    }
    return nearest;
  }

  const CellSets &queries_, &reference_;
  SearchOptions options_;
  std::vector<Sketch> of_queries_, of_reference_;
  std::map<std::vector<std::uint16_t>, std::vector<std::int64_t>> rows_of_;
};

// Random sets over a skewed universe: gene g of n is drawn with a share that falls with g. Some are empty, some of one
// gene, some whole, some copies of an earlier one in another order, some near-copies.
inline CellSets random_sets(std::uint64_t seed, std::int64_t n_cells, std::uint32_t n_tokens, std::uint32_t most) {
  CellSets cells(n_tokens);
  Stream stream(mix(seed));
  CellSet cell;
  for (std::int64_t row = 0; row < n_cells; ++row) {
    const std::uint64_t kind = stream.below(100);
    std::vector<std::uint16_t> tokens;
    if (kind < 10 && row > 0) {  // a copy, reversed
      const auto earlier = cells.tokens(static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(row))));
      tokens.assign(earlier.rbegin(), earlier.rend());
    } else if (kind < 20 && row > 0) {  // a near-copy: about a tenth of the genes dropped
      for (const std::uint16_t token :
           cells.tokens(static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(row)))))
        if (stream.below(10) != 0) tokens.push_back(token);
    } else if (kind < 23) {
      // empty
    } else if (kind < 26) {
      tokens.push_back(static_cast<std::uint16_t>(stream.below(n_tokens)));
    } else if (kind == 26) {
      for (std::uint32_t token = 0; token < n_tokens; ++token) tokens.push_back(static_cast<std::uint16_t>(token));
    } else {
      std::set<std::uint16_t> drawn;
      const std::uint64_t wanted = 1 + stream.below(std::min(most, n_tokens));
      for (std::uint64_t at = 0; at < 2 * wanted && drawn.size() < wanted; ++at) {
        const double unit = stream.unit();
        drawn.insert(static_cast<std::uint16_t>(unit * unit * n_tokens));
      }
      tokens.assign(drawn.begin(), drawn.end());
      std::reverse(tokens.begin(), tokens.end());
    }
    cell.tokens = tokens;
    cells.add(cell);
  }
  return cells;
}

}  // namespace scvet::sketch::testing
