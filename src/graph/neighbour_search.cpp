#include "neighbour_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "candidate_lists.h"
#include "neighbour_kernel.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

constexpr std::int64_t kStep = PackedRows::kMultiple;
constexpr std::int64_t kBlockBytes = 1 << 19;  // of packed rows, within the second cache
constexpr std::int64_t kLargestBlock = 10 * kStep;
constexpr std::int64_t kListBytes = std::int64_t{1} << 29;  // candidates of all queries at once

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
         SimdTarget target)
      : x_(queries),
        y_(references),
        self_(self),
        kernel_(neighbour_kernel(target)),
        scale_(frame.scale),
        block_rows_(block_rows(queries.cols)),
        references_(pack_rows(references, frame, kernel_.cols)),
        workers_(static_cast<std::size_t>(workers())) {
    if (!self) own_queries_ = pack_rows(queries, frame, kernel_.cols);
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
    else if (self_ && CandidateLists<T>::bytes(nearest_, queries().padded) <= kListBytes)
      in_pairs();
    else
      by_query();
    return std::move(out_);
  }

 private:
  using Lists = CandidateLists<T>;
  struct Worker {
    AlignedBuffer<float> left;
    typename Lists::Scratch scratch;
  };

  const PackedRows& queries() const { return self_ ? references_ : own_queries_; }

  std::unique_ptr<Lists> lists_for(Block block) const {
    return std::make_unique<Lists>(x_, y_, queries(), references_, scale_, nearest_, block.first,
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
    const std::int64_t share = (queries().padded / (4 * workers()) + kStep - 1) / kStep * kStep;
    const std::int64_t rows = std::clamp(share, kStep, block_rows_);
    parallel_for((queries().padded + rows - 1) / rows, [&](std::int64_t at, int worker) {
      const Block block = block_of(at, rows, queries().padded);
      const auto lists = lists_for(block);
      for (std::int64_t first = 0; first < references_.padded; first += block_rows_)
        meet(block, {first, std::min(references_.padded, first + block_rows_)}, *lists, false, worker);
      write(block, *lists, worker);
    });
  }

  // Rows of `a` as queries of `b` and, where `both`, the other way round.
  void meet(Block a, Block b, Lists& lists, bool both, int worker) {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    pack_left(a, own.left);
    const std::int64_t depth = queries().depth;
    float products[NeighbourKernel::kMaxRows * NeighbourKernel::kMaxCols];
    std::uint64_t hits[NeighbourKernel::kMaxRows];
    for (std::int64_t col = b.first; col < b.end; col += kernel_.cols)
      for (std::int64_t row = a.first; row < a.end; row += kernel_.rows) {
        const TileSide rows{lists.thresholds(row), queries().half_below.data() + row, queries().slack.data() + row};
        const TileSide cols{both ? lists.thresholds(col) : never_.data(), references_.half_below.data() + col,
                            references_.norm_above.data() + col};
        if (!kernel_.tile(depth, own.left.data() + (row - a.first) * depth, references_.panel(col), rows, cols,
                          products, hits))
          continue;
        take(row, col, products, hits, lists, both, own.scratch);
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

  // The block's rows in panels of the kernel's rows, next to each other.
  void pack_left(Block block, AlignedBuffer<float>& left) const {
    const std::int64_t depth = queries().depth, cols = kernel_.cols, rows = kernel_.rows;
    left.resize(block_rows_ * depth);
    for (std::int64_t row = block.first; row < block.end; ++row) {
      const float* from = queries().panel(row / cols * cols) + row % cols;
      float* to = left.data() + (row - block.first) / rows * rows * depth + (row - block.first) % rows;
      for (std::int64_t k = 0; k < depth; ++k) to[k * rows] = from[k * cols];
    }
  }

  void write(Block block, Lists& lists, int worker) {
    for (std::int64_t row = block.first; row < std::min(block.end, x_.rows); ++row) {
      auto to = static_cast<std::size_t>(row * out_.k);
      if (self_) out_.cells[to++] = static_cast<std::uint32_t>(row);
      for (const Found& found : lists.finish(row, workers_[static_cast<std::size_t>(worker)].scratch)) {
        out_.cells[to] = found.cell;
        out_.distances[to++] = found.distance;
      }
    }
  }

  MatrixView<const T> x_, y_;
  bool self_;
  const NeighbourKernel& kernel_;
  double scale_;
  std::int64_t block_rows_, nearest_ = 0;
  PackedRows references_, own_queries_;
  std::vector<Worker> workers_;
  AlignedBuffer<float> never_{kStep};
  Neighbours out_;
};

}  // namespace

template <class T>
Neighbours filtered_search(MatrixView<const T> queries, MatrixView<const T> references, const Frame& frame,
                           std::int64_t k, bool self, SimdTarget target) {
  return Search<T>(queries, references, frame, k, self, target).run();
}

template Neighbours filtered_search(MatrixView<const float>, MatrixView<const float>, const Frame&, std::int64_t, bool,
                                    SimdTarget);
template Neighbours filtered_search(MatrixView<const double>, MatrixView<const double>, const Frame&, std::int64_t,
                                    bool, SimdTarget);

}  // namespace scvet::graph
