// How much nearer is a cell than sets that hold each gene as often as the reference does? A diagnostic, never a flag.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "drawn_null.h"
#include "draws.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"

namespace scvet::audit {
namespace {

// Share of the reference cells that hold each gene.
std::vector<double> detection_frequency(const sketch::SetSource& reference) {
  constexpr std::int64_t kTile = 4096;
  const std::int64_t n_cells = reference.n_cells();
  std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(workers()));
  ProgressScope progress("null frequency: counting genes", n_cells);
  parallel_for((n_cells + kTile - 1) / kTile, [&](std::int64_t tile, int worker) {
    auto& own = counts[static_cast<std::size_t>(worker)];
    own.resize(reference.n_tokens(), 0);
    thread_local std::vector<std::uint16_t> tokens;
    const std::int64_t first = tile * kTile, end = std::min(n_cells, first + kTile);
    for (std::int64_t row = first; row < end; ++row) {
      reference.read_tokens(row, tokens);
      for (const std::uint16_t token : tokens) ++own[token];
    }
    reference.forget(first, end - first);
    progress.advance(end - first);
  });
  std::vector<double> frequency(reference.n_tokens(), 0);
  for (std::size_t token = 0; token < frequency.size(); ++token) {
    std::int64_t cells = 0;
    for (const auto& own : counts)
      if (!own.empty()) cells += own[token];
    if (n_cells > 0) frequency[token] = static_cast<double>(cells) / static_cast<double>(n_cells);
  }
  return frequency;
}

void apply(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit&) {
  const ParetoDraws draws(detection_frequency(*context.group.reference), context.group.reference->n_cells(),
                          context.options.seed);
  DrawPlan plan{.name = "frequency",
                .sizes = distinct_sizes(cells, context.options.min_genes),
                .per_size = context.options.frequency_draws,
                .draw = {}};
  // More genes than the reference ever shows: no such draw.
  while (!plan.sizes.empty() && plan.sizes.back() > draws.n_genes()) plan.sizes.pop_back();
  std::vector<ParetoDraws::Scratch> scratch(static_cast<std::size_t>(workers()));
  plan.draw = [&](std::size_t at, std::uint64_t b, int worker, std::vector<std::uint16_t>& tokens) {
    draws.draw(plan.sizes[at], b, scratch[static_cast<std::size_t>(worker)], tokens);
  };
  const std::vector<SizeNull> nulls = search_draws(context, plan);
  for (CellOutcome& cell : cells) {
    const auto at = std::lower_bound(plan.sizes.begin(), plan.sizes.end(), cell.size);
    if (at == plan.sizes.end() || *at != cell.size) continue;
    const SizeNull& null = nulls[static_cast<std::size_t>(at - plan.sizes.begin())];
    cell.frequency = {null.mean, null.sd, null.max};
    cell.excess_frequency = cell.best.jaccard() - null.mean;
  }
}

}  // namespace

extern const NullRecord frequency_null = {
    "frequency",
    "null",
    "The cell is a random set of as many genes, each as likely as it is among the reference cells.",
    "excess_frequency is how far J* lies above such sets: the part of a similarity that gene frequencies do not explain. "
    "It is shown and never flags.",
    "Genes of real cells vary together, so unseen cell types and people lie above these sets too: an excess is no sign of "
    "membership.",
    "Pareto sampling of a fixed size (Rosen 1997, doi:10.1016/S0378-3758(96)00186-3); docs/audit.md",
    apply};

}  // namespace scvet::audit
