#include "exact_groups.h"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "scvet/base/parallel.h"

namespace scvet::sketch {
namespace {

constexpr int kBits = 12;  // buckets of the table, sorted side by side
constexpr std::size_t kBuckets = std::size_t{1} << kBits;

std::size_t bucket_of(std::uint64_t hash) { return static_cast<std::size_t>(hash >> (64 - kBits)); }

// Moves entries to their buckets in place (American flag sort); returns where each bucket starts.
std::vector<std::size_t> partition(std::vector<HashedRow>& rows) {
  std::vector<std::size_t> starts(kBuckets + 1, 0);
  for (const HashedRow& row : rows) ++starts[bucket_of(row.hash) + 1];
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) starts[bucket + 1] += starts[bucket];
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
    while (next[bucket] < starts[bucket + 1]) {
      HashedRow& here = rows[next[bucket]];
      const std::size_t home = bucket_of(here.hash);
      if (home == bucket)
        ++next[bucket];
      else
        std::swap(here, rows[next[home]++]);
    }
  return starts;
}

}  // namespace

SetGroups::SetGroups(std::vector<HashedRow> rows) : rows_(std::move(rows)) {
  std::erase_if(rows_, [](const HashedRow& row) { return row.row < 0; });
  starts_ = partition(rows_);
  std::atomic<std::int64_t> distinct{0};
  parallel_for(static_cast<std::int64_t>(kBuckets), [&](std::int64_t bucket, int) {
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(bucket)]);
    const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(bucket) + 1]);
    std::sort(first, last,
              [](const HashedRow& a, const HashedRow& b) { return std::tie(a.hash, a.row) < std::tie(b.hash, b.row); });
    std::int64_t found = 0;
    for (auto at = first; at != last; ++at) found += at == first || at->hash != (at - 1)->hash;
    distinct += found;
  });
  n_distinct_ = distinct;
}

std::size_t SetGroups::find(std::uint64_t hash) const {
  const std::size_t bucket = bucket_of(hash);
  const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[bucket]);
  const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[bucket + 1]);
  const auto at = std::lower_bound(first, last, hash, [](const HashedRow& a, std::uint64_t b) { return a.hash < b; });
  return static_cast<std::size_t>(at - rows_.begin());
}

std::uint32_t SetGroups::multiplicity(std::uint64_t hash) const {
  std::uint32_t count = 0;
  for (std::size_t at = find(hash); at < rows_.size() && rows_[at].hash == hash; ++at) ++count;
  return count;
}

bool SetGroups::confirm(const SetSource& source) const {
  std::atomic<bool> sound{true};
  parallel_for(static_cast<std::int64_t>(kBuckets), [&](std::int64_t bucket, int) {
    std::vector<std::uint16_t> first, other;
    std::vector<bool> held;
    const std::size_t end = starts_[static_cast<std::size_t>(bucket) + 1];
    for (std::size_t at = starts_[static_cast<std::size_t>(bucket)]; at < end && sound;) {
      std::size_t next = at + 1;
      while (next < end && rows_[next].hash == rows_[at].hash) ++next;
      if (next > at + 1) {
        source.read_tokens(rows_[at].row, first);
        held.resize(kMaxTokens);
        for (const std::uint16_t token : first) held[token] = true;
        for (std::size_t copy = at + 1; copy < next; ++copy) {
          source.read_tokens(rows_[copy].row, other);
          if (other.size() != first.size() ||
              !std::all_of(other.begin(), other.end(), [&](std::uint16_t token) { return held[token]; }))
            sound = false;
        }
        for (const std::uint16_t token : first) held[token] = false;
      }
      at = next;
    }
  });
  return sound;
}

}  // namespace scvet::sketch
