#include "neighbour_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>

#include "candidate_lists.h"
#include "neighbour_kernel.h"
#include "scvet/base/parallel.h"
#include "spatial_order.h"

namespace scvet::graph {
namespace {

constexpr std::int64_t kStep = PackedRows::kMultiple;
constexpr std::int64_t kBlockBytes = 1 << 19;  // of packed rows, within the second cache
constexpr std::int64_t kLargestBlock = 10 * kStep;

std::int64_t block_rows(std::int64_t depth) {
  const std::int64_t fitting =
      kBlockBytes / static_cast<std::int64_t>(sizeof(float)) / std::max<std::int64_t>(depth, 1);
  return std::clamp(fitting / kStep * kStep, kStep, kLargestBlock);
}

struct Block {
  std::int64_t first, end;  // padded rows
};

template <class T>
class Search {
 public:
  Search(MatrixView<const T> queries, MatrixView<const T> references, const Frame& frame, std::int64_t k, bool self,
         SimdTarget target, std::int64_t list_bytes)
      : x_(queries),
        y_(references),
        self_(self),
        list_bytes_(list_bytes),
        kernel_(neighbour_kernel(target)),
        scale_(frame.scale),
        block_rows_(block_rows(queries.cols)),
        references_(pack_rows(references, frame, spatial_order(references, kStep), kernel_.cols)),
        queries_(self ? pack_rows(queries, frame, references_.order, kernel_.rows)
                      : pack_rows(queries, frame, spatial_order(queries, kStep), kernel_.rows)),
        reference_balls_(group_balls(references_)),
        query_balls_(self ? reference_balls_ : group_balls(queries_)),
        scratch_(static_cast<std::size_t>(workers())) {
    out_.n_cells = queries.rows;
    out_.k = k;
    out_.cells.resize(static_cast<std::size_t>(out_.n_cells * k));
    out_.distances.resize(out_.cells.size());
    nearest_ = self ? k - 1 : k;
    for (std::int64_t at = 0; at < kStep; ++at) never_[at] = std::numeric_limits<float>::infinity();
  }

  Neighbours run() {
    if (nearest_ == 0)
      for (std::int64_t row = 0; row < x_.rows; ++row)
        out_.cells[static_cast<std::size_t>(row)] = static_cast<std::uint32_t>(row);
    else if (self_ && CandidateLists<T>::bytes(nearest_, queries_.padded) <= list_bytes_)
      in_pairs();
    else
      by_query();
    return std::move(out_);
  }

 private:
  using Lists = CandidateLists<T>;
  std::unique_ptr<Lists> lists_for(Block block) const {
    return std::make_unique<Lists>(kernel_, x_, y_, queries_, references_, scale_, nearest_, block.first,
                                   block.end - block.first);
  }

  Block block_of(std::int64_t at, std::int64_t rows, std::int64_t padded) const {
    return {at * rows, std::min(padded, (at + 1) * rows)};
  }

  // Each product serves both of its rows. Blocks meet as in a round-robin tournament (the circle method), so that within
  // a round no two tasks write to the same lists.
  void in_pairs() {
    const std::int64_t padded = references_.padded, n_blocks = (padded + block_rows_ - 1) / block_rows_;
    const auto lists = lists_for({0, padded});
    const auto block = [&](std::int64_t at) { return block_of(at, block_rows_, padded); };
    parallel_for(n_blocks, [&](std::int64_t at, int worker) { meet(block(at), block(at), *lists, false, worker); });
    const std::int64_t seats = n_blocks + n_blocks % 2;  // an odd one out has nobody to meet
    for (std::int64_t round = 0; round + 1 < seats; ++round)
      parallel_for(seats / 2, [&](std::int64_t pair, int worker) {
        const std::int64_t a = pair == 0 ? seats - 1 : (round + pair) % (seats - 1);
        const std::int64_t b = pair == 0 ? round : (round + seats - 1 - pair) % (seats - 1);
        if (std::max(a, b) < n_blocks) meet(block(a), block(b), *lists, true, worker);
      });
    parallel_for(n_blocks, [&](std::int64_t at, int worker) { write(block(at), *lists, worker); });
  }

  void by_query() {
    const std::int64_t share = (queries_.padded / (4 * workers()) + kStep - 1) / kStep * kStep;
    const std::int64_t rows = std::clamp(share, kStep, block_rows_);
    parallel_for((queries_.padded + rows - 1) / rows, [&](std::int64_t at, int worker) {
      const Block block = block_of(at, rows, queries_.padded);
      const auto lists = lists_for(block);
      for (const std::int64_t group : nearest_groups(block))
        meet(block, {group * kStep, (group + 1) * kStep}, *lists, false, worker);
      write(block, *lists, worker);
    });
  }

  // Groups of references, those nearest to the middle of the block first.
  std::vector<std::int64_t> nearest_groups(Block block) const {
    const std::int64_t middle = (block.first + block.end) / 2 / kStep;
    std::vector<double> apart;
    for (std::int64_t group = 0; group < reference_balls_.count(); ++group)
      apart.push_back(query_balls_.between(middle, reference_balls_, group));
    std::vector<std::int64_t> order(apart.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return apart[static_cast<std::size_t>(a)] < apart[static_cast<std::size_t>(b)];
    });
    return order;
  }

  // Rows of `a` as queries of `b` and, where `both`, the other way round.
  void meet(Block a, Block b, Lists& lists, bool both, int worker) {
    for (std::int64_t col = b.first; col < b.end; col += kStep) {
      const double col_reach = both ? lists.reach(col, kStep) : 0;
      for (std::int64_t row = a.first; row < a.end; row += kStep) {
        const double reach = std::max(col_reach, lists.reach(row, kStep));
        if (query_balls_.least_square(row / kStep, reference_balls_, col / kStep) <= reach)
          meet_groups(row, col, lists, both, scratch_[static_cast<std::size_t>(worker)]);
      }
    }
  }

  void meet_groups(std::int64_t first_row, std::int64_t first_col, Lists& lists, bool both,
                   typename Lists::Scratch& scratch) const {
    float products[NeighbourKernel::kMaxRows * NeighbourKernel::kMaxCols];
    std::uint64_t hits[NeighbourKernel::kMaxRows];
    for (std::int64_t col = first_col; col < first_col + kStep; col += kernel_.cols)
      for (std::int64_t row = first_row; row < first_row + kStep; row += kernel_.rows) {
        const TileSide rows{lists.thresholds(row), queries_.half_below.data() + row, queries_.slack.data() + row};
        const TileSide cols{both ? lists.thresholds(col) : never_.data(), references_.half_below.data() + col,
                            references_.norm_above.data() + col};
        if (kernel_.tile(queries_.depth, queries_.panel(row), references_.panel(col), rows, cols, products, hits))
          take(row, col, products, hits, lists, both, scratch);
      }
  }

  void take(std::int64_t first_row, std::int64_t first_col, const float* products, const std::uint64_t* hits,
            Lists& lists, bool both, typename Lists::Scratch& scratch) const {
    for (int r = 0; r < kernel_.rows; ++r)
      for (std::uint64_t left = hits[r]; left != 0; left &= left - 1) {
        const int c = std::countr_zero(left);
        const std::int64_t row = first_row + r, col = first_col + c;
        if (self_ && row == col) continue;
        const auto product = static_cast<double>(products[r * kernel_.cols + c]);
        lists.consider(row, col, product, scratch);
        if (both) lists.consider(col, row, product, scratch);
      }
  }

  void write(Block block, Lists& lists, int worker) {
    for (std::int64_t row = block.first; row < std::min(block.end, x_.rows); ++row) {
      const std::uint32_t query = queries_.order[static_cast<std::size_t>(row)];
      auto to = static_cast<std::size_t>(query * out_.k);
      if (self_) out_.cells[to++] = query;
      for (const Found& found : lists.finish(row, scratch_[static_cast<std::size_t>(worker)])) {
        out_.cells[to] = found.cell;
        out_.distances[to++] = found.distance;
      }
    }
  }

  MatrixView<const T> x_, y_;
  bool self_;
  std::int64_t list_bytes_;
  const NeighbourKernel& kernel_;
  double scale_;
  std::int64_t block_rows_, nearest_ = 0;
  PackedRows references_, queries_;
  GroupBalls reference_balls_, query_balls_;
  std::vector<typename Lists::Scratch> scratch_;  // of each worker
  AlignedBuffer<float> never_{kStep};
  Neighbours out_;
};

}  // namespace

template <class T>
Neighbours filtered_search(MatrixView<const T> queries, MatrixView<const T> references, const Frame& frame,
                           std::int64_t k, bool self, SimdTarget target, std::int64_t list_bytes) {
  return Search<T>(queries, references, frame, k, self, target, list_bytes).run();
}

template Neighbours filtered_search(MatrixView<const float>, MatrixView<const float>, const Frame&, std::int64_t, bool,
                                    SimdTarget, std::int64_t);
template Neighbours filtered_search(MatrixView<const double>, MatrixView<const double>, const Frame&, std::int64_t,
                                    bool, SimdTarget, std::int64_t);

}  // namespace scvet::graph
