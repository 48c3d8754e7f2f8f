// Null models and identity tests. Variants: src/audit/nulls/<name>.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/outcome.h"

namespace scvet::audit {

// Lowest reference row with the same content, per benchmark cell; -1: none.
struct IdentityMatches {
  std::vector<std::int64_t> set, counts, order;
};

struct NullContext {
  const ReferenceGroup& group;
  const AuditOptions& options;
  const sketch::SearchResult& references;        // nearest reference entries per benchmark cell
  const sketch::SearchResult* others = nullptr;  // nearest other benchmark entries; null where not asked for
  const IdentityMatches* identities = nullptr;
  sketch::PreparedReference* prepared =
      nullptr;  // the group's reference, for nulls that search for more than the cells
};

struct NullRecord {
  const char* name;    // same_cell, identical_set, ...
  const char* kind;    // "null" or "identity"
  const char* h0;      // the hypothesis, in words
  const char* proves;  // one plain sentence: what a hit can prove
  const char* cannot;  // one plain sentence: what it cannot
  const char* source;  // equation or section
  // Fills its own fields of `cells` (one a benchmark cell, sizes already set) for this group; flags are set later, once
  // the groups are combined.
  void (*apply)(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit& fit);
};
std::span<const NullRecord* const> nulls();

}  // namespace scvet::audit
