#include "scvet/trial/embedding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/numeric/order_statistics.h"

namespace scvet::trial {
namespace {

constexpr std::int32_t kControl = -1, kOther = -2;

std::vector<std::int32_t> rows_of_cells(const Design& design, std::span<const std::int64_t> eligible) {
  std::vector<std::int32_t> row_of_cell(design.cell_names.size(), kOther);
  for (const std::int64_t cell : design.nt_cells) row_of_cell[static_cast<std::size_t>(cell)] = kControl;
  for (std::size_t row = 0; row < eligible.size(); ++row)
    for (const std::int64_t cell : design.rows[static_cast<std::size_t>(eligible[row])].cells)
      row_of_cell[static_cast<std::size_t>(cell)] = static_cast<std::int32_t>(row);
  return row_of_cell;
}

// One cell of a chunk, zeros included.
void fill_row(const CellChunk& chunk, std::int64_t cell, std::span<double> row) {
  std::fill(row.begin(), row.end(), 0.0);
  const auto at = static_cast<std::size_t>(cell);
  for (std::int64_t entry = chunk.indptr[at]; entry < chunk.indptr[at + 1]; ++entry)
    row[chunk.genes[static_cast<std::size_t>(entry)]] = chunk.values[static_cast<std::size_t>(entry)];
}

// The cells whose place in the order lies in [begin, end), brought into order, then visited.
class Block {
 public:
  Block(std::int64_t begin, std::int64_t end, std::int64_t n_dims, bool single)
      : begin_(begin), end_(end), n_dims_(n_dims), single_(single) {
    const auto size = static_cast<std::size_t>((end - begin) * n_dims);
    if (single)
      singles_.resize(size);
    else
      doubles_.resize(size);
  }
  void keep(std::int64_t place, std::span<const double> values) {
    if (place < begin_ || place >= end_) return;
    const auto at = (place - begin_) * n_dims_;
    if (single_)
      std::transform(values.begin(), values.end(), singles_.begin() + at,
                     [](double value) { return static_cast<float>(value); });
    else
      std::copy(values.begin(), values.end(), doubles_.begin() + at);
  }
  void visit(const std::function<void(std::int64_t, std::span<const double>)>& visit, std::span<double> row) const {
    for (std::int64_t place = begin_; place < end_; ++place) {
      const auto at = (place - begin_) * n_dims_;
      if (single_)
        std::copy_n(singles_.begin() + at, n_dims_, row.begin());
      else
        std::copy_n(doubles_.begin() + at, n_dims_, row.begin());
      visit(place, row);
    }
  }

 private:
  std::int64_t begin_, end_, n_dims_;
  bool single_;  // the source holds float32: kept so, which loses nothing
  std::vector<float> singles_;
  std::vector<double> doubles_;
};

// body(cell of the source, its values) for all cells.
template <typename Body>
void stream(CellSource& source, Body body) {
  const std::int64_t n_cells = source.info().n_cells;
  std::vector<double> row(static_cast<std::size_t>(source.info().n_genes));
  CellChunk chunk;
  for (std::int64_t first = 0; first < n_cells; first += source.chunk_cells()) {
    throw_if_stopped();
    source.read(first, std::min(source.chunk_cells(), n_cells - first), chunk);
    for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
      fill_row(chunk, cell, row);
      body(first + cell, std::span<const double>(row));
    }
  }
}

std::vector<std::int64_t> places_of(std::span<const std::int64_t> order, std::int64_t n_cells) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(n_cells), -1);
  for (std::size_t at = 0; at < order.size(); ++at)
    place[static_cast<std::size_t>(order[at])] = static_cast<std::int64_t>(at);
  return place;
}

}  // namespace

void visit_cells(CellSource& source, std::span<const std::int64_t> order, std::int64_t memory_bytes,
                 const std::function<void(std::int64_t, std::span<const double>)>& visit) {
  const std::int64_t n_cells = source.info().n_cells, n_dims = source.info().n_genes;
  const std::vector<std::int64_t> place = places_of(order, n_cells);
  if (std::is_sorted(order.begin(), order.end())) {
    stream(source, [&](std::int64_t cell, std::span<const double> values) {
      if (place[static_cast<std::size_t>(cell)] >= 0) visit(place[static_cast<std::size_t>(cell)], values);
    });
    return;
  }
  const bool single = source.info().dtype == "float32";
  const std::int64_t row_bytes = std::max<std::int64_t>(n_dims * (single ? 4 : 8), 1);
  const std::int64_t step = std::max<std::int64_t>(memory_bytes / row_bytes, 1);
  std::vector<double> row(static_cast<std::size_t>(n_dims));
  const auto n = static_cast<std::int64_t>(order.size());
  for (std::int64_t begin = 0; begin < n; begin += step) {
    Block block(begin, std::min(begin + step, n), n_dims, single);
    stream(source, [&](std::int64_t cell, std::span<const double> values) {
      block.keep(place[static_cast<std::size_t>(cell)], values);
    });
    block.visit(visit, row);
  }
}

EmbeddingDigest::EmbeddingDigest() { hash_.update("scvet embedding 1\n"); }

void EmbeddingDigest::add(std::string_view cell, std::span<const double> values) {
  hash_.update(cell);
  hash_.update(std::string_view("\0", 1));
  hash_.update(std::as_bytes(values));
}

std::string EmbeddingDigest::finish() { return hash_.finish(); }

EmbeddingDelta::EmbeddingDelta(const Design& design, std::span<const std::int64_t> eligible, std::int64_t n_dims)
    : n_dims_(n_dims),
      row_of_cell_(rows_of_cells(design, eligible)),
      n_control_(static_cast<std::int64_t>(design.nt_cells.size())),
      sums_(eligible.size() * static_cast<std::size_t>(n_dims), 0.0),
      control_(static_cast<std::size_t>(n_dims), 0.0) {
  for (const std::int64_t row : eligible)
    cells_of_row_.push_back(static_cast<std::int64_t>(design.rows[static_cast<std::size_t>(row)].cells.size()));
}

void EmbeddingDelta::add(std::int64_t cell, std::span<const double> values) {
  const std::int32_t row = row_of_cell_[static_cast<std::size_t>(cell)];
  if (row == kOther) return;
  double* const sums = row == kControl ? control_.data() : sums_.data() + row * n_dims_;
  for (std::size_t dim = 0; dim < values.size(); ++dim) sums[dim] += values[dim];
}

std::vector<double> EmbeddingDelta::finish() const {
  std::vector<double> z(sums_.size());
  for (std::size_t row = 0; row < cells_of_row_.size(); ++row) {
    double* const out = z.data() + static_cast<std::int64_t>(row) * n_dims_;
    const double* const sums = sums_.data() + static_cast<std::int64_t>(row) * n_dims_;
    double squares = 0;
    for (std::int64_t dim = 0; dim < n_dims_; ++dim) {
      out[dim] = sums[dim] / static_cast<double>(cells_of_row_[row]) -
                 control_[static_cast<std::size_t>(dim)] / static_cast<double>(n_control_);
      squares += out[dim] * out[dim];
    }
    if (squares == 0) continue;
    const double length = std::sqrt(squares);
    for (std::int64_t dim = 0; dim < n_dims_; ++dim) out[dim] = out[dim] / length;
  }
  return z;
}

void EmbeddingScan::Spread::add(std::span<const double> values) {
  if (n == 0) {
    mean.assign(values.size(), 0.0);
    squares.assign(values.size(), 0.0);
  }
  ++n;
  for (std::size_t dim = 0; dim < values.size(); ++dim) {
    const double before = values[dim] - mean[dim];
    mean[dim] += before / static_cast<double>(n);
    squares[dim] += before * (values[dim] - mean[dim]);
  }
}

double EmbeddingScan::Spread::variance() const {
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum / static_cast<double>(n) / static_cast<double>(squares.size());
}

EmbeddingScan::EmbeddingScan(const Design& design, std::span<const std::int64_t> eligible,
                             std::span<const std::uint64_t> record_hash)
    : row_of_cell_(rows_of_cells(design, eligible)), rows_(eligible.size()), record_hash_(record_hash) {
  std::unordered_map<std::uint64_t, int> seen;
  for (const std::uint64_t hash : record_hash) ++seen[hash];
  for (const auto& [hash, n] : seen)
    if (n > 1) first_of_record_[hash] = {};
}

void EmbeddingScan::add(std::int64_t cell, std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  norms_ += std::sqrt(squares);
  all_.add(values);
  const std::int32_t row = row_of_cell_[static_cast<std::size_t>(cell)];
  if (row >= 0) rows_[static_cast<std::size_t>(row)].add(values);
  if (record_hash_.empty()) return;
  const auto record = first_of_record_.find(record_hash_[static_cast<std::size_t>(cell)]);
  if (record == first_of_record_.end()) return;
  if (record->second.empty()) {
    record->second.assign(values.begin(), values.end());
    return;
  }
  double apart = 0;
  for (std::size_t dim = 0; dim < values.size(); ++dim)
    apart += (values[dim] - record->second[dim]) * (values[dim] - record->second[dim]);
  distances_.push_back(std::sqrt(apart));
}

EmbeddingFlags EmbeddingScan::finish() const {
  EmbeddingFlags flags;
  flags.within_row_ratio = std::numeric_limits<double>::quiet_NaN();
  if (all_.n > 0 && all_.variance() > 0 && !rows_.empty()) {
    std::vector<double> within;
    for (const Spread& row : rows_)
      if (row.n > 1) within.push_back(row.variance());
    flags.within_row_ratio = numeric::median(within) / all_.variance();
    flags.constant_within_row = flags.within_row_ratio < kConstantWithinRow;
  }
  const double mean_norm = all_.n > 0 ? norms_ / static_cast<double>(all_.n) : 0;
  flags.groups = static_cast<std::int64_t>(first_of_record_.size());
  flags.cells = flags.groups + static_cast<std::int64_t>(distances_.size());
  flags.differing = std::count_if(distances_.begin(), distances_.end(),
                                  [&](double distance) { return distance > kDifferentEmbedding * mean_norm; });
  flags.same_counts_different_embedding = flags.differing > 0;
  return flags;
}

}  // namespace scvet::trial
