// Null @NAME@: say here what is held fixed, what is drawn, and the equation or DOI.
#include <vector>

#include "scvet/audit/null.h"
#include "scvet/base/error.h"

namespace scvet::audit {
namespace {

void apply(const NullContext&, std::vector<CellOutcome>&, LiftFit&) {
  throw InternalError("null @NAME@: it has no body yet");
}

}  // namespace

extern const NullRecord @NAME @_null = {.name = "@NAME@",
                                        .kind = "null",
                                        .h0 = "the hypothesis, in words",
                                        .proves = "one plain sentence: what a hit can prove",
                                        .cannot = "one plain sentence: what it cannot",
                                        .source = "equation or DOI",
                                        .apply = apply};

}  // namespace scvet::audit
