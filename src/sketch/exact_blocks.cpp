#include "exact_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace scvet::sketch {
namespace {

constexpr float kNever = 1e9f;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

bool same_fraction(const Candidate& a, const Candidate& b) {
  return std::uint64_t{a.intersection} * b.union_size == std::uint64_t{b.intersection} * a.union_size;
}

}  // namespace

std::byte* make_table(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* table = std::aligned_alloc(kHugePage, whole);
  if (!table) throw std::bad_alloc();
  madvise(table, whole, MADV_HUGEPAGE);  // a wish: random rows of a megabyte want few page table entries
  return static_cast<std::byte*>(table);
}

void FreeTable::operator()(std::byte* table) const { std::free(table); }

std::size_t table_bytes(int lanes, std::uint32_t n_columns) {
  return (std::size_t{n_columns} + 1) * static_cast<std::size_t>(lanes / 8);
}

QueryBlock::QueryBlock(const Kernel& kernel, const CellSets& queries, std::span<const std::int64_t> members,
                       const SearchOptions& options)
    : kernel_(kernel), options_(options), found_(members.size()) {
  for (std::size_t lane = 0; lane < members.size(); ++lane) {
    found_[lane].query = members[lane];
    found_[lane].size = static_cast<std::uint32_t>(queries.tokens(members[lane]).size());
    found_[lane].nearest.reserve(static_cast<std::size_t>(options.top) + 1);
  }
}

void QueryBlock::build_table(const CellSets& queries, const TokenPlan& plan) {
  const std::size_t bytes = table_bytes(kernel_.lanes, plan.n_columns());
  const std::size_t row_bytes = static_cast<std::size_t>(kernel_.lanes / 8);
  zero_row_ = plan.n_columns();
  table_.reset(make_table(bytes));
  std::memset(table_.get(), 0xFF, bytes - row_bytes);
  std::memset(table_.get() + bytes - row_bytes, 0, row_bytes);
  for (std::size_t lane = 0; lane < found_.size(); ++lane) {
    const auto bit = static_cast<std::byte>(1 << lane % 8);
    std::byte* const column = table_.get() + lane / 8;
    for (const std::uint16_t token : queries.tokens(found_[lane].query))
      column[plan.gene(token).column * row_bytes] &= ~bit;
  }
}

void QueryBlock::refresh(LaneNeeds& needs, std::int64_t first_row) {
  if (needs.version == version_ && needs.first_row == first_row) return;
  const std::lock_guard lock(mutex_);
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(kernel_.lanes); ++lane) {
    needs.slope[lane] = 0;
    needs.size[lane] = 0;
    needs.contain[lane] = kNever;
    if (lane >= found_.size()) continue;
    const Found& found = found_[lane];
    needs.size[lane] = static_cast<float>(found.size);
    if (options_.top == 0) {
      needs.slope[lane] = 1;  // the need becomes |query| + |set|
    } else if (found.nearest.size() == static_cast<std::size_t>(options_.top)) {
      const Candidate& last = found.nearest.back();
      needs.slope[lane] =
          static_cast<float>(last.intersection) / static_cast<float>(last.intersection + last.union_size);
    }
    if (!options_.containment) continue;
    // An equal intersection counts only from a lower row, which a later tile cannot hold.
    const bool more = found.containment.row < first_row;
    const std::uint32_t least = std::max(found.containment.intersection + (more ? 1u : 0u), 1u);
    needs.contain[lane] = least <= found.size ? static_cast<float>(least) : kNever;
  }
  needs.version = version_;
  needs.first_row = first_row;
}

void QueryBlock::compare(const Tile& tile, LaneNeeds& needs, std::vector<KernelHit>& hits) {
  const std::span<const KernelRow> rows = tile.rows();
  hits.resize(kBucketRows * static_cast<std::size_t>(kernel_.lanes));
  for (std::size_t first = 0; first < rows.size();) {
    refresh(needs, tile.first());
    // Sets of one bucket differ by 2 % in size at most, so that their needs are nearly the same.
    const std::uint32_t widest = rows[first].size + rows[first].size / 50;
    std::size_t count = 1;
    while (count < kBucketRows && first + count < rows.size() && rows[first + count].size <= widest) ++count;
    const KernelBlock block{table_.get(), zero_row_, needs.slope, needs.size, needs.contain};
    const std::size_t n_hits = kernel_.run(block, rows.data() + first, count, hits.data());
    if (n_hits > 0) keep(tile, first, {hits.data(), n_hits});
    first += count;
  }
}

void QueryBlock::keep(const Tile& tile, std::size_t first, std::span<const KernelHit> hits) {
  const std::lock_guard lock(mutex_);
  bool changed = false;
  for (const KernelHit& hit : hits) {
    Found& found = found_[hit.lane];
    const TileRow& origin = tile.origin(first + hit.row);
    if (hit.intersection == 0 || (options_.queries_are_reference && origin.row == found.query)) continue;
    const std::uint32_t set_size = tile.rows()[first + hit.row].size;
    if (options_.containment) changed |= keep_containment(found, origin.row, hit.intersection);
    changed |=
        keep_nearest(found, {origin.row, origin.hash, hit.intersection, found.size + set_size - hit.intersection});
  }
  if (changed) version_.fetch_add(1);
}

bool QueryBlock::keep_containment(Found& found, std::int64_t row, std::uint32_t intersection) const {
  SearchResult::Containment& best = found.containment;
  const bool better = intersection > best.intersection || (intersection == best.intersection && row < best.row);
  if (better) best = {row, intersection};
  return better;
}

bool QueryBlock::keep_nearest(Found& found, const Candidate& candidate) const {
  std::vector<Candidate>& list = found.nearest;
  const auto top = static_cast<std::size_t>(options_.top);
  std::size_t place = list.size();
  while (place > 0 && before(candidate.neighbour(), list[place - 1].neighbour())) --place;
  if (place >= top) return false;
  // The same set has the same fraction: it stands in the run of ties around the place.
  for (std::size_t at = place; at-- > 0 && same_fraction(list[at], candidate);)
    if (list[at].hash == candidate.hash) return false;  // by a lower row already
  std::size_t copy = place;
  while (copy < list.size() && same_fraction(list[copy], candidate) && list[copy].hash != candidate.hash) ++copy;
  if (copy < list.size() && same_fraction(list[copy], candidate))
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(copy));
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), candidate);
  if (list.size() > top) list.pop_back();
  return true;
}

}  // namespace scvet::sketch
