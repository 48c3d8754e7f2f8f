// Identity by genes and counts.
#include <cstddef>

#include "scvet/audit/null.h"

namespace scvet::audit {
namespace {

void apply(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit&) {
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    cells[cell].identical_counts = context.identities->counts[cell];
}

}  // namespace

extern const NullRecord identical_counts_null = {
    "identical_counts",
    "identity",
    "No reference cell holds exactly the cell's genes with the same counts.",
    "Equal counts on every shared gene show that the cell is in the corpus, byte for byte on these genes.",
    "It misses copies that were counted again, thinned or corrected, and cells of a handful of genes can agree by chance.",
    "equality of content, found by hash and confirmed gene by gene; docs/audit.md",
    apply};

}  // namespace scvet::audit
