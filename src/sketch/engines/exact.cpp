// True maximum Jaccard over every reference cell (audit specification, section 3): exact_search.h.
#include "exact_search.h"

namespace scvet::sketch {
namespace {

SearchResult search(const CellSets& queries, const SetSource& reference, const SearchOptions& options) {
  return search_exact(queries, reference, options, {.target = simd_target()});
}

}  // namespace

extern const EngineRecord exact_engine = {
    .name = "exact",
    .summary = "true Jaccard with every reference cell, bit-sliced over blocks of queries",
    .exact_jaccard = true,
    .search = search,
};

}  // namespace scvet::sketch
