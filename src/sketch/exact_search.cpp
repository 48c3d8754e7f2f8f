#include "exact_search.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "exact_blocks.h"
#include "exact_groups.h"
#include "exact_tile.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"

namespace scvet::sketch {
namespace {

using Blocks = std::vector<std::unique_ptr<QueryBlock>>;

// All queries by size: those of a block then shrink and prune together.
Blocks make_blocks(const CellSets& queries, const SearchOptions& options, SimdTarget target) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(queries.n_cells()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return queries.tokens(a).size() < queries.tokens(b).size(); });
  Blocks blocks;
  for (std::size_t first = 0; first < order.size();) {
    const Kernel* kernel = exact_kernels(target);
    while (kernel[1].lanes != 0 && order.size() - first <= static_cast<std::size_t>(kernel[1].lanes)) ++kernel;
    const std::size_t count = std::min(order.size() - first, static_cast<std::size_t>(kernel->lanes));
    blocks.push_back(std::make_unique<QueryBlock>(*kernel, queries, std::span(order).subspan(first, count), options));
    first += count;
  }
  return blocks;
}

TokenPlan make_plan(const CellSets& queries, std::span<const std::unique_ptr<QueryBlock>> blocks, std::uint64_t salt) {
  std::vector<std::uint32_t> counts(queries.n_tokens(), 0);
  std::int64_t n_queries = 0;
  for (const auto& block : blocks)
    for (const Found& found : block->found()) {
      for (const std::uint16_t token : queries.tokens(found.query)) ++counts[token];
      ++n_queries;
    }
  return TokenPlan(counts, n_queries, salt);
}

struct Worker {
  Tile tile;
  LaneNeeds needs;
  std::vector<KernelHit> hits;
};

// One pass over the reference for some of the blocks.
void compare_all(const CellSets& queries, const SetSource& reference,
                 std::span<const std::unique_ptr<QueryBlock>> blocks, const SearchOptions& options,
                 const ExactSettings& settings, std::uint64_t salt, std::uint64_t hash_mask,
                 std::span<HashedRow> hashes, ProgressScope& progress) {
  const TokenPlan plan = make_plan(queries, blocks, salt);
  parallel_for(static_cast<std::int64_t>(blocks.size()),
               [&](std::int64_t block, int) { blocks[static_cast<std::size_t>(block)]->build_table(queries, plan); });
  const std::int64_t n_rows = reference.n_cells();
  const std::int64_t fair = n_rows / (4 * workers()) + 1;
  const std::int64_t tile_rows =
      std::clamp<std::int64_t>(fair, std::min<std::int64_t>(256, settings.tile_rows), settings.tile_rows);
  std::vector<std::unique_ptr<Worker>> state(static_cast<std::size_t>(workers()));
  // In self mode the lowest row of a set may be the query's own, so the second lowest is needed too.
  const int copies = options.queries_are_reference ? 2 : 1;
  parallel_for((n_rows + tile_rows - 1) / tile_rows, [&](std::int64_t task, int worker) {
    auto& own = state[static_cast<std::size_t>(worker)];
    if (!own) own = std::make_unique<Worker>();
    const std::int64_t first = task * tile_rows, count = std::min(tile_rows, n_rows - first);
    const auto part =
        hashes.empty() ? hashes : hashes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    own->tile.load(reference, plan, first, count, copies, hash_mask, part);
    for (const auto& block : blocks) {
      throw_if_stopped();
      own->needs.version = 0;
      block->compare(own->tile, own->needs, own->hits);
    }
    progress.advance(count);
  });
  for (const auto& block : blocks) block->drop_table();
}

// Blocks from `first` on whose tables fit the budget (at least one).
std::size_t blocks_per_pass(const CellSets& queries, const ExactSettings& settings) {
  const std::size_t bytes = table_bytes(exact_kernels(settings.target)->lanes, queries.n_tokens());
  return std::max<std::size_t>(1, settings.table_budget / bytes);
}

void write_result(const Found& found, const SetGroups& groups, bool self, SearchResult& result) {
  const auto query = static_cast<std::size_t>(found.query);
  result.containment[query] = found.containment;
  result.nearest[query].reserve(found.nearest.size());
  for (const Candidate& candidate : found.nearest) {
    Neighbour neighbour = candidate.neighbour();
    const bool own_set = self && neighbour.intersection == neighbour.union_size;
    neighbour.multiplicity = groups.multiplicity(candidate.hash) - (own_set ? 1 : 0);
    result.nearest[query].push_back(neighbour);
  }
}

}  // namespace

ExactReference::ExactReference(const SetSource& reference, const ExactSettings& settings)
    : reference_(reference), settings_(settings), hash_mask_(settings.first_hash_mask) {}

// False when two different sets had one hash.
bool ExactReference::attempt(const CellSets& queries, const SearchOptions& options, SearchResult& result) {
  const Blocks blocks = make_blocks(queries, options, settings_.target);
  std::vector<HashedRow> hashes(groups_ ? 0 : static_cast<std::size_t>(reference_.n_cells()));
  const std::size_t per_pass = blocks_per_pass(queries, settings_);
  const std::size_t n_passes = std::max<std::size_t>(1, (blocks.size() + per_pass - 1) / per_pass);
  ProgressScope progress("Comparing with the reference", reference_.n_cells() * static_cast<std::int64_t>(n_passes));
  for (std::size_t pass = 0; pass < n_passes; ++pass) {
    const std::size_t first = pass * per_pass, count = std::min(per_pass, blocks.size() - first);
    compare_all(queries, reference_, std::span(blocks).subspan(first, count), options, settings_, salt_, hash_mask_,
                pass == 0 ? std::span(hashes) : std::span<HashedRow>(), progress);
  }
  if (!groups_) {
    SetGroups groups(std::move(hashes));
    if (!groups.confirm(reference_)) return false;
    groups_.emplace(std::move(groups));
  }
  result = {};
  result.n_reference = reference_.n_cells();
  result.n_distinct = groups_->n_distinct();
  result.nearest.resize(static_cast<std::size_t>(queries.n_cells()));
  result.containment.resize(static_cast<std::size_t>(queries.n_cells()));
  parallel_for(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t block, int) {
    for (const Found& found : blocks[static_cast<std::size_t>(block)]->found())
      write_result(found, *groups_, options.queries_are_reference, result);
  });
  return true;
}

SearchResult ExactReference::search(const CellSets& queries, const SearchOptions& options) {
  check_search(queries, reference_, options);
  constexpr std::uint64_t kAttempts = 8;
  SearchResult result;
  for (const std::uint64_t last = salt_ + kAttempts; salt_ < last; ++salt_, hash_mask_ = ~std::uint64_t{0})
    if (attempt(queries, options, result)) return result;
  throw InternalError("different gene sets had equal hashes under eight seeds: reading a row twice gives two answers");
}

SearchResult search_exact(const CellSets& queries, const SetSource& reference, const SearchOptions& options,
                          const ExactSettings& settings) {
  return ExactReference(reference, settings).search(queries, options);
}

}  // namespace scvet::sketch
