#include "exact_tile.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace scvet::sketch {
namespace {

constexpr std::size_t kReadAhead = 16;  // KernelRow: tokens behind the last may be read
// Upper ends of the classes, as shares of the queries; the last class holds what is left below. Rare genes come first
// because most queries miss them, the very rare last: they are many columns but few genes of a cell, and without them
// the part of a table that most sets need fits the second-level cache.
constexpr double kVeryRare = .02;
constexpr double kClassEnds[TokenPlan::kClasses - 1] = {.06, .13, .22, .36, .55, 1};

}  // namespace

TokenPlan::TokenPlan(std::span<const std::uint32_t> counts, std::int64_t n_queries, std::uint64_t salt)
    : hash_(salt), genes_(counts.size(), Gene{0, kAbsent}) {
  std::vector<std::uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; });
  for (const std::uint32_t token : order) {
    if (counts[token] == 0) continue;
    Gene& gene = genes_[token];
    gene.column = static_cast<std::uint16_t>(n_columns_++);
    const double share = static_cast<double>(counts[token]) / static_cast<double>(n_queries);
    gene.group = TokenPlan::kClasses - 1;
    if (share > kVeryRare)
      for (gene.group = 0; share > kClassEnds[gene.group];) ++gene.group;
  }
}

// Sorts the scratch row's genes into classes behind tokens_, and returns the sum of their hashes. The eight positions of
// a run of 255 genes are bytes of one register: pointers in memory would make each gene wait for the one before.
std::uint64_t Tile::append(const TokenPlan& plan) {
  constexpr std::size_t kStride = kMaxTokens + 160;  // not a power of two: eight streams, eight cache ways
  constexpr std::size_t kRun = 255;
  by_class_.resize((TokenPlan::kClasses + 1) * kStride);
  std::uint16_t* ends[TokenPlan::kClasses + 1];
  for (std::size_t group = 0; group <= TokenPlan::kClasses; ++group) ends[group] = by_class_.data() + group * kStride;
  std::uint64_t hash = 0;
  for (std::size_t first = 0; first < scratch_.size(); first += kRun) {
    std::uint64_t used = 0;
    const std::uint16_t* const stop = scratch_.data() + std::min(first + kRun, scratch_.size());
    for (const std::uint16_t* token = scratch_.data() + first; token != stop; ++token) {
      const TokenPlan::Gene gene = plan.gene(*token);
      hash += plan.hash(*token);  // a sum: the order of the genes does not matter
      const int shift = 8 * gene.group;
      ends[gene.group][(used >> shift) & 0xFF] = gene.column;
      used += std::uint64_t{1} << shift;
    }
    for (std::size_t group = 0; group <= TokenPlan::kClasses; ++group) ends[group] += (used >> 8 * group) & 0xFF;
  }
  std::size_t n_held = 0;
  for (std::size_t group = 0; group < TokenPlan::kClasses; ++group)
    n_held += static_cast<std::size_t>(ends[group] - (by_class_.data() + group * kStride));
  std::size_t place = tokens_.size();
  tokens_.resize(place + n_held);
  for (std::size_t group = 0; group < TokenPlan::kClasses; ++group) {
    const std::uint16_t* const from = by_class_.data() + group * kStride;
    const auto count = static_cast<std::size_t>(ends[group] - from);
    std::copy_n(from, count, tokens_.data() + place);
    place += count;
    n_rare_ = static_cast<std::uint32_t>(count);
  }
  return hash;
}

void Tile::load(const SetSource& source, const TokenPlan& plan, std::int64_t first, std::int64_t count, int copies,
                std::uint64_t hash_mask, std::span<HashedRow> hashes) {
  first_ = first;
  tokens_.clear();
  entries_.clear();
  for (std::int64_t at = 0; at < count; ++at) {
    source.read_tokens(first + at, scratch_);
    const auto size = static_cast<std::uint32_t>(scratch_.size());
    const std::size_t start = tokens_.size();
    const std::uint64_t hash = TokenHash::finish(append(plan), size) & hash_mask;
    if (!hashes.empty()) hashes[static_cast<std::size_t>(at)] = {size ? first + at : -1, hash};
    const auto n_tokens = static_cast<std::uint32_t>(tokens_.size() - start);
    if (n_tokens > 0) entries_.push_back({hash, start, static_cast<std::uint32_t>(at), n_tokens, n_rare_, size});
  }
  source.forget(first, count);
  tokens_.resize(tokens_.size() + kReadAhead);
  order(copies);
}

void Tile::order(int copies) {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.size, a.hash, a.row) < std::tie(b.size, b.hash, b.row);
  });
  rows_.clear();
  origins_.clear();
  int equal = 0;
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    const Entry& entry = entries_[at];
    equal = at > 0 && entries_[at - 1].size == entry.size && entries_[at - 1].hash == entry.hash ? equal + 1 : 0;
    if (equal >= copies) continue;
    rows_.push_back({tokens_.data() + entry.start, entry.n_tokens, entry.n_rare, entry.size});
    origins_.push_back({first_ + entry.row, entry.hash});
  }
}

}  // namespace scvet::sketch
