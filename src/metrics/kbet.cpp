#include "kbet.h"

#include <algorithm>
#include <limits>

#include "scvet/base/parallel.h"
#include "scvet/graph/components.h"
#include "scvet/numeric/chi_square.h"

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kFewestCells = 10;
constexpr std::int64_t kFewestNeighbours = 10, kMostNeighbours = 70;
constexpr std::int64_t kMostComponents = 100;
constexpr double kKeptShare = 0.75;

// A quarter of the mean batch.
std::int64_t neighbours_of(const LabelBatches& label) {
  const std::int64_t quarter = label.n_cells() / (4 * label.n_batches());
  return std::clamp(quarter, kFewestNeighbours, kMostNeighbours);
}

// Positions in the label of the cells in connected parts of at least 3 * n_neighbours cells; all where there is one part.
std::vector<std::int64_t> cells_kept(const graph::WeightedGraph& graph, std::int64_t n_neighbours) {
  const std::vector<std::int32_t> part = graph::connected_components(graph);
  std::vector<std::int64_t> size(part.size(), 0), kept;
  for (const std::int32_t of_cell : part) ++size[static_cast<std::size_t>(of_cell)];
  const bool whole = size[0] == graph.n_cells;
  for (std::size_t cell = 0; cell < part.size(); ++cell)
    if (whole || size[static_cast<std::size_t>(part[cell])] >= 3 * n_neighbours)
      kept.push_back(static_cast<std::int64_t>(cell));
  return kept;
}

// Batches among the kept cells, numbered anew.
void take_batches(KbetLabel& made, const LabelBatches& label, const std::vector<std::int64_t>& kept) {
  std::vector<double> count(static_cast<std::size_t>(label.n_batches()), 0.0);
  for (const std::int64_t at : kept) ++count[static_cast<std::size_t>(label.batch[static_cast<std::size_t>(at)])];
  std::vector<std::int32_t> number(count.size(), -1);
  for (std::size_t batch = 0; batch < count.size(); ++batch) {
    if (count[batch] == 0) continue;
    number[batch] = static_cast<std::int32_t>(made.share.size());
    made.share.push_back(count[batch] / static_cast<double>(kept.size()));
  }
  for (const std::int64_t at : kept) {
    const auto from = static_cast<std::size_t>(at);
    made.cells.push_back(label.cells[from]);
    made.batch.push_back(number[static_cast<std::size_t>(label.batch[from])]);
  }
}

}  // namespace

KbetLabel kbet_label(const LabelBatches& label, const graph::WeightedGraph& fuzzy) {
  if (label.n_cells() < kFewestCells) return {.decided = kNaN, .reason = "fewer_than_10_cells"};
  if (label.n_batches() < 2) return {.decided = kNaN, .reason = "single_batch"};
  KbetLabel made;
  made.n_neighbours = neighbours_of(label);
  const graph::WeightedGraph whole = graph::induced_subgraph(fuzzy, label.cells);
  const std::vector<std::int64_t> kept = cells_kept(whole, made.n_neighbours);
  if (static_cast<double>(kept.size()) < kKeptShare * static_cast<double>(label.n_cells()))
    return {.reason = "in_pieces;cells_in_large_pieces=" + std::to_string(kept.size())};
  take_batches(made, label, kept);
  made.graph = graph::induced_subgraph(whole, kept);
  if (made.share.size() < 2) made.reason = "large_pieces_hold_a_single_batch";
  return made;
}

std::vector<std::int64_t> kbet_components(const std::vector<KbetLabel>& labels, KbetLimit limit) {
  std::vector<std::int64_t> components;
  std::int64_t most = kMostComponents;
  for (const KbetLabel& label : labels) {
    const std::int64_t own = std::min(most, std::ssize(label.cells) - 1);
    components.push_back(std::max<std::int64_t>(own, 0));
    if (limit == KbetLimit::kPeer && !label.cells.empty()) most = own;
  }
  return components;
}

std::vector<double> kbet_p_values(const graph::Neighbours& neighbours, const KbetLabel& label) {
  constexpr std::int64_t kTile = 256;
  std::vector<double> p(static_cast<std::size_t>(neighbours.n_cells));
  const double freedom = static_cast<double>(label.share.size()) - 1;
  parallel_for((neighbours.n_cells + kTile - 1) / kTile, [&](std::int64_t tile, int) {
    std::vector<double> observed;
    for (std::int64_t cell = tile * kTile; cell < std::min(neighbours.n_cells, (tile + 1) * kTile); ++cell) {
      observed.assign(label.share.size(), 0.0);
      for (const std::uint32_t other : neighbours.list(cell)) ++observed[static_cast<std::size_t>(label.batch[other])];
      double statistic = 0;
      for (std::size_t batch = 0; batch < observed.size(); ++batch) {
        const double expected = label.share[batch] * static_cast<double>(neighbours.k);
        statistic += (observed[batch] - expected) * (observed[batch] - expected) / expected;
      }
      p[static_cast<std::size_t>(cell)] = numeric::chi_square_survival(statistic, freedom);
    }
  });
  return p;
}

}  // namespace scvet::metrics
