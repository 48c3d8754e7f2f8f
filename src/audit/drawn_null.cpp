#include "drawn_null.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scvet/base/log.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/numeric/moments.h"

namespace scvet::audit {
namespace {

using sketch::Neighbour;

bool at_least(const Neighbour& a, const Neighbour& b) {
  // No neighbour is J = 0 over anything.
  const std::uint64_t union_a = std::max<std::uint32_t>(a.union_size, 1),
                      union_b = std::max<std::uint32_t>(b.union_size, 1);
  return a.intersection * union_b >= b.intersection * union_a;
}

void say_cost(const NullContext& context, const DrawPlan& plan) {
  const auto n_draws = static_cast<std::int64_t>(plan.sizes.size()) * plan.per_size;
  const std::int64_t n_cells = std::max<std::int64_t>(1, context.group.benchmark->n_cells());
  log_info(
      fmt::format("null {}: {} set sizes of {} draws are {} sets to search, about {} times the benchmark's own search",
                  plan.name, format_count(static_cast<std::int64_t>(plan.sizes.size())), format_count(plan.per_size),
                  format_count(n_draws), format_count(std::max<std::int64_t>(1, n_draws / n_cells))));
}

// Draws are numbered through all sizes: draw `at` is number at % per_size + 1 of size at / per_size.
struct Batch {
  std::int64_t first = 0, end = 0;
};

Batch next_batch(const DrawPlan& plan, std::int64_t first, std::int64_t batch_tokens) {
  const auto all = static_cast<std::int64_t>(plan.sizes.size()) * plan.per_size;
  Batch batch{first, first};
  std::int64_t tokens = 0;
  while (batch.end < all) {
    tokens += plan.sizes[static_cast<std::size_t>(batch.end / plan.per_size)];
    if (tokens > batch_tokens && batch.end > first) break;
    ++batch.end;
  }
  return batch;
}

sketch::CellSets draw_batch(const DrawPlan& plan, const Batch& batch, std::uint32_t n_tokens) {
  constexpr std::int64_t kPiece = 64;
  const std::int64_t n = batch.end - batch.first;
  std::vector<std::vector<std::uint16_t>> drawn(static_cast<std::size_t>(n));
  parallel_for((n + kPiece - 1) / kPiece, [&](std::int64_t piece, int worker) {
    for (std::int64_t at = piece * kPiece; at < std::min(n, (piece + 1) * kPiece); ++at) {
      const std::int64_t number = batch.first + at;
      plan.draw(static_cast<std::size_t>(number / plan.per_size),
                static_cast<std::uint64_t>(number % plan.per_size) + 1, worker, drawn[static_cast<std::size_t>(at)]);
    }
  });
  sketch::CellSets sets(n_tokens);
  std::int64_t tokens = 0;
  for (const auto& set : drawn) tokens += static_cast<std::int64_t>(set.size());
  sets.reserve(n, tokens);
  sketch::CellSet cell;
  for (auto& set : drawn) {
    cell.tokens.swap(set);
    sets.add(cell);
    std::vector<std::uint16_t>().swap(set);
  }
  return sets;
}

void finish(SizeNull& null) {
  std::vector<double> jaccard;
  for (const Neighbour& best : null.best) jaccard.push_back(best.jaccard());
  null.mean = numeric::mean(jaccard);
  null.sd = numeric::standard_deviation(jaccard);
  if (!jaccard.empty()) null.max = *std::max_element(jaccard.begin(), jaccard.end());
}

}  // namespace

double draw_p(const SizeNull& null, const Neighbour& observed) {
  const auto reached = std::count_if(null.best.begin(), null.best.end(),
                                     [&](const Neighbour& drawn) { return at_least(drawn, observed); });
  return static_cast<double>(1 + reached) / static_cast<double>(null.best.size() + 1);
}

std::vector<std::uint32_t> distinct_sizes(std::span<const CellOutcome> cells, int least) {
  std::set<std::uint32_t> sizes;
  for (const CellOutcome& cell : cells)
    if (cell.size > 0 && cell.size >= static_cast<std::uint32_t>(std::max(0, least))) sizes.insert(cell.size);
  return {sizes.begin(), sizes.end()};
}

std::vector<SizeNull> search_draws(const NullContext& context, const DrawPlan& plan, std::int64_t batch_tokens) {
  std::vector<SizeNull> nulls(plan.sizes.size());
  for (SizeNull& null : nulls) null.best.resize(static_cast<std::size_t>(plan.per_size));
  const auto all = static_cast<std::int64_t>(plan.sizes.size()) * plan.per_size;
  if (all == 0) return nulls;
  say_cost(context, plan);
  sketch::SearchOptions search;
  search.top = 1;
  search.containment = false;
  ProgressScope progress(fmt::format("null {}", plan.name), all);
  for (std::int64_t first = 0; first < all;) {
    throw_if_stopped();
    const Batch batch = next_batch(plan, first, batch_tokens);
    const sketch::CellSets sets = draw_batch(plan, batch, context.group.benchmark->n_tokens());
    const sketch::SearchResult found = context.prepared->search(sets, search);
    for (std::int64_t at = batch.first; at < batch.end; ++at) {
      const auto& nearest = found.nearest[static_cast<std::size_t>(at - batch.first)];
      if (!nearest.empty())
        nulls[static_cast<std::size_t>(at / plan.per_size)].best[static_cast<std::size_t>(at % plan.per_size)] =
            nearest.front();
    }
    progress.advance(batch.end - batch.first);
    first = batch.end;
  }
  for (SizeNull& null : nulls) finish(null);
  return nulls;
}

}  // namespace scvet::audit
