// MinHash estimates of Jaccard, equal slots of 128 (doi:10.1109/SEQUEN.1997.666900), with every reference cell.
#include "sketch_search.h"

namespace scvet::sketch {
namespace {

class MinHashReference : public PreparedReference {
 public:
  MinHashReference(const SetSource& reference, std::uint64_t seed, const SketchSettings& settings)
      : reference_(reference, seed, SlotForm::kGenes, settings.use_stored), settings_(settings) {}

  SearchResult search(const CellSets& queries, const SearchOptions& options) override {
    check_search(queries, reference_.source(), options);
    SearchResult result = empty_result(reference_, queries, true);
    const bool self = options.queries_are_reference;
    best_by_slots(reference_, reference_.sketch(queries), static_cast<std::size_t>(options.top), self, settings_,
                  [&](std::span<QueryRows> found) { write_estimates(reference_, found, self, result); });
    return result;
  }

 private:
  SketchReference reference_;
  SketchSettings settings_;
};

std::unique_ptr<PreparedReference> prepare(const SetSource& reference, std::uint64_t seed) {
  return prepare_minhash(reference, seed, {.target = simd_target()});
}

}  // namespace

std::unique_ptr<PreparedReference> prepare_minhash(const SetSource& reference, std::uint64_t seed,
                                                   const SketchSettings& settings) {
  return std::make_unique<MinHashReference>(reference, seed, settings);
}

extern const EngineRecord minhash_engine = {
    .name = "minhash",
    .summary = "estimated Jaccard, equal slots of two 128-slot MinHash sketches, with every reference cell",
    .exact_jaccard = false,
    .counts_genes = false,
    .containment = false,
    .all_compared = true,
    .prepare = prepare,
};

}  // namespace scvet::sketch
