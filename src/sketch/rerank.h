// True J for rows that an estimate has picked.
#pragma once

#include <span>

#include "sketch_search.h"

namespace scvet::sketch {

// Reads each picked row once, counts the genes that it shares with the queries that picked it, and writes the best
// options.top entries of each query to the result. A row without a shared gene is no entry.
void rerank(const SketchReference& reference, const CellSets& queries, std::span<const QueryRows> found,
            const SearchOptions& options, SimdTarget target, SearchResult& result);

}  // namespace scvet::sketch
