// Cells for speed measurements: molecules drawn from type-specific expression profiles, a gene is in a cell's set when at
// least one of its molecules was. Frequencies and sizes are as skewed as in droplet data; the same for a seed anywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/sketch/cell_sets.h"
#include "scvet/sketch/minhash.h"

namespace scvet::sketch::bench {

constexpr std::uint32_t kUniverse = 25424;
constexpr int kTypes = 24;

inline double normal(Stream& stream) {
  const double radius = std::sqrt(-2 * std::log(1 - stream.unit()));
  return radius * std::cos(2 * std::numbers::pi * stream.unit());
}

class CellSimulator {
 public:
  CellSimulator(double mean_genes, std::uint64_t seed, std::uint32_t universe = kUniverse)
      : seed_(seed), universe_(universe) {
    Stream stream(stream_key(seed, 1));
    std::vector<double> shared(universe), weights(universe);
    for (double& weight : shared) weight = std::exp(2.2 * normal(stream));
    for (int type = 0; type < kTypes; ++type) {
      double total = 0;
      for (std::uint32_t gene = 0; gene < universe; ++gene)
        total += weights[gene] = shared[gene] * std::exp(.9 * normal(stream));
      for (double& weight : weights) weight /= total;
      tables_.push_back(alias_table(weights));
      depths_.push_back(depth_for(weights, mean_genes));
    }
  }

  // Replaces `tokens` by cell `row`, ascending.
  void cell(std::int64_t row, std::vector<std::uint16_t>& tokens) const {
    thread_local std::vector<std::uint64_t> held;
    held.assign((universe_ + 63) / 64, 0);
    Stream stream(stream_key(seed_ ^ 0xCE11, static_cast<std::uint64_t>(row) + 1));
    const auto type = static_cast<std::size_t>(stream.below(kTypes));
    const double depth = depths_[type] * std::exp(.45 * normal(stream) - .07);
    const auto& table = tables_[type];
    for (auto left = static_cast<std::int64_t>(depth); left > 0; --left) {
      const std::uint64_t draw = stream.next();
      const auto slot = static_cast<std::uint32_t>(((draw >> 32) * universe_) >> 32);
      const std::uint32_t gene = static_cast<std::uint32_t>(draw) < table[slot].keep ? slot : table[slot].other;
      held[gene / 64] |= std::uint64_t{1} << gene % 64;
    }
    tokens.clear();
    for (std::size_t word = 0; word < held.size(); ++word)
      for (std::uint64_t bits = held[word]; bits != 0; bits &= bits - 1)
        tokens.push_back(static_cast<std::uint16_t>(64 * word + static_cast<std::size_t>(__builtin_ctzll(bits))));
  }

  CellSets cells(std::int64_t first, std::int64_t count) const {
    CellSets sets(universe_);
    CellSet set;
    for (std::int64_t row = first; row < first + count; ++row) {
      cell(row, set.tokens);
      sets.add(set);
    }
    return sets;
  }

 private:
  struct Slot {
    std::uint32_t keep, other;
  };
  // Walker's alias method, doi:10.1145/355744.355749.
  static std::vector<Slot> alias_table(const std::vector<double>& weights) {
    const std::size_t n = weights.size();
    std::vector<double> share(n);
    std::vector<std::uint32_t> small, large;
    for (std::size_t gene = 0; gene < n; ++gene) {
      share[gene] = weights[gene] * static_cast<double>(n);
      (share[gene] < 1 ? small : large).push_back(static_cast<std::uint32_t>(gene));
    }
    std::vector<Slot> table(n, Slot{0xFFFFFFFFu, 0});
    while (!small.empty() && !large.empty()) {
      const std::uint32_t low = small.back(), high = large.back();
      small.pop_back();
      table[low] = {static_cast<std::uint32_t>(share[low] * 4294967295.0), high};
      share[high] -= 1 - share[low];
      if (share[high] < 1) {
        large.pop_back();
        small.push_back(high);
      }
    }
    return table;
  }
  static double depth_for(const std::vector<double>& weights, double genes) {
    double low = 1, high = 1e7;
    for (int step = 0; step < 60; ++step) {
      const double depth = std::sqrt(low * high);
      double detected = 0;
      for (const double weight : weights) detected += 1 - std::exp(-depth * weight);
      (detected < genes ? low : high) = depth;
    }
    return low;
  }
  std::uint64_t seed_;
  std::uint32_t universe_;
  std::vector<std::vector<Slot>> tables_;
  std::vector<double> depths_;
};

// Sets in a file of plain tokens, mapped and given back as a corpus store does.
class FileSets : public SetSource {
 public:
  FileSets(const std::string& path, std::uint32_t universe) : file_(path), universe_(universe) {
    std::int64_t n_cells = 0;
    std::memcpy(&n_cells, file_.bytes().data(), sizeof n_cells);
    offsets_.resize(static_cast<std::size_t>(n_cells) + 1);
    std::memcpy(offsets_.data(), file_.bytes().data() + 8, 8 * offsets_.size());
    file_.forget(0, file_.bytes().size());
  }
  static void write(const std::string& path, const CellSimulator& simulator, std::int64_t n_cells) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
    if (!file) throw ResourceError("cannot write " + path, {.file = path});
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(n_cells) + 1, 0);
    const auto put = [&](const void* from, std::size_t bytes) {
      if (std::fwrite(from, 1, bytes, file.get()) != bytes) throw ResourceError("cannot write " + path, {.file = path});
    };
    put(&n_cells, 8);
    put(offsets.data(), 8 * offsets.size());
    constexpr std::int64_t kChunk = 20000;
    for (std::int64_t first = 0; first < n_cells; first += kChunk) {
      const std::int64_t count = std::min(kChunk, n_cells - first);
      std::vector<std::vector<std::uint16_t>> rows(static_cast<std::size_t>(count));
      parallel_for(count,
                   [&](std::int64_t at, int) { simulator.cell(first + at, rows[static_cast<std::size_t>(at)]); });
      for (std::int64_t at = 0; at < count; ++at) {
        const auto& row = rows[static_cast<std::size_t>(at)];
        put(row.data(), 2 * row.size());
        offsets[static_cast<std::size_t>(first + at) + 1] =
            offsets[static_cast<std::size_t>(first + at)] + static_cast<std::int64_t>(row.size());
      }
    }
    std::fseek(file.get(), 8, SEEK_SET);
    put(offsets.data(), 8 * offsets.size());
  }
  std::int64_t n_cells() const override { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::uint32_t n_tokens() const override { return universe_; }
  bool has_counts(std::int64_t) const override { return false; }
  void read(std::int64_t row, CellSet& cell) const override {
    cell.counts.clear();
    read_tokens(row, cell.tokens);
  }
  void read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const override {
    const std::int64_t first = offsets_[static_cast<std::size_t>(row)];
    tokens.resize(static_cast<std::size_t>(offsets_[static_cast<std::size_t>(row) + 1] - first));
    std::memcpy(tokens.data(), file_.bytes().data() + start() + 2 * static_cast<std::size_t>(first), 2 * tokens.size());
  }
  void forget(std::int64_t first, std::int64_t count) const override {
    const auto from = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(first)]);
    const auto to = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(first + count)]);
    file_.forget(start() + 2 * from, 2 * (to - from));
  }

 private:
  std::size_t start() const { return 8 + 8 * offsets_.size(); }
  MappedFile file_;
  std::uint32_t universe_;
  std::vector<std::int64_t> offsets_;
};

// The same with 128 low bytes and the content hashes of every cell beside the tokens, as a corpus store has them.
class FileSketches : public FileSets {
 public:
  FileSketches(const std::string& sets, const std::string& sketches, std::uint32_t universe)
      : FileSets(sets, universe), sketches_(sketches), keys_(token_keys(universe)) {}
  static void write(const std::string& path, const FileSets& sets) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
    if (!file) throw ResourceError("cannot write " + path, {.file = path});
    const MinHasher hasher(token_keys(sets.n_tokens()), kStoreSeed);
    const auto n_cells = static_cast<std::size_t>(sets.n_cells());
    std::vector<CellHashes> hashes(n_cells);
    std::vector<LowBytes> bytes(n_cells);
    constexpr std::size_t kTask = 1000;
    parallel_for(static_cast<std::int64_t>((n_cells + kTask - 1) / kTask), [&](std::int64_t task, int) {
      MinHasher::Scratch scratch;
      SlotGenes genes;
      CellSet cell;
      const std::size_t first = static_cast<std::size_t>(task) * kTask;
      for (std::size_t row = first; row < std::min(n_cells, first + kTask); ++row) {
        sets.read(static_cast<std::int64_t>(row), cell);
        hashes[row] = hash_cell(cell);
        hasher.slot_genes(cell.tokens, scratch, genes);
        for (int slot = 0; slot < kSlots; ++slot)
          bytes[row][static_cast<std::size_t>(slot)] =
              static_cast<std::uint8_t>(hasher.hash(slot, genes[static_cast<std::size_t>(slot)]));
      }
      sets.forget(static_cast<std::int64_t>(first), static_cast<std::int64_t>(std::min(kTask, n_cells - first)));
    });
    if (std::fwrite(hashes.data(), sizeof(CellHashes), n_cells, file.get()) != n_cells ||
        std::fwrite(bytes.data(), sizeof(LowBytes), n_cells, file.get()) != n_cells)
      throw ResourceError("cannot write " + path, {.file = path});
  }
  std::span<const std::uint64_t> sketch_keys() const override { return keys_; }
  StoredSketches stored_sketches(std::int64_t row) const override {
    const std::byte* const start = sketches_.bytes().data();
    return {n_cells() - row,
            reinterpret_cast<const std::uint8_t*>(start + sizeof(CellHashes) * static_cast<std::size_t>(n_cells())) +
                kSlots * row,
            reinterpret_cast<const CellHashes*>(start) + row};
  }

 private:
  static std::vector<std::uint64_t> token_keys(std::uint32_t universe) {
    std::vector<std::uint64_t> keys(universe);
    for (std::uint32_t token = 0; token < universe; ++token) keys[token] = mix(token);
    return keys;
  }
  MappedFile sketches_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace scvet::sketch::bench
