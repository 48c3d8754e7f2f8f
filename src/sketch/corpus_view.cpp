// The cells of one panel on a universe.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "corpus_file.h"
#include "scvet/base/error.h"
#include "scvet/sketch/minhash.h"

namespace scvet::sketch {
namespace {

class StoreView : public PanelView {
 public:
  StoreView(std::shared_ptr<const CorpusFile> corpus, int panel, TokenMap map, std::uint32_t n_universe)
      : corpus_(std::move(corpus)), panel_(panel), map_(std::move(map)), n_universe_(n_universe) {
    for (const SegmentView& segment : corpus_->segments()) {
      if (corpus_->panel_index(segment) != panel) continue;
      parts_.push_back({n_cells_, &segment});
      n_cells_ += segment.cells();
    }
  }

  std::int64_t n_cells() const override { return n_cells_; }
  std::uint32_t n_tokens() const override { return n_universe_; }
  bool has_counts(std::int64_t row) const override { return part_of(row).segment->toc->shape.has_counts; }
  std::int64_t store_row(std::int64_t row) const override {
    const Part& part = part_of(row);
    return part.segment->first_row + (row - part.first);
  }

  void read(std::int64_t row, CellSet& cell) const override {
    const Part& part = part_of(row);
    thread_local std::vector<std::uint32_t> tokens, counts;
    corpus_->read_row(*part.segment, row - part.first, tokens, counts);
    restrict_cell(tokens, counts, map_, cell);
    // A damaged cell that repeats tokens could otherwise be larger than the universe.
    if (cell.tokens.size() > n_universe_) corpus_->fail(*part.segment, kTokens, row - part.first, "repeated genes");
  }

  void read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const override {
    if (map_.merges) {
      SetSource::read_tokens(row, tokens);
      return;
    }
    const Part& part = part_of(row);
    corpus_->restrict_row(*part.segment, row - part.first, map_.to_universe, tokens);
    if (tokens.size() > n_universe_) corpus_->fail(*part.segment, kTokens, row - part.first, "repeated genes");
  }

  // Found when they are asked for: they take a look at every segment, and only searches by sketches need them.
  std::span<const std::uint64_t> sketch_keys() const override {
    std::call_once(keys_known_, [&] {
      if (holds_whole_cells()) find_keys();
    });
    return keys_;
  }

  StoredSketches stored_sketches(std::int64_t row) const override {
    if (sketch_keys().empty()) return {};
    const Part& part = part_of(row);
    const auto at = static_cast<std::size_t>(row - part.first);
    return {part.segment->cells() - (row - part.first),
            part.segment->section<std::uint8_t>(kSketch).data() + kSlots * at,
            part.segment->section<CellHashes>(kHashes).data() + at};
  }

  void forget(std::int64_t first, std::int64_t count) const override {
    while (count > 0) {
      const Part& part = part_of(first);
      const std::int64_t here = std::min(count, part.first + part.segment->cells() - first);
      corpus_->forget(*part.segment, first - part.first, here);
      first += here;
      count -= here;
    }
  }

 private:
  struct Part {
    std::int64_t first;
    const SegmentView* segment;
  };

  // Every gene that any of the cells has is on the universe, each as a gene of its own: the stored sketches, which are of
  // whole cells, are then those of the restricted ones.
  bool holds_whole_cells() const {
    if (map_.merges) return false;
    const std::vector<std::int64_t> detected = corpus_->detection(panel_);
    for (std::size_t token = 0; token < detected.size(); ++token)
      if (map_.to_universe[token] < 0 && detected[token] != 0) return false;
    return true;
  }

  // None when a universe gene is not on the panel, so that a query could hold a gene without a key.
  void find_keys() const {
    const std::vector<std::uint64_t> all = gene_keys(corpus_->panels()[static_cast<std::size_t>(panel_)]);
    std::vector<std::uint64_t> keys(n_universe_);
    std::uint32_t n_found = 0;
    for (std::uint32_t token = 0; token < all.size(); ++token) {
      if (map_.to_universe[token] < 0) continue;
      keys[static_cast<std::size_t>(map_.to_universe[token])] = all[token];
      ++n_found;
    }
    if (n_found == n_universe_) keys_ = std::move(keys);
  }

  const Part& part_of(std::int64_t row) const {
    if (row < 0 || row >= n_cells_) throw InternalError(fmt::format("cell {} of a view of {}", row, n_cells_));
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), row,
                                        [](std::int64_t at, const Part& part) { return at < part.first; });
    return *(after - 1);
  }

  std::shared_ptr<const CorpusFile> corpus_;
  int panel_;
  TokenMap map_;
  std::uint32_t n_universe_;
  std::vector<Part> parts_;
  mutable std::once_flag keys_known_;
  mutable std::vector<std::uint64_t> keys_;  // one a universe token, empty when stored sketches do not fit this view
  std::int64_t n_cells_ = 0;
};

}  // namespace

std::unique_ptr<PanelView> CorpusFile::view(int panel, TokenMap map, std::uint32_t n_universe) const {
  if (n_universe > kMaxTokens)
    throw DataError(fmt::format("{}: {} genes are shared, at most {} can be compared", path(), n_universe, kMaxTokens),
                    {.file = path(), .field = "genes"});
  const GenePanel& genes = panels_.at(static_cast<std::size_t>(panel));
  if (map.to_universe.size() != genes.size())
    throw InternalError(fmt::format("a map of {} genes for a panel of {}", map.to_universe.size(), genes.size()));
  for (const std::int32_t token : map.to_universe)
    if (token >= static_cast<std::int64_t>(n_universe)) throw InternalError("a gene outside its universe");
  return std::make_unique<StoreView>(shared_from_this(), panel, std::move(map), n_universe);
}

}  // namespace scvet::sketch
