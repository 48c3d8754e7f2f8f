// Which benchmark cells the reference holds byte for byte, and how often unrelated cells match in the same way.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/audit/null.h"
#include "scvet/sketch/cell_sets.h"

namespace scvet::audit {

// Pairs of different cells of one source with the same content; cells without genes are left out.
struct PairCounts {
  std::int64_t set = 0, counts = 0, order = 0;
  bool set_hides_difference = false;  // two cells share a set while differing in counts (where both have them) or order
};

struct IdentityScan {
  IdentityMatches matches;
  PairCounts benchmark, reference;
};

// One pass hashes the set of every reference cell (8 bytes a row, twice); only rows whose set occurs again, in the
// reference or in the benchmark, are read a second time. Every reported match is confirmed on the sets themselves.
IdentityScan scan_identities(const sketch::CellSets& benchmark, const sketch::SetSource& reference);

}  // namespace scvet::audit
