// make_screen FILE [SHARE] [DIMS]: a simulated genome-wide Perturb-seq screen as gzip CSR h5ad, written as a stream.
// 10,439 rows of 9,653 target genes, 8,248 genes, 273 gem groups, 75,328 control cells whatever the share, and SHARE
// (default 0.1; 1: about 2 million cells) of the perturbed cells, in random order; about 1,700 non-zeros a cell. obsm
// X_sim (DIMS, default 64) holds each target's hidden state with noise, so that a trial on it has something to find.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/io/h5ad_writer.h"

namespace {

using namespace scvet;

constexpr std::int64_t kRows = 10439, kTargets = 9653, kGenes = 8248, kControls = 75328, kBatches = 273;
constexpr double kNonZeros = 1700, kCellsPerRow = 184;
constexpr int kDepths = 16, kStates = 8, kAffected = 400;
constexpr std::uint64_t kSeed = 20260601;

double normal(Stream& random) {  // by twelve uniforms: good enough for a load
  double sum = -6;
  for (int draw = 0; draw < 12; ++draw) sum += random.unit();
  return sum;
}

// What a cell belongs to; -1: a control.
struct Cell {
  std::int32_t row, batch;
};

struct State {
  std::array<double, kStates> value;
};

State state_of(std::int32_t target) {
  Stream random(stream_key(kSeed + 1, static_cast<std::uint64_t>(target) + 1));
  const double strength = std::pow(random.unit(), 3) * 1.2;  // most knock-downs do little
  State state{};
  for (double& value : state.value) value = strength * normal(random);
  return state;
}

std::int32_t target_of(std::int32_t row) {
  return row < kTargets ? row : (row - static_cast<std::int32_t>(kTargets)) * 7;
}

class Screen final : public CellSource {
 public:
  explicit Screen(double share) {
    make_cells(share);
    make_genes();
    info_ = {"X", "csr_matrix", "float32", static_cast<std::int64_t>(cells_.size()), kGenes, -1};
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return 4096; }
  const std::vector<Cell>& cells() const { return cells_; }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    struct Made {
      std::vector<std::uint32_t> genes;
      std::vector<double> values;
    };
    std::vector<Made> made(static_cast<std::size_t>(count));
    parallel_for(count, [&](std::int64_t cell, int) {
      Made& to = made[static_cast<std::size_t>(cell)];
      make(first + cell, to.genes, to.values);
    });
    for (const Made& cell : made) {
      chunk.genes.insert(chunk.genes.end(), cell.genes.begin(), cell.genes.end());
      chunk.values.insert(chunk.values.end(), cell.values.begin(), cell.values.end());
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }

 private:
  void make_cells(double share) {
    Stream random(kSeed);
    for (std::int32_t row = 0; row < kRows; ++row) {
      const double spread = std::exp(0.5 * normal(random) - 0.125);
      const auto n = std::max<std::int64_t>(10, std::llround(share * kCellsPerRow * spread));
      for (std::int64_t cell = 0; cell < n; ++cell) cells_.push_back({row, 0});
    }
    for (std::int64_t cell = 0; cell < kControls; ++cell) cells_.push_back({-1, 0});
    for (std::size_t cell = cells_.size() - 1; cell > 0; --cell)
      std::swap(cells_[cell], cells_[random.below(cell + 1)]);
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      cells_[cell].batch = static_cast<std::int32_t>(random.below(kBatches));
  }

  void make_genes() {
    Stream random(kSeed + 2);
    for (std::int64_t gene = 0; gene < kGenes; ++gene) {
      var_.names.push_back(fmt::format("ENSG{:011d}", mix(kSeed ^ static_cast<std::uint64_t>(gene)) % 100000 * 100000 +
                                                          static_cast<std::uint64_t>(gene)));
      rate_.push_back(std::exp(1.6 * normal(random)));
    }
    double low = 0, high = 10;
    for (int step = 0; step < 60; ++step) {
      double expected = 0;
      for (const double rate : rate_) expected += 1 - std::exp(-rate * (low + high) / 2);
      (expected < kNonZeros ? low : high) = (low + high) / 2;
    }
    for (double& rate : rate_) rate *= low;
    for (int depth = 0; depth < kDepths; ++depth)
      for (const double rate : rate_) zero_.push_back(zero_share(rate * depth_factor(depth)));
  }

  static double depth_factor(int depth) { return 0.4 + 1.2 * (depth + 0.5) / kDepths; }
  static std::uint32_t zero_share(double rate) { return static_cast<std::uint32_t>(std::exp(-rate) * 4294967295.0); }

  // Poisson by inversion, given that the draw is above the share of zeros.
  static std::uint32_t count_above(double unit, double rate) {
    double probability = std::exp(-rate), below = probability;
    std::uint32_t count = 0;
    while (unit >= below && count < 5000) {
      ++count;
      probability *= rate / count;
      below += probability;
    }
    return std::max(count, 1u);
  }

  void make(std::int64_t cell, std::vector<std::uint32_t>& genes, std::vector<double>& values) const {
    Stream random(stream_key(kSeed + 3, static_cast<std::uint64_t>(cell) + 1));
    const int depth = static_cast<int>(random.below(kDepths));
    const double factor = depth_factor(depth);
    const std::int32_t row = cells_[static_cast<std::size_t>(cell)].row;
    const State state = row < 0 ? State{} : state_of(target_of(row));
    const std::uint32_t* const zero = zero_.data() + static_cast<std::int64_t>(depth) * kGenes;
    for (std::uint32_t gene = 0; gene < kGenes; ++gene) {
      const auto draw = static_cast<std::uint32_t>(random.next() >> 32);
      double rate = rate_[gene] * factor;
      std::uint32_t least = zero[gene];
      if (gene % (kGenes / kAffected) == 0 && row >= 0) {
        rate *=
            std::exp(std::clamp(state.value[gene % kStates] + 0.5 * state.value[(gene / kStates) % kStates], -3., 3.));
        least = zero_share(rate);
      }
      if (draw < least) continue;
      genes.push_back(gene);
      values.push_back(count_above((static_cast<double>(draw) + 0.5) / 4294967296.0, rate));
    }
  }

  MatrixInfo info_;
  Table var_;
  std::vector<Cell> cells_;
  std::vector<double> rate_;
  std::vector<std::uint32_t> zero_;  // by depth and gene: draws below are zeros
};

Table make_obs(const std::vector<Cell>& cells) {
  Table obs;
  std::vector<std::string> rows, targets, batches;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const auto [row, batch] = cells[cell];
    obs.names.push_back(fmt::format("CELL{:07d}-{}", cell, batch + 1));
    targets.push_back(row < 0 ? "non-targeting" : fmt::format("T{:05d}", target_of(row)));
    rows.push_back(row < 0 ? "non-targeting" : fmt::format("{}_P{}", targets.back(), row < kTargets ? 1 : 2));
    batches.push_back(std::to_string(batch + 1));
  }
  obs.columns.push_back(categorical_column("gene_transcript", rows));
  obs.columns.push_back(categorical_column("target_gene", targets));
  obs.columns.push_back(categorical_column("gem_group", batches));
  return obs;
}

Embedding make_embedding(const std::vector<Cell>& cells, std::int64_t n_dims) {
  Embedding embedding{"X_sim", static_cast<std::int64_t>(cells.size()), n_dims, {}};
  embedding.values.resize(cells.size() * static_cast<std::size_t>(n_dims));
  parallel_for(embedding.n_cells, [&](std::int64_t cell, int) {
    const std::int32_t row = cells[static_cast<std::size_t>(cell)].row;
    const State state = row < 0 ? State{} : state_of(target_of(row));
    Stream random(stream_key(kSeed + 4, static_cast<std::uint64_t>(cell) + 1));
    for (std::int64_t dim = 0; dim < n_dims; ++dim)
      embedding.values[static_cast<std::size_t>(cell * n_dims + dim)] = static_cast<float>(
          (dim < 2 * kStates ? state.value[static_cast<std::size_t>(dim % kStates)] : 0.0) + normal(random));
  });
  return embedding;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: make_screen FILE [SHARE] [DIMS]\n");
    return 2;
  }
  try {
    Screen screen(count > 2 ? std::atof(words[2]) : 0.1);
    const Table obs = make_obs(screen.cells());
    io::H5adContent content;
    content.obs = &obs;
    content.var = &screen.var();
    content.x = &screen;
    content.obsm.push_back(make_embedding(screen.cells(), count > 3 ? std::atoll(words[3]) : 64));
    io::write_h5ad(words[1], content, {.level = 1});
    fmt::print("{}: {} cells x {} genes\n", words[1], screen.cells().size(), kGenes);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
