// Is the cell a random gene set? Uniform draws of the cell's size (Eq. 4 of the published method).
#include <algorithm>
#include <cstddef>
#include <memory>

#include "drawn_null.h"
#include "draws.h"
#include "scvet/base/parallel.h"

namespace scvet::audit {
namespace {

void apply(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit&) {
  std::vector<std::unique_ptr<UniformDraws>> decks(static_cast<std::size_t>(workers()));
  DrawPlan plan{.name = "uniform",
                .sizes = distinct_sizes(cells, context.options.min_genes),
                .per_size = context.options.uniform_draws,
                .draw = {}};
  plan.draw = [&](std::size_t at, std::uint64_t b, int worker, std::vector<std::uint16_t>& tokens) {
    auto& deck = decks[static_cast<std::size_t>(worker)];
    if (!deck) deck = std::make_unique<UniformDraws>(context.group.benchmark->n_tokens(), context.options.seed);
    deck->draw(plan.sizes[at], b, tokens);
  };
  const std::vector<SizeNull> nulls = search_draws(context, plan);
  for (CellOutcome& cell : cells) {
    const auto at = std::lower_bound(plan.sizes.begin(), plan.sizes.end(), cell.size);
    if (at == plan.sizes.end() || *at != cell.size) continue;  // too few genes: NaN
    const SizeNull& null = nulls[static_cast<std::size_t>(at - plan.sizes.begin())];
    cell.p_uniform = draw_p(null, cell.best);
    cell.uniform = {null.mean, null.sd, null.max};
  }
}

}  // namespace

extern const NullRecord uniform_null = {
    "uniform",
    "null",
    "The cell is a uniform random set of as many genes of the universe.",
    "A small p shows that the cell shares more genes with some corpus cell than random gene sets do, as nearly every real "
    "cell does.",
    "It says nothing of membership: cells from people, tissues and studies that the corpus never saw are flagged like "
    "copies.",
    "Eq. 4 of the published method, kept to reproduce it; docs/audit.md",
    apply};

}  // namespace scvet::audit
