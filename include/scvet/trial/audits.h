// Sensitivity audits of one arm (specification 16, 21, 22): what else the label and the representation could hold.
// Reported, never in the cascade. audits_json writes audits.json:
//
//   schema        "scvet-trial-audits-1"
//   arm, lock     strings
//   cell_count    {rows, rho: {n_y, n_y_given_norm, n_d15, n_d15_given_norm, n_y_equal, n_y_free, y_y_equal, y_y_free,
//                   y_equal_y_free, y_d15},                                    all rows; null where not computed
//                  residual: {predictor: {rho_n, rho_n_given_norm}},           test rows
//                  tertiles: {bounds: [q1, q2],
//                             groups: [{name: "low" | "middle" | "high", rows, r2: {predictor: mean}, mb, mg, sm}]}}
//   null_rows     null or {count, replicate_seed, matched, ungrouped: {mean, q95, rho_n}, batch_difference: mean of
//                  matched minus ungrouped, real_below_q95: share of real rows, real_rows}
//   overlap       null or {source, nontargeting: {exposed, clean, unknown, share}, nontargeting_touches_all,
//                  strata: [{unit: "row" | "target_gene", stratum: "clean" | "low" | "high" | "unknown", rows, genes,
//                    too_few, note, r2: {predictor: mean} | null, mb, mg, gb, sm: mean | null,
//                    a1, a1g: as in posthoc.json | null, sensitivity_category: category | null}]}
//   split_half    null or {r, ceiling, replicates}
//   clipped       {train, val, test: {rows, clipped, share}}                   rows with y = 0
//   embedding     null or {constant_within_row: {ratio, flag}, same_counts_different_embedding:
//                  {groups, cells, differing, flag}, reextract: null or {cells, largest, flag}}
//
// Reals are strings of %.17g, undefined ones null; keys are sorted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scvet/trial/strata.h"

namespace scvet::trial {

// Labels of all eligible rows, in table order; empty vectors are not reported.
struct LabelVariants {
  std::vector<double> y, d15, y_equal, y_free;  // d15: NaN where a row has none
};

struct CellCountAudit {
  std::int64_t rows = 0;
  std::map<std::string, double> rho;  // by the names above; NaN: null
  struct Residual {
    double rho_n, rho_n_given_norm;
  };
  std::map<std::string, Residual> residual;  // y minus the mean prediction over seeds
  double q1 = 0, q2 = 0;
  struct Group {
    std::string name;
    std::int64_t rows = 0;
    std::map<std::string, double> r2;  // mean over seeds; NaN: null
    double mb = 0, mg = 0, sm = 0;     // mean deltas; NaN: null
  };
  std::vector<Group> groups;
};
// n_cells and x_norm (length of x_delta): all eligible rows; test_rows: which of them the stored predictions are.
CellCountAudit audit_cell_count(const LabelVariants& labels, std::span<const std::int64_t> n_cells,
                                std::span<const double> x_norm, const StoredTest& test,
                                std::span<const std::int64_t> test_rows);
std::vector<double> row_norms(MatrixView<const double> matrix);

struct NullRowAudit {
  std::int64_t count = 0, real_rows = 0;
  std::uint32_t seed = 0;
  struct Kind {
    double mean, q95, rho_n;
  };
  Kind matched{}, ungrouped{};  // cells drawn with the gem-group mix of a real row; with groups ignored
  double batch_difference = 0, real_below_q95 = 0;
};
// y of pseudo-rows of control cells and their numbers of cells; y_real: the rows to compare with (all parts after the
// test, else train and val). NaN entries of the pseudo-rows (no value) are left out pairwise.
NullRowAudit audit_null_rows(std::span<const double> y_matched, std::span<const double> y_ungrouped,
                             std::span<const std::int64_t> n_cells, std::span<const double> y_real, std::uint32_t seed);

struct Clipped {
  std::int64_t rows = 0, clipped = 0;
  double share() const;
};
std::array<Clipped, 3> count_clipped(std::span<const double> y,
                                     const Split& split);  // train, val, test; NaN passed over

// Specification 16.
struct EmbeddingFlags {
  double within_row_ratio = 0;  // median over rows of within-row variance / total variance
  bool constant_within_row = false;
  std::int64_t groups = 0, cells = 0, differing = 0;  // of cells with equal records: groups, cells, cells that differ
  bool same_counts_different_embedding = false;
  struct Reextract {
    std::int64_t cells = 0;
    double largest = 0;  // largest relative difference
    bool flag = false;
  };
  std::optional<Reextract> reextract;
};
inline constexpr double kConstantWithinRow = 1e-6, kDifferentEmbedding = 1e-4, kReextract = 1e-3;
// `again`: the cells `which` embedded once more, in that order.
EmbeddingFlags::Reextract compare_reextracted(MatrixView<const double> cells, std::span<const std::int64_t> which,
                                              MatrixView<const double> again);
// Cells for that comparison: a permutation of all from a stream seeded with the lock id, the first `count`.
std::vector<std::int64_t> reextract_cells(const std::string& lock_id, std::int64_t n_cells, std::int64_t count);

struct SplitHalf {
  double r = 0, ceiling = 0;  // ceiling = 2 r / (1 + r)
  int replicates = 0;
};

struct Audits {
  std::string arm, lock;
  CellCountAudit cell_count;
  std::optional<NullRowAudit> null_rows;
  std::optional<OverlapAudit> overlap;
  std::optional<SplitHalf> split_half;
  std::array<Clipped, 3> clipped{};
  std::optional<EmbeddingFlags> embedding;
};
std::string audits_json(const Audits& audits);

}  // namespace scvet::trial
