#include "rerank.h"

#include <algorithm>
#include <tuple>

#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "slot_kernel.h"

namespace scvet::sketch {
namespace {

constexpr std::size_t kTask = 4096;  // pairs a worker takes at a time

struct Pair {
  std::int64_t row;
  std::uint32_t at, place;  // in `found`, and in its rows
};

std::vector<Pair> pairs_by_row(std::span<const QueryRows> found) {
  std::vector<Pair> pairs;
  for (std::size_t at = 0; at < found.size(); ++at)
    for (std::size_t place = 0; place < found[at].rows.size(); ++place)
      pairs.push_back({found[at].rows[place].row, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(place)});
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return std::tie(a.row, a.at) < std::tie(b.row, b.at); });
  return pairs;
}

std::size_t words_of(const CellSets& queries) { return (queries.n_tokens() + 63) / 64; }

void set_bits(std::span<const std::uint16_t> tokens, std::uint64_t* bits) {
  for (const std::uint16_t token : tokens) bits[token / 64] |= std::uint64_t{1} << token % 64;
}

// One bit a gene for each query of `found`, row after row.
std::vector<std::uint64_t> query_bits(const CellSets& queries, std::span<const QueryRows> found) {
  const std::size_t words = words_of(queries);
  std::vector<std::uint64_t> bits(words * found.size(), 0);
  for (std::size_t at = 0; at < found.size(); ++at) set_bits(queries.tokens(found[at].query), bits.data() + at * words);
  return bits;
}

// The reference row that a worker is at.
struct ReadRow {
  std::vector<std::uint16_t> tokens;
  std::vector<std::uint64_t> bits;
  std::uint32_t size = 0;
  void read(const SetSource& source, std::int64_t row, std::size_t words) {
    source.read_tokens(row, tokens);
    bits.assign(words, 0);
    set_bits(tokens, bits.data());
    size = static_cast<std::uint32_t>(tokens.size());
  }
};

}  // namespace

void rerank(const SketchReference& reference, const CellSets& queries, std::span<const QueryRows> found,
            const SearchOptions& options, SimdTarget target, SearchResult& result) {
  const std::vector<Pair> pairs = pairs_by_row(found);
  const std::vector<std::uint64_t> bits = query_bits(queries, found);
  const std::size_t words = words_of(queries);
  const SharedBits count = shared_bits(target);
  std::vector<std::vector<Neighbour>> entries(found.size());
  for (std::size_t at = 0; at < found.size(); ++at) entries[at].resize(found[at].rows.size());
  ProgressScope progress("Counting shared genes", static_cast<std::int64_t>(pairs.size()));
  parallel_for(static_cast<std::int64_t>((pairs.size() + kTask - 1) / kTask), [&](std::int64_t task, int) {
    ReadRow row;
    const std::size_t first = static_cast<std::size_t>(task) * kTask, last = std::min(first + kTask, pairs.size());
    for (std::size_t place = first; place < last; ++place) {
      const Pair& pair = pairs[place];
      if (place == first || pair.row != pairs[place - 1].row) row.read(reference.source(), pair.row, words);
      const std::int64_t query = found[pair.at].query;
      const std::uint32_t shared = count(row.bits.data(), bits.data() + pair.at * words, words);
      const auto either = row.size + static_cast<std::uint32_t>(queries.tokens(query).size()) - shared;
      entries[pair.at][pair.place] =
          entry_of(reference, pair.row, shared, either, query, options.queries_are_reference);
    }
    reference.source().forget(pairs[first].row, pairs[last - 1].row - pairs[first].row + 1);
    progress.advance(static_cast<std::int64_t>(last - first));
  });
  parallel_for(static_cast<std::int64_t>(found.size()), [&](std::int64_t at, int) {
    auto& list = entries[static_cast<std::size_t>(at)];
    std::erase_if(list, [](const Neighbour& entry) { return entry.intersection == 0; });
    std::sort(list.begin(), list.end(), before);
    if (list.size() > static_cast<std::size_t>(options.top)) list.resize(static_cast<std::size_t>(options.top));
    result.nearest[static_cast<std::size_t>(found[static_cast<std::size_t>(at)].query)] = std::move(list);
  });
}

}  // namespace scvet::sketch
