// Mean cosine of sampled pairs of cells: of all cells, of one label, of two labels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cell_pairs.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/metrics/geometry.h"

namespace scvet::metrics {
namespace {

constexpr std::size_t kPairs = 100000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct MeanCosine {
  double mean = kNaN;
  std::int64_t pairs = 0;  // those without a zero row
};

double dot(MatrixView<const float> z, std::int64_t left, std::int64_t right) {
  double sum = 0;
  for (std::int64_t col = 0; col < z.cols; ++col) sum += double{z(left, col)} * double{z(right, col)};
  return sum;
}

std::vector<double> row_norms(MatrixView<const float> z) {
  constexpr std::int64_t kRows = 256;
  std::vector<double> norms(static_cast<std::size_t>(z.rows));
  parallel_for((z.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    for (std::int64_t row = task * kRows; row < std::min(z.rows, (task + 1) * kRows); ++row)
      norms[static_cast<std::size_t>(row)] = std::sqrt(dot(z, row, row));
  });
  return norms;
}

MeanCosine mean_cosine(MatrixView<const float> z, const std::vector<double>& norms,
                       const std::vector<CellPair>& pairs) {
  constexpr std::size_t kChunk = 1024;
  std::vector<double> cosines(pairs.size(), kNaN);
  parallel_for(static_cast<std::int64_t>((pairs.size() + kChunk - 1) / kChunk), [&](std::int64_t task, int) {
    const std::size_t first = static_cast<std::size_t>(task) * kChunk;
    for (std::size_t at = first; at < std::min(pairs.size(), first + kChunk); ++at) {
      const double lengths = norms[pairs[at].first] * norms[pairs[at].second];
      if (lengths > 0) cosines[at] = dot(z, pairs[at].first, pairs[at].second) / lengths;
    }
  });
  MeanCosine found;
  double sum = 0;
  for (const double cosine : cosines)
    if (!std::isnan(cosine)) {
      sum += cosine;
      ++found.pairs;
    }
  if (found.pairs > 0) found.mean = sum / static_cast<double>(found.pairs);
  return found;
}

// Labels as pairs count them: without those that are a missing value written out.
Groups named_labels(const Groups& labels) {
  std::vector<std::string> texts;
  for (const std::int32_t label : labels.of_cell) {
    std::string name = label < 0 ? "" : labels.names[static_cast<std::size_t>(label)];
    if (lower(name) == "nan") name.clear();
    texts.push_back(std::move(name));
  }
  return make_groups(texts);
}

ProbeOutput compute(const GeometryInput& input) {
  if (input.z.rows < 2)
    return {{kNaN, kNaN, kNaN, kNaN, std::int64_t{0}, std::int64_t{0}, std::int64_t{0}},
            "aniso_pairs=insufficient_cells"};
  const std::string parts[] = {input.dataset_id, "anisotropy_pairs"};
  numeric::NumpyRandom random(probe_seed(input.seed, parts));
  const std::vector<double> norms = row_norms(input.z);
  const MeanCosine all =
      mean_cosine(input.z, norms, mixed_pairs(static_cast<std::uint32_t>(input.z.rows), kPairs, random));
  MeanCosine within, between;
  std::string note = "aniso_pairs=missing_cell_type";
  if (input.labels) {
    const Groups labels = named_labels(*input.labels);
    const std::vector<CellPair> same = within_pairs(labels, kPairs, random);
    const std::vector<CellPair> other = between_pairs(labels, kPairs, random);
    within = mean_cosine(input.z, norms, same);
    between = mean_cosine(input.z, norms, other);
    note = std::string("aniso_pairs=within=") +
           (same.empty() ? "no_celltype_with_at_least_two_cells" : "celltype_balanced") +
           ";between=" + (other.empty() ? "fewer_than_two_celltypes" : "celltype_balanced") +
           ";n_celltypes=" + std::to_string(labels.size());
  }
  return {{all.mean, within.mean, between.mean, within.mean - between.mean, all.pairs, within.pairs, between.pairs},
          note};
}

constexpr const char* kColumns[] = {
    "aniso_cos",    "aniso_cos_within_ct",    "aniso_cos_between_ct",   "aniso_cos_ct_gap",
    "aniso_pair_n", "aniso_pair_n_within_ct", "aniso_pair_n_between_ct"};

}  // namespace

extern const ProbeRecord aniso_cos_probe = {
    .name = "aniso_cos",
    .label = "mean cosine of pairs",
    .columns = kColumns,
    .source = "doi:10.18653/v1/D19-1006",
    .meaning =
        "mean cosine of 100,000 random pairs: near 1 the cells lie in a narrow cone, where cosines say little. "
        "gap = within labels - between labels: how far labels stand apart against that",
    .range = "-1 to 1; gap -2 to 2",
    .undefined = "no pair without a zero row; within: no label with two cells; between: fewer than two labels",
    .version = "1",
    .order = 2,
    .note_order = 1,
    .optional = false,
    .compute = compute};

}  // namespace scvet::metrics
