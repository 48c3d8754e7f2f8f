// MinHash estimates for the reference cells that share one of 16 bands of 8 slots with the query; none: no candidate
// (audit specification, section 3). This is the search of the published recipe.
#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "bands.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "sketch_search.h"

namespace scvet::sketch {
namespace {

constexpr std::size_t kPerPass = std::size_t{1} << 17;  // queries whose bands are indexed at a time
constexpr std::size_t kLocks = 256;

class LshReference : public PreparedReference {
 public:
  LshReference(const SetSource& reference, std::uint64_t seed, const SketchSettings& settings)
      : reference_(reference, seed, SlotForm::kGenes, settings.use_stored), settings_(settings) {}

  SearchResult search(const CellSets& queries, const SearchOptions& options) override {
    check_search(queries, reference_.source(), options);
    SearchResult result = empty_result(reference_, queries, false);
    const QuerySketches sketches = reference_.sketch(queries);
    const std::span<const std::int64_t> rows(sketches.rows);
    for (std::size_t first = 0; first < rows.size(); first += kPerPass)
      pass(sketches, rows.subspan(first, std::min(kPerPass, rows.size() - first)), options, result);
    return result;
  }

 private:
  // The best rows of some queries, filled by all workers.
  struct Lists {
    std::vector<BestRows> best;
    std::array<std::mutex, kLocks> locks;
  };

  void pass(const QuerySketches& sketches, std::span<const std::int64_t> members, const SearchOptions& options,
            SearchResult& result) const {
    std::vector<BandIndex> index;
    for (int band = 0; band < kBands; ++band) index.emplace_back(band, sketches, members);
    Lists lists;
    lists.best.assign(members.size(), BestRows(static_cast<std::size_t>(options.top)));
    const std::vector<SketchPiece> pieces = reference_.pieces(settings_.tile_rows);
    ProgressScope progress("Looking for candidates", reference_.n_rows());
    parallel_for(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t task, int) {
      const SketchPiece& piece = pieces[static_cast<std::size_t>(task)];
      // Band by band, so that one index at a time is in a near cache.
      for (int band = 0; band < kBands; ++band)
        match(piece, band, index[static_cast<std::size_t>(band)], sketches, members, options, lists);
      progress.advance(piece.count);
    });
    std::vector<QueryRows> found(members.size());
    for (std::size_t member = 0; member < members.size(); ++member)
      found[member] = {members[member], lists.best[member].take()};
    write_estimates(reference_, found, options.queries_are_reference, result);
  }

  void match(const SketchPiece& piece, int band, const BandIndex& index, const QuerySketches& sketches,
             std::span<const std::int64_t> members, const SearchOptions& options, Lists& lists) const {
    for (std::int64_t at = 0; at < piece.count; ++at) {
      const std::uint8_t *const low = piece.low + at * kSlots, *const high = piece.high + at * kSlots;
      std::int64_t row = piece.first + at;
      if (!reference_.stands(row)) continue;
      index.for_matches(low, high, [&](std::uint32_t member) {
        const std::int64_t query = members[member];
        const std::uint8_t *const own_low = sketches.planes.low(query), *const own_high = sketches.planes.high(query);
        // A pair that shares several bands is met once, at the first of them.
        if (std::countr_zero(equal_band_bits(low, high, own_low, own_high)) != band) return;
        std::int64_t found = row;
        if (options.queries_are_reference && row == query) {
          const RepeatedSet* const set = reference_.repeated(row);
          if (!set) return;
          found = set->second;
        }
        const std::uint64_t key = row_key(equal_genes(low, high, own_low, own_high), found);
        const std::lock_guard lock(lists.locks[member % kLocks]);
        lists.best[member].offer(key);
      });
    }
  }

  SketchReference reference_;
  SketchSettings settings_;
};

std::unique_ptr<PreparedReference> prepare(const SetSource& reference, std::uint64_t seed) {
  return prepare_lsh(reference, seed, {.target = simd_target()});
}

}  // namespace

std::unique_ptr<PreparedReference> prepare_lsh(const SetSource& reference, std::uint64_t seed,
                                               const SketchSettings& settings) {
  return std::make_unique<LshReference>(reference, seed, settings);
}

extern const EngineRecord lsh_engine = {
    .name = "lsh",
    .summary = "as minhash, with reference cells that share one of 16 bands of 8 slots only; may have no candidate",
    .exact_jaccard = false,
    .counts_genes = false,
    .containment = false,
    .all_compared = false,
    .prepare = prepare,
};

}  // namespace scvet::sketch
