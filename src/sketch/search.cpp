#include "scvet/sketch/search.h"

#include "scvet/base/error.h"

namespace scvet::sketch {

void check_search(const CellSets& queries, const SetSource& reference, const SearchOptions& options) {
  if (queries.n_tokens() != reference.n_tokens())
    throw InternalError("queries and reference are numbered in different universes");
  if (options.queries_are_reference && queries.n_cells() != reference.n_cells())
    throw InternalError("a self search whose queries are not the reference");
}

}  // namespace scvet::sketch
