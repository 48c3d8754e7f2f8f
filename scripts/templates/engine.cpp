// Search engine @NAME@: say here how it finds the nearest sets, what it gives up for speed, and its source (DOI).
#include "scvet/base/error.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch {
namespace {

SearchResult search(const CellSets&, const SetSource&, const SearchOptions&) {
  throw InternalError("engine @NAME@: the search has no body yet");
}

}  // namespace

extern const EngineRecord @NAME
    @_engine = {.name = "@NAME@", .summary = "one line for people", .exact_jaccard = false, .search = search};

}  // namespace scvet::sketch
