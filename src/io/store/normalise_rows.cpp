// Cells whose genes are out of order or repeated, put right.
#include <algorithm>
#include <atomic>
#include <utility>

#include "scvet/base/parallel.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kBlockEntries = 1 << 18;  // of the cells that a task takes

bool is_clean(const CellChunk& chunk, std::int64_t begin, std::int64_t end) {
  const std::uint32_t* genes = chunk.genes.data();
  bool ascending = true;  // no early exit: most rows are clean, and this loop is wide
  for (std::int64_t at = begin + 1; at < end; ++at) ascending &= genes[at - 1] < genes[at];
  return ascending;
}

// The first gene that is none of `n_genes`; `end` where all are. In a clean row the last gene is the largest.
std::int64_t find_bad(const CellChunk& chunk, std::int64_t begin, std::int64_t end, std::int64_t n_genes, bool clean) {
  const std::uint32_t* genes = chunk.genes.data();
  if (clean && (begin == end || genes[end - 1] < n_genes)) return end;
  std::int64_t at = begin;
  while (at < end && genes[at] < n_genes) ++at;
  return at;
}

// Sorts [begin, end) and sums repeats there; the number of genes that are left.
std::int64_t put_right(CellChunk& chunk, std::int64_t begin, std::int64_t end,
                       std::vector<std::pair<std::uint32_t, double>>& row) {
  row.clear();
  for (std::int64_t at = begin; at < end; ++at)
    row.emplace_back(chunk.genes[static_cast<std::size_t>(at)], chunk.values[static_cast<std::size_t>(at)]);
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::int64_t kept = begin;
  for (const auto& [gene, value] : row) {
    if (kept > begin && chunk.genes[static_cast<std::size_t>(kept - 1)] == gene) {
      chunk.values[static_cast<std::size_t>(kept - 1)] += value;
      continue;
    }
    chunk.genes[static_cast<std::size_t>(kept)] = gene;
    chunk.values[static_cast<std::size_t>(kept)] = value;
    ++kept;
  }
  return kept - begin;
}

// Closes the gaps behind cells that lost repeats.
void close_gaps(CellChunk& chunk, const std::vector<std::int64_t>& lengths) {
  std::int64_t kept = 0;
  for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    const std::int64_t begin = std::exchange(chunk.indptr[at], kept);
    std::copy_n(chunk.genes.begin() + begin, lengths[at], chunk.genes.begin() + kept);
    std::copy_n(chunk.values.begin() + begin, lengths[at], chunk.values.begin() + kept);
    kept += lengths[at];
  }
  chunk.indptr[static_cast<std::size_t>(chunk.n_cells)] = kept;
  chunk.genes.resize(static_cast<std::size_t>(kept));
  chunk.values.resize(static_cast<std::size_t>(kept));
}

}  // namespace

std::int64_t normalise_rows(CellChunk& chunk, std::int64_t n_genes) {
  const std::int64_t blocks = chunk.indptr.back() / kBlockEntries + 1;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(chunk.n_cells));
  std::atomic<bool> shrunk{false};
  std::atomic<std::int64_t> first_bad{chunk.indptr.back()};
  parallel_for(blocks, [&](std::int64_t block, int) {
    std::vector<std::pair<std::uint32_t, double>> row;
    const std::int64_t last = chunk.n_cells * (block + 1) / blocks;
    for (std::int64_t cell = chunk.n_cells * block / blocks; cell < last; ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      const std::int64_t begin = chunk.indptr[at], end = chunk.indptr[at + 1];
      const bool clean = is_clean(chunk, begin, end);
      if (const std::int64_t bad = find_bad(chunk, begin, end, n_genes, clean); bad < end) {
        for (std::int64_t least = first_bad; bad < least && !first_bad.compare_exchange_weak(least, bad);) continue;
        return;
      }
      lengths[at] = clean ? end - begin : put_right(chunk, begin, end, row);
      if (lengths[at] != end - begin) shrunk = true;
    }
  });
  if (first_bad < chunk.indptr.back()) return first_bad;
  if (shrunk) close_gaps(chunk, lengths);
  return -1;
}

}  // namespace scvet::io
