// One byte a slot (b-bit minwise hashing, doi:10.1145/1772690.1772759) against every reference cell, the best 200 re-ranked by
// true J (audit specification, section 3). Reads the sketches that a corpus store keeps, 128 bytes a cell.
#include <algorithm>

#include "rerank.h"
#include "sketch_search.h"

namespace scvet::sketch {
namespace {

class Sketch8Reference : public PreparedReference {
 public:
  Sketch8Reference(const SetSource& reference, std::uint64_t seed, const SketchSettings& settings)
      : reference_(reference, seed, SlotForm::kLowBytes, settings.use_stored), settings_(settings) {}

  SearchResult search(const CellSets& queries, const SearchOptions& options) override {
    check_search(queries, reference_.source(), options);
    SearchResult result = empty_result(reference_, queries, true);
    best_by_slots(reference_, reference_.sketch(queries), static_cast<std::size_t>(std::max(kReRanked, options.top)),
                  options.queries_are_reference, settings_, [&](std::span<QueryRows> found) {
                    rerank(reference_, queries, found, options, settings_.target, result);
                  });
    return result;
  }
  std::string note() const override { return "the engine sketch8 " + reference_.note(); }
  bool seeded() const override { return !reference_.stored(); }

 private:
  SketchReference reference_;
  SketchSettings settings_;
};

std::unique_ptr<PreparedReference> prepare(const SetSource& reference, std::uint64_t seed) {
  return prepare_sketch8(reference, seed, {.target = simd_target()});
}

}  // namespace

std::unique_ptr<PreparedReference> prepare_sketch8(const SetSource& reference, std::uint64_t seed,
                                                   const SketchSettings& settings) {
  return std::make_unique<Sketch8Reference>(reference, seed, settings);
}

extern const EngineRecord sketch8_engine = {
    .name = "sketch8",
    .summary = "true Jaccard of the 200 reference cells whose 128-byte sketches agree best; for huge corpora",
    .exact_jaccard = false,
    .counts_genes = true,
    .containment = false,
    .all_compared = true,
    .prepare = prepare,
};

}  // namespace scvet::sketch
