// R_NX inside batches: how many of a cell's nearest others in expression are its nearest others in the embedding, beyond
// what chance gives.
#include <algorithm>
#include <array>
#include <cmath>

#include "pearson_residuals.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/graph/neighbours.h"
#include "scvet/metrics/geometry.h"

namespace scvet::metrics {
namespace {

constexpr std::array<std::int64_t, 3> kSizes = {15, 30, 50};
constexpr std::int64_t kFewestCells = 101;

struct Batch {
  std::string name;
  std::vector<std::int64_t> cells;
};

// All batches; without a column one that holds every cell.
std::vector<Batch> batches_of(const GeometryInput& input) {
  std::vector<Batch> found;
  if (!input.batches) {
    found.push_back({"batch0", std::vector<std::int64_t>(static_cast<std::size_t>(input.z.rows))});
    for (std::int64_t cell = 0; cell < input.z.rows; ++cell) found.front().cells[static_cast<std::size_t>(cell)] = cell;
    return found;
  }
  std::vector<std::vector<std::int64_t>> members = input.batches->members();
  for (std::size_t at = 0; at < members.size(); ++at)
    found.push_back({input.batches->names[at], std::move(members[at])});
  return found;
}

void require_counts(CsrView counts) {
  constexpr double kTolerance = 1e-6;
  for (std::int64_t at = 0; at < counts.stored(); ++at) {
    const double value = double{counts.values[counts.indptr[0] + at]};
    if (!(value >= 0) || !(std::fabs(value - std::round(value)) <= kTolerance))
      throw DataError("R_NX needs raw counts, but the data hold " + std::to_string(value));
  }
}

// Cells shared by the first k others of both lists, summed over all cells.
std::int64_t shared(const graph::Neighbours& left, const graph::Neighbours& right, std::int64_t k) {
  constexpr std::int64_t kRows = 256;
  std::vector<std::int64_t> counts(static_cast<std::size_t>((left.n_cells + kRows - 1) / kRows), 0);
  parallel_for(std::ssize(counts), [&](std::int64_t task, int) {
    for (std::int64_t cell = task * kRows; cell < std::min(left.n_cells, (task + 1) * kRows); ++cell) {
      const auto first = [&](const graph::Neighbours& lists) {
        const auto others = lists.list(cell).subspan(1, static_cast<std::size_t>(k));
        std::vector<std::uint32_t> cells(others.begin(), others.end());
        std::sort(cells.begin(), cells.end());
        return cells;
      };
      const std::vector<std::uint32_t> own = first(left), other = first(right);
      std::vector<std::uint32_t> both;
      std::set_intersection(own.begin(), own.end(), other.begin(), other.end(), std::back_inserter(both));
      counts[static_cast<std::size_t>(task)] += std::ssize(both);
    }
  });
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

std::vector<float> rows_of(MatrixView<const float> z, const std::vector<std::int64_t>& cells) {
  std::vector<float> rows;
  rows.reserve(cells.size() * static_cast<std::size_t>(z.cols));
  for (const std::int64_t cell : cells) rows.insert(rows.end(), z.row(cell), z.row(cell) + z.cols);
  return rows;
}

// One value a size: the lists in expression are kept only as long as one batch needs them.
std::array<double, kSizes.size()> batch_rnx(const GeometryInput& input, const Batch& batch, const CsrMatrix& counts,
                                            std::span<const std::uint32_t> genes) {
  const auto n = std::ssize(batch.cells);
  graph::Neighbours expression;
  {
    const std::vector<float> residuals = BatchResiduals(counts.view()).matrix(genes);
    expression =
        graph::exact_neighbours(MatrixView<const float>(residuals.data(), n, std::ssize(genes)), kSizes.back() + 1);
  }
  const std::vector<float> rows = rows_of(input.z, batch.cells);
  const graph::Neighbours embedded =
      graph::exact_neighbours(MatrixView<const float>(rows.data(), n, input.z.cols), kSizes.back() + 1);
  std::array<double, kSizes.size()> found{};
  for (std::size_t at = 0; at < kSizes.size(); ++at) {
    const auto cells = static_cast<double>(n), k = static_cast<double>(kSizes[at]);
    const double overlap = static_cast<double>(shared(expression, embedded, kSizes[at])) / (cells * k);
    found[at] = ((cells - 1) * overlap - k) / (cells - 1 - k);
  }
  return found;
}

std::vector<std::uint32_t> reference_genes(const GeometryInput& input, const std::vector<Batch>& batches) {
  const CandidateGenes candidates = candidate_genes(input.counts, input.genes, input.technical_genes);
  if (std::ssize(candidates.columns) < input.n_genes)
    throw DataError("only " + std::to_string(candidates.columns.size()) + " eligible genes remain, requested " +
                    std::to_string(input.n_genes));
  std::vector<std::vector<double>> variances;
  for (const Batch& batch : batches) {
    const CsrMatrix counts = select_cells(input.counts, batch.cells);
    variances.push_back(BatchResiduals(counts.view()).variances(candidates.columns));
  }
  return most_variable(candidates, variances, input.n_genes);
}

ProbeOutput compute(const GeometryInput& input) {
  require_counts(input.counts);
  std::vector<Batch> batches = batches_of(input);
  const std::size_t n_all = batches.size();
  std::erase_if(batches, [](const Batch& batch) { return std::ssize(batch.cells) < kFewestCells; });
  if (batches.empty()) throw DataError("no batch has at least " + std::to_string(kFewestCells) + " cells");
  const std::vector<std::uint32_t> genes = reference_genes(input, batches);

  ProbeOutput output;
  std::array<double, kSizes.size()> sums{};
  std::int64_t n_eligible = 0;
  for (const Batch& batch : batches) {
    const auto values = batch_rnx(input, batch, select_cells(input.counts, batch.cells), genes);
    const std::int64_t n = std::ssize(batch.cells);
    for (std::size_t at = 0; at < kSizes.size(); ++at) {
      output.batches.push_back({batch.name, n, kSizes[at], values[at]});
      sums[at] += values[at] * static_cast<double>(n);
    }
    n_eligible += n;
  }
  double mean = 0;
  for (const double sum : sums) {
    output.values.emplace_back(sum / static_cast<double>(n_eligible));
    mean += sum / static_cast<double>(n_eligible) / static_cast<double>(kSizes.size());
  }
  output.values.emplace_back(mean);
  output.values.emplace_back(n_eligible);
  output.values.emplace_back(static_cast<double>(n_eligible) / static_cast<double>(input.z.rows));
  output.values.emplace_back(std::int64_t{std::ssize(batches)});
  output.note = "rnx:batch_key=" + input.batch_key + (input.batches ? "" : "_missing;single_batch") +
                ";n_genes=" + std::to_string(genes.size()) + ";eligible_batches=" + std::to_string(batches.size()) +
                "/" + std::to_string(n_all) + ";eligible_cells=" + std::to_string(n_eligible);
  return output;
}

constexpr const char* kColumns[] = {
    "rnx_k15", "rnx_k30", "rnx_k50", "rnx_mean", "rnx_eligible_cells", "rnx_eligible_cell_fraction", "rnx_n_batches"};

}  // namespace

extern const ProbeRecord rnx_probe = {
    .name = "rnx",
    .label = "neighbourhood preservation (R_NX)",
    .columns = kColumns,
    .source = "doi:10.1016/j.neucom.2012.12.036",
    .meaning =
        "share of the k nearest others by expression (Pearson residuals of 2,000 variable genes, inside a batch) "
        "that are nearest others in the embedding, on a scale where chance is 0 and all of them 1",
    .range = "about 0 (chance; a little below is possible) to 1",
    .undefined = "no raw counts, no batch of 101 cells, or fewer than 2,000 genes to choose from",
    .version = "1",
    .order = 3,
    .note_order = 4,
    .optional = true,
    .compute = compute};

}  // namespace scvet::metrics
