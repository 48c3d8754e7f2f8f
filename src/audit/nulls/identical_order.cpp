// Identity by the rank order of genes.
#include <cstddef>

#include "scvet/audit/null.h"

namespace scvet::audit {
namespace {

void apply(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit&) {
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell].identical_order = context.identities->order[cell];
}

}  // namespace

extern const NullRecord identical_order_null = {
    "identical_order",
    "identity",
    "No reference cell holds exactly the cell's genes in the same rank order.",
    "An equal order of all genes shows that the cell is in the corpus in the same rank encoding.",
    "It misses copies whose ranks moved, and cells of a handful of genes can agree by chance.",
    "equality of content, found by hash and confirmed gene by gene; docs/audit.md",
    apply};

}  // namespace scvet::audit
