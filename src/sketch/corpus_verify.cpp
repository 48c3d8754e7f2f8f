// Every checksum and every promise of a store.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "corpus_file.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"

namespace scvet::sketch {
namespace {

// Section of the first block whose checksum is wrong; -1: all are right.
int first_bad_section(const SegmentView& segment, std::uint64_t& block_in_section) {
  const auto stored = segment.section<std::uint64_t>(kChecksums);
  if (checksum(std::as_bytes(stored)) != segment.toc->checksums) return kChecksums;
  const std::vector<std::uint64_t> found = block_checksums(segment.bytes, segment.layout);
  std::size_t block = 0;
  for (int section = 0; section < kChecksums; ++section) {
    const std::uint64_t blocks = (segment.layout.length[static_cast<std::size_t>(section)] + kBlock - 1) / kBlock;
    for (block_in_section = 0; block_in_section < blocks; ++block_in_section, ++block)
      if (found[block] != stored[block]) return section;
  }
  return -1;
}

// The cells of one segment are what the format promises: throws on the first that is not.
class CellCheck {
 public:
  CellCheck(const CorpusFile& corpus, const SegmentView& segment, const MinHasher& hasher,
            std::span<const std::uint64_t> keys)
      : corpus_(corpus), segment_(segment), hasher_(hasher), keys_(keys) {}

  // `seen` counts the cells of each gene.
  void check(std::int64_t row, std::vector<std::uint32_t>& seen) {
    corpus_.read_row(segment_, row, tokens_, counts_);
    sorted_ = tokens_;
    std::sort(sorted_.begin(), sorted_.end());
    if (std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end())
      corpus_.fail(segment_, kTokens, row, "a gene stands there twice");
    for (const std::uint32_t token : tokens_) ++seen[token];
    if (segment_.toc->shape.has_counts) check_counts(row);
    values_.assign(counts_.begin(), counts_.end());
    const CellHashes found = hash_ranked(keys_, tokens_, values_, true);
    const CellHashes stored = corpus_.hashes(segment_.first_row + row);
    if (found.set != stored.set || found.order != stored.order ||
        (segment_.toc->shape.has_counts && found.counts != stored.counts && !tokens_.empty()))
      corpus_.fail(segment_, kHashes, row, "the stored hash is not that of the cell");
    hasher_.sketch(tokens_, scratch_, sketch_);
    if (low_bytes(sketch_) != corpus_.sketch(segment_.first_row + row))
      corpus_.fail(segment_, kSketch, row, "the stored sketch is not that of the cell");
    (void)corpus_.origin(segment_.first_row + row);
  }

 private:
  void check_counts(std::int64_t row) {
    const std::size_t large = static_cast<std::size_t>(
        std::count_if(counts_.begin(), counts_.end(), [](std::uint32_t count) { return count >= kEscape; }));
    const RowRange escapes = corpus_.range(segment_, kEscapeOffsets, row, segment_.toc->shape.escapes);
    if (escapes.last - escapes.first != large) corpus_.fail(segment_, kEscapes, row, "large counts that are not used");
    if (std::find(counts_.begin(), counts_.end(), 0u) != counts_.end())
      corpus_.fail(segment_, kCounts, row, "a gene with the count 0");
  }

  const CorpusFile& corpus_;
  const SegmentView& segment_;
  const MinHasher& hasher_;
  std::span<const std::uint64_t> keys_;
  std::vector<std::uint32_t> tokens_, counts_, sorted_;
  std::vector<double> values_;
  MinHasher::Scratch scratch_;
  Sketch sketch_{};
};

void check_segment(const CorpusFile& corpus, const SegmentView& segment, const MinHasher& hasher,
                   std::span<const std::uint64_t> keys) {
  constexpr std::int64_t kTaskCells = 1024;
  std::uint64_t block = 0;
  const int bad = first_bad_section(segment, block);
  if (bad >= 0) {
    const std::string name = corpus.segment_name(segment, bad);
    throw DataError(
        fmt::format("{}: {}: block {} has a wrong checksum; restore the file from a copy, or build it again",
                    corpus.path(), name, block),
        {.file = corpus.path(), .field = name, .reason = "corpus_damaged"});
  }
  std::vector<std::uint32_t> seen(segment.toc->shape.panel_genes, 0);
  std::mutex mutex;
  parallel_for((segment.cells() + kTaskCells - 1) / kTaskCells, [&](std::int64_t task, int) {
    CellCheck cells(corpus, segment, hasher, keys);
    std::vector<std::uint32_t> mine(seen.size(), 0);
    for (std::int64_t row = task * kTaskCells; row < std::min(segment.cells(), (task + 1) * kTaskCells); ++row)
      cells.check(row, mine);
    const std::lock_guard lock(mutex);
    for (std::size_t token = 0; token < seen.size(); ++token) seen[token] += mine[token];
  });
  const auto stored = segment.section<std::uint32_t>(kDetection);
  if (!std::equal(seen.begin(), seen.end(), stored.begin(), stored.end()))
    corpus.fail(segment, kDetection, 0, "the number of cells of a gene is not that of the cells");
  corpus.file().forget(segment.toc->offset, segment.layout.total);
}

}  // namespace

std::vector<CorpusFault> CorpusFile::verify(std::size_t most) const {
  std::vector<CorpusFault> faults;
  if (slot_damaged_)
    faults.push_back(
        {"header", path() + ": header: one of the two headers is damaged; what was appended last may be missing"});
  std::vector<std::unique_ptr<MinHasher>> hashers(panels_.size());
  std::vector<std::vector<std::uint64_t>> keys(panels_.size());
  ProgressScope progress("verifying", n_cells_);
  for (const SegmentView& segment : segments_) {
    if (faults.size() >= most) break;
    const auto panel = static_cast<std::size_t>(panel_index(segment));
    if (!hashers[panel]) {
      keys[panel] = gene_keys(panels_[panel]);
      hashers[panel] = std::make_unique<MinHasher>(keys[panel], kStoreSeed);
    }
    try {
      check_segment(*this, segment, *hashers[panel], keys[panel]);
    } catch (const DataError& error) {
      faults.push_back({error.facts().field, error.what()});
    }
    progress.advance(segment.cells());
  }
  return faults;
}

}  // namespace scvet::sketch
