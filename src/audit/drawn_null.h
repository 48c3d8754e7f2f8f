// Nulls made of random gene sets: every distinct set size draws once, the draws are searched by the run's own engine
// against the run's own reference, and cells of equal size share the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scvet/audit/null.h"

namespace scvet::audit {

// J* of one size's draws, in draw order.
struct SizeNull {
  std::vector<sketch::Neighbour> best;
  double mean = kNaN, sd = kNaN, max = kNaN;  // sd: divisor n - 1
};

// (1 + #{draws at least as near as the cell}) / (draws + 1), decided on the exact fractions.
double draw_p(const SizeNull& null, const sketch::Neighbour& observed);

struct DrawPlan {
  const char* name;                  // for progress and log
  std::vector<std::uint32_t> sizes;  // distinct, ascending
  std::int64_t per_size = 0;         // draws b = 1..per_size
  // Replaces `tokens` by draw b of sizes[at]; `worker` is below workers(). Called from any worker.
  std::function<void(std::size_t at, std::uint64_t b, int worker, std::vector<std::uint16_t>& tokens)> draw;
};

// Tokens of drawn sets that are in memory at one time.
constexpr std::int64_t kDrawTokens = std::int64_t{24} << 20;

// One answer a size, parallel to plan.sizes. Draws are searched in batches of at most `batch_tokens` tokens.
std::vector<SizeNull> search_draws(const NullContext& context, const DrawPlan& plan,
                                   std::int64_t batch_tokens = kDrawTokens);

// The distinct sizes of at least `least` genes, ascending.
std::vector<std::uint32_t> distinct_sizes(std::span<const CellOutcome> cells, int least);

}  // namespace scvet::audit
