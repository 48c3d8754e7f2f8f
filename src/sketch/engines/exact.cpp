// True maximum Jaccard over every reference cell (audit specification, section 3): exact_search.h.
#include "exact_search.h"

namespace scvet::sketch {
namespace {

std::unique_ptr<PreparedReference> prepare(const SetSource& reference, std::uint64_t) {
  return std::make_unique<ExactReference>(reference, ExactSettings{.target = simd_target()});
}

}  // namespace

extern const EngineRecord exact_engine = {
    .name = "exact",
    .summary = "true Jaccard with every reference cell, bit-sliced over blocks of queries",
    .exact_jaccard = true,
    .counts_genes = true,
    .containment = true,
    .all_compared = true,
    .prepare = prepare,
};

}  // namespace scvet::sketch
