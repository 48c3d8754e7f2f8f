// Identity by the set of genes.
#include <cstddef>

#include "scvet/audit/null.h"

namespace scvet::audit {
namespace {

void apply(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit&) {
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell].identical_set = context.identities->set[cell];
}

}  // namespace

extern const NullRecord identical_set_null = {
    "identical_set",
    "identity",
    "No reference cell holds exactly the cell's set of genes.",
    "An equal set shows that the cell is in the corpus as long as no two benchmark cells share a set while differing in counts or order.",
    "On panels of few genes different cells share a set by chance; the printed pairs of different cells say how often here.",
    "equality of content, found by hash and confirmed gene by gene; docs/audit.md",
    apply};

}  // namespace scvet::audit
