// An open store: the map, its table of contents, and checked access to segments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corpus_layout.h"
#include "corpus_toc.h"
#include "scvet/base/files.h"
#include "scvet/sketch/corpus.h"

namespace scvet::sketch {

// One segment in the map. Offsets and lengths were checked on opening, what the sections hold was not.
struct SegmentView {
  const TocSegment* toc = nullptr;
  std::int64_t first_row = 0;  // in the store
  SegmentLayout layout;
  std::span<const std::byte> bytes;

  template <typename Value>
  std::span<const Value> section(int index) const {
    const auto at = static_cast<std::size_t>(index);
    return {reinterpret_cast<const Value*>(bytes.data() + layout.offset[at]), layout.length[at] / sizeof(Value)};
  }
  std::int64_t cells() const { return static_cast<std::int64_t>(toc->shape.cells); }
};

struct RowRange {
  std::size_t first = 0, last = 0;
};

class CorpusFile : public Corpus, public std::enable_shared_from_this<CorpusFile> {
 public:
  explicit CorpusFile(const std::string& path);

  const std::string& path() const override { return file_.path(); }
  std::string digest() const override { return hex_bytes(header_.toc_sha256); }
  const CorpusCard& card() const override { return toc_.card; }
  const FingerprintRule& rule() const override { return rule_; }
  std::int64_t n_cells() const override { return n_cells_; }
  std::int64_t n_segments() const override { return static_cast<std::int64_t>(segments_.size()); }
  const std::vector<GenePanel>& panels() const override { return panels_; }
  const std::vector<CorpusSource>& sources() const override { return sources_; }
  std::int64_t panel_cells(int panel) const override;
  const std::vector<std::string>& donors(std::size_t source) const override { return toc_.sources.at(source).donors; }
  const std::vector<std::string>& datasets(std::size_t source) const override {
    return toc_.sources.at(source).datasets;
  }
  std::unique_ptr<PanelView> view(int panel, TokenMap map, std::uint32_t n_universe) const override;
  std::vector<std::int64_t> detection(int panel) const override;
  CellOrigin origin(std::int64_t store_row) const override;
  std::uint32_t cell_size(std::int64_t store_row) const override;
  CellHashes hashes(std::int64_t store_row) const override;
  LowBytes sketch(std::int64_t store_row) const override;
  void read_cell(std::int64_t store_row, std::vector<std::uint32_t>& tokens,
                 std::vector<std::uint32_t>& counts) const override;
  std::vector<CorpusFault> verify(std::size_t most) const override;

  const Toc& toc() const { return toc_; }
  const Header& header() const { return header_; }
  bool slot_damaged() const { return slot_damaged_; }
  const MappedFile& file() const { return file_; }
  const std::vector<SegmentView>& segments() const { return segments_; }
  const SegmentView& segment_of(std::int64_t store_row) const;
  const GenePanel& panel_of(const SegmentView& segment) const;
  int panel_index(const SegmentView& segment) const { return sources_[segment.toc->source].panel; }

  // Items [first, last) of the row, from a section of row offsets; DataError when they are not in order or range.
  RowRange range(const SegmentView& segment, int offsets_section, std::int64_t row, std::uint64_t n_items) const;
  // Tokens and counts of a row in rank order; each token below the panel's size.
  void read_row(const SegmentView& segment, std::int64_t row, std::vector<std::uint32_t>& tokens,
                std::vector<std::uint32_t>& counts) const;
  // The row's tokens on a universe (-1: outside), without copying the cell first.
  void restrict_row(const SegmentView& segment, std::int64_t row, const std::vector<std::int32_t>& to_universe,
                    std::vector<std::uint16_t>& tokens) const;
  void read_counts(const SegmentView& segment, std::int64_t row, RowRange tokens, std::uint32_t* counts) const;
  [[noreturn]] void fail(const SegmentView& segment, int section, std::int64_t row, const std::string& why) const;
  std::string segment_name(const SegmentView& segment, int section) const;
  void forget(const SegmentView& segment, std::int64_t first, std::int64_t count) const;

 private:
  void read_headers();
  std::span<const std::byte> blob(const Blob& where, const char* what) const;

  MappedFile file_;
  Header header_;
  bool slot_damaged_ = false;
  Toc toc_;
  FingerprintRule rule_;
  std::vector<GenePanel> panels_;
  std::vector<CorpusSource> sources_;
  std::vector<SegmentView> segments_;
  std::int64_t n_cells_ = 0;
};

}  // namespace scvet::sketch
