// What an audit finds, per cell, per data set. Symbols and thresholds: docs/audit.md.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "scvet/sketch/search.h"

namespace scvet::audit {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMaxCopies = 8;

enum class CellStatus { kOk, kTooFewGenes, kEmpty, kUndecidableRare, kNoCounts };
const char* status_name(CellStatus status);  // ok, too_few_genes, empty, undecidable_rare, no_counts

enum class Exposure { kUnknown, kExposed, kClean };
const char* exposure_name(Exposure exposure);  // unknown, exposed, clean

// One entry of a cell's pool: a distinct set among the references or among the other benchmark cells.
struct PoolEntry {
  sketch::Neighbour match;
  bool reference = false;
};

// J* of random sets of a cell's size: what a null that draws compares with. NaN where none was drawn.
struct DrawnLevel {
  double mean = kNaN, sd = kNaN, max = kNaN;
};

struct CellOutcome {
  CellStatus status = CellStatus::kOk;
  std::uint32_t size = 0;    // genes on the universe of `group`
  int group = 0;             // the reference group (panel) that the row numbers below refer to
  sketch::Neighbour best;    // J*, the nearest reference entry; row -1 when nothing is shared
  sketch::Neighbour second;  // second reference entry
  sketch::SearchResult::Containment containment;
  bool no_candidate = false;  // the engine compared no reference row: J* = 0 says nothing of what is there
  double rho = 0;             // Spearman's rho of ranks over the genes shared with `best`

  std::array<double, kMaxCopies> p_d{};  // NaN where not tested
  int d = 0;                             // d*, 0 when not tested
  double p_same = kNaN, q_same = kNaN, lift = kNaN, z_background = kNaN;
  bool reference_in_cluster = false;  // a reference entry among the first d*
  std::vector<PoolEntry> pool;        // best 40, ordered

  double p_uniform = kNaN, excess_frequency = kNaN;  // of the nulls of these names, where asked for; they never flag
  DrawnLevel uniform, frequency;

  // Lowest reference row with the same content, -1: none. `identical_group` is the group those rows refer to.
  std::int64_t identical_set = -1, identical_counts = -1, identical_order = -1;
  int identical_group = -1;
  std::uint32_t identical_size = 0;  // genes on the universe of that group

  bool exact = false, suspect = false, same_cell = false, benchmark_duplicate = false;  // flags
  bool crowded = false, rare_label = false;                                             // notes
  Exposure exposure = Exposure::kUnknown;

  bool flagged() const { return exact || suspect || same_cell; }
  // The reference row that proves the most: equal counts, then equal order, then an equal set; -1: none.
  std::int64_t identical_row() const {
    if (identical_counts >= 0) return identical_counts;
    return identical_order >= 0 ? identical_order : identical_set;
  }
  // Enough genes for the verdict's denominators, on the universe of its group or of the group that it is exact in.
  bool counts(int min_genes) const {
    const auto least = static_cast<std::uint32_t>(min_genes);
    return size >= least || counts_as_exact(min_genes);
  }
  bool counts_as_exact(int min_genes) const { return exact && identical_size >= static_cast<std::uint32_t>(min_genes); }
  bool exposed(int min_genes) const { return same_cell || counts_as_exact(min_genes); }
};

// The regression that the lift is measured against: J(d*+1) on 1, x, x^2 with x = ln|S| - mean_ln_size.
struct LiftFit {
  double mean_ln_size = kNaN;
  std::array<double, 3> coefficients{kNaN, kNaN, kNaN};
  double median = kNaN, scale = kNaN;
  std::int64_t n_cells = 0;
};

struct Share {
  std::int64_t hits = 0, n = 0;
  double share = kNaN, low = kNaN, high = kNaN;  // Clopper-Pearson 95 %; all NaN where n = 0
};
Share make_share(std::int64_t hits, std::int64_t n);

// Planted copies of the user's own cells: what this run could have found.
struct PlantPower {
  double kept = 1;  // share of molecules kept
  Share found;
  bool by_gene = false;  // no counts: each gene kept with this probability
};

// The benchmark against a held-apart part of itself: what this run flags wrongly.
struct FalsePositives {
  std::string split;  // "donors" or "halves"
  std::int64_t n_cells = 0, n_tested = 0;
  Share at_05, at_01, at_001;  // p_same
  std::int64_t n_same_cell = 0, n_suspect = 0, n_undecidable_rare = 0, n_exact = 0;
  Share flagged;  // `same_cell`, or `exact` with enough genes, of the tested cells: the fpr of the share f
  struct Pair {   // rows of the benchmark
    std::int64_t cell = -1, match = -1;
    double p_same = kNaN, lift = kNaN, jaccard = kNaN;
    std::string flag;
  };
  std::vector<Pair> pairs;  // flagged pairs: may be true internal duplicates
  struct Type {
    std::string label;  // "" last: cells without a label
    std::int64_t n_cells = 0, n_tested = 0, n_suspect = 0, n_same_cell = 0;
    std::int64_t rare_tested = 0, rare_flagged = 0;  // cut to 3 + 3 cells; 0 tested where fewer than 40 cells
  };
  std::vector<Type> types;
  bool calibrated = true;  // at most .5 % at .001 and no same_cell
  std::string reason;      // when not run: why
};

// One identity test in one data set, with its controls.
struct IdentitySummary {
  std::string name;  // identical_set, identical_counts, identical_order
  std::int64_t n_matched = 0;
  std::int64_t benchmark_pairs = 0;  // pairs of different benchmark cells that match in the same way
  std::int64_t corpus_pairs = 0;
  bool proves = true;  // identical_set: only while no two benchmark cells share a set but not the counts
};

enum class VerdictKind { kExposed, kClearedBelow, kUndecided };

struct Verdict {
  VerdictKind kind = VerdictKind::kUndecided;
  double cleared_below = kNaN;  // the upper bound of f, where cleared
  std::string sentence;         // for the reader
  std::vector<std::string> reasons;
};

// Share f of the benchmark's cells that are in the corpus.
struct MembershipShare {
  double estimate = kNaN, low = kNaN, high = kNaN;
  double power = kNaN, thinning = .5, fpr = kNaN, sampled = 1;
  double donor_low = kNaN, donor_high = kNaN;  // donor bootstrap of the flagged share; NaN without two donors
  std::string reason;                          // why there is no estimate; "" where there is one
};

struct GroupSummary {  // per label, donor or batch level
  std::string level;   // "" last: cells where it is missing
  std::int64_t n_cells = 0, n_exact = 0, n_same_cell = 0, n_suspect = 0, n_undecidable_rare = 0, n_clean = 0;
  double mean_jstar = kNaN;
  Share exposed;
};

struct DatasetAudit {
  std::string name;
  const sketch::EngineRecord* engine = nullptr;  // that found J*
  std::vector<CellOutcome> cells;
  LiftFit fit;                // of group 0; the others in fits
  std::vector<LiftFit> fits;  // one a group
  std::vector<IdentitySummary> identities;
  std::vector<PlantPower> plants;                     // of the group that finds fewest: a corpus is as opaque as that
  std::vector<std::vector<PlantPower>> group_plants;  // one a group
  FalsePositives false_positives;
  MembershipShare membership;
  Verdict verdict;
  Share exposed, flagged_exact, flagged_same_cell, flagged_suspect;  // of the cells with enough genes
  std::int64_t n_empty = 0, n_too_few = 0, n_undecidable_rare = 0, n_clean = 0, n_crowded = 0,
               n_benchmark_duplicate = 0;
  double median_genes = kNaN;  // per cell, on the universe of its group
  std::vector<GroupSummary> by_label, by_donor, by_batch;
  std::vector<std::string> notes;         // what was not done, and why
  std::vector<std::string> engine_notes;  // how the engine made the references ready, where it says
};

}  // namespace scvet::audit
