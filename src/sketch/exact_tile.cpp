#include "exact_tile.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "scvet/base/random.h"

namespace scvet::sketch {
namespace {

constexpr std::size_t kReadAhead = 16;  // KernelRow: tokens behind the last may be read
// Upper ends of the classes, as shares of the queries; the last class holds what is left below. Rare genes come first
// because most queries miss them, the very rare last: they are many columns but few genes of a cell, and without them
// the part of a table that most sets need fits the second-level cache.
constexpr double kVeryRare = .02;
constexpr double kClassEnds[TokenPlan::kClasses - 1] = {.05, .1, .17, .28, .43, .63, 1};

}  // namespace

TokenPlan::TokenPlan(std::span<const std::uint32_t> counts, std::int64_t n_queries, std::uint64_t salt)
    : genes_(counts.size()) {
  std::vector<std::uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; });
  for (const std::uint32_t token : order) {
    Gene& gene = genes_[token];
    gene.hash = mix(mix(salt ^ kTagSet) ^ token);
    gene.column = 0;
    gene.group = kAbsent;
    if (counts[token] == 0) continue;
    gene.column = n_columns_++;
    const double share = static_cast<double>(counts[token]) / static_cast<double>(n_queries);
    gene.group = TokenPlan::kClasses - 1;
    if (share > kVeryRare)
      for (gene.group = 0; share > kClassEnds[gene.group];) ++gene.group;
  }
}

void Tile::load(const SetSource& source, const TokenPlan& plan, std::int64_t first, std::int64_t count, int copies,
                std::uint64_t hash_mask, std::span<HashedRow> hashes) {
  first_ = first;
  tokens_.clear();
  entries_.clear();
  constexpr std::size_t kStride = kMaxTokens + 160;  // not a power of two: nine streams, eight cache ways
  by_class_.resize((TokenPlan::kClasses + 1) * kStride);
  for (std::int64_t at = 0; at < count; ++at) {
    source.read_tokens(first + at, scratch_);
    std::uint64_t hash = 0;
    std::uint16_t* ends[TokenPlan::kClasses + 1];
    for (std::size_t group = 0; group <= TokenPlan::kClasses; ++group) ends[group] = by_class_.data() + group * kStride;
    for (const std::uint16_t token : scratch_) {
      const TokenPlan::Gene& gene = plan.gene(token);
      hash += gene.hash;  // a sum: the order of the genes does not matter
      *ends[gene.group]++ = static_cast<std::uint16_t>(gene.column);
    }
    const auto size = static_cast<std::uint32_t>(scratch_.size());
    hash = mix(hash ^ size) & hash_mask;
    if (!hashes.empty()) hashes[static_cast<std::size_t>(at)] = {size ? first + at : -1, hash};
    if (size == 0) continue;
    const std::size_t start = tokens_.size();
    for (std::size_t group = 0; group < TokenPlan::kClasses; ++group)
      tokens_.insert(tokens_.end(), by_class_.data() + group * kStride, ends[group]);
    if (tokens_.size() == start) continue;
    const std::size_t rare = TokenPlan::kClasses - 1;
    entries_.push_back({hash, start, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(tokens_.size() - start),
                        static_cast<std::uint32_t>(ends[rare] - (by_class_.data() + rare * kStride)), size});
  }
  source.forget(first, count);
  tokens_.resize(tokens_.size() + kReadAhead);

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
    origins_.push_back({first + entry.row, entry.hash});
  }
}

}  // namespace scvet::sketch
