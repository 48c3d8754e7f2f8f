#include "sketch_search.h"

#include <algorithm>

#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "slot_blocks.h"

namespace scvet::sketch {
namespace {

using Blocks = std::vector<std::unique_ptr<SlotQueries>>;

Blocks make_blocks(std::span<const std::int64_t> rows, std::size_t keep, bool self, SimdTarget target) {
  Blocks blocks;
  for (std::size_t first = 0; first < rows.size();) {
    const SlotKernel* kernel = slot_kernels(target);
    while (kernel[1].lanes != 0 && rows.size() - first <= static_cast<std::size_t>(kernel[1].lanes)) ++kernel;
    const std::size_t count = std::min(rows.size() - first, static_cast<std::size_t>(kernel->lanes));
    blocks.push_back(std::make_unique<SlotQueries>(*kernel, rows.subspan(first, count), keep, self));
    first += count;
  }
  return blocks;
}

void compare_all(const SketchReference& reference, const QuerySketches& queries, const Blocks& blocks,
                 const SketchSettings& settings, ProgressScope& progress) {
  parallel_for(static_cast<std::int64_t>(blocks.size()),
               [&](std::int64_t block, int) { blocks[static_cast<std::size_t>(block)]->build_table(queries); });
  const std::int64_t fair = reference.n_rows() / (4 * workers()) + 1;
  const std::int64_t tile_rows =
      std::clamp<std::int64_t>(fair, std::min<std::int64_t>(256, settings.tile_rows), settings.tile_rows);
  const std::vector<SketchPiece> pieces = reference.pieces(tile_rows);
  std::vector<std::unique_ptr<SlotWork>> state(static_cast<std::size_t>(workers()));
  parallel_for(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t task, int worker) {
    auto& own = state[static_cast<std::size_t>(worker)];
    if (!own) own = std::make_unique<SlotWork>();
    const SketchPiece& piece = pieces[static_cast<std::size_t>(task)];
    for (const auto& block : blocks) {
      throw_if_stopped();
      own->version = 0;
      block->compare(reference, piece, queries, *own);
    }
    if (reference.stored()) reference.source().forget(piece.first, piece.count);
    progress.advance(piece.count);
  });
}

}  // namespace

void best_by_slots(const SketchReference& reference, const QuerySketches& queries, std::size_t keep, bool self,
                   const SketchSettings& settings, const std::function<void(std::span<QueryRows>)>& take) {
  const auto lanes = static_cast<std::size_t>(slot_kernels(settings.target)->lanes);
  const std::size_t per_pass =
      lanes * std::max<std::size_t>(1, settings.table_budget / slot_table_bytes(static_cast<int>(lanes)));
  const std::span<const std::int64_t> rows(queries.rows);
  const std::size_t n_passes = (rows.size() + per_pass - 1) / per_pass;
  ProgressScope progress("Comparing with the reference", reference.n_rows() * static_cast<std::int64_t>(n_passes));
  for (std::size_t first = 0; first < rows.size(); first += per_pass) {
    const auto part = rows.subspan(first, std::min(per_pass, rows.size() - first));
    const Blocks blocks = make_blocks(part, keep, self, settings.target);
    compare_all(reference, queries, blocks, settings, progress);
    std::vector<QueryRows> found(part.size());
    std::vector<std::size_t> starts{0};
    for (const auto& block : blocks) starts.push_back(starts.back() + block->members().size());
    parallel_for(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t task, int) {
      const auto number = static_cast<std::size_t>(task);
      SlotQueries& block = *blocks[number];
      block.drop_table();
      for (std::size_t lane = 0; lane < block.members().size(); ++lane)
        found[starts[number] + lane] = {block.members()[lane], block.take(lane)};
    });
    take(found);
  }
}

SearchResult empty_result(const SketchReference& reference, const CellSets& queries, bool all_compared) {
  SearchResult result;
  result.n_reference = reference.n_rows();
  result.n_distinct = reference.n_distinct();
  result.all_compared = all_compared;
  result.nearest.resize(static_cast<std::size_t>(queries.n_cells()));
  result.containment.resize(static_cast<std::size_t>(queries.n_cells()));
  return result;
}

Neighbour entry_of(const SketchReference& reference, std::int64_t row, std::uint32_t intersection,
                   std::uint32_t union_size, std::int64_t query, bool self) {
  const RepeatedSet* const set = reference.repeated(row);
  std::uint32_t rows = set ? set->rows : 1;
  if (self && set && reference.repeated(query) == set) --rows;
  return {row, intersection, union_size, rows};
}

void write_estimates(const SketchReference& reference, std::span<QueryRows> found, bool self, SearchResult& result) {
  for (const QueryRows& one : found) {
    auto& nearest = result.nearest[static_cast<std::size_t>(one.query)];
    nearest.reserve(one.rows.size());
    for (const ScoredRow& row : one.rows)
      nearest.push_back(entry_of(reference, row.row, row.equal, kSlots, one.query, self));
  }
}

}  // namespace scvet::sketch
