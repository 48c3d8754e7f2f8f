// Streams the counts of a screen so that every row is seen whole: as many rows at a time as memory holds, one pass over
// the file for each lot. What a row is used for is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "counts_store.h"
#include "scvet/data/cells.h"
#include "scvet/trial/design.h"

namespace scvet::trial {

class ScreenReader {
 public:
  // `rows`: of the design, those that are wanted.
  ScreenReader(CellSource& source, const Design& design, std::vector<std::int64_t> rows, std::int64_t memory_bytes,
               std::string file);

  // One cell in the first pass, whether or not it belongs to a row; in parallel, so write to its own place only.
  std::function<void(std::int64_t cell, std::span<const std::uint32_t> genes, std::span<const std::uint32_t> counts,
                     int worker)>
      each_cell;
  // The control cells in obs order, before any row.
  std::function<void(CountsStore& controls)> controls;
  // A row's cells in obs order; in parallel over rows. `at`: place in `rows`.
  std::function<void(std::int64_t at, const CountsStore& cells, int worker)> row;

  void run();

 private:
  struct Encoded;
  void plan(std::size_t first_lot);
  void pass(bool first);
  void read_chunk(std::int64_t start, std::int64_t count, bool first);
  void keep(const Encoded& cells, std::int64_t start, bool first);
  void visit_lot();
  [[noreturn]] void refuse_values();

  CellSource& source_;
  const Design& design_;
  std::vector<std::int64_t> rows_;
  std::int64_t memory_bytes_;
  std::string file_;
  std::vector<std::int32_t> place_of_cell_;  // in rows_; kControl; kOther
  CountsStore controls_;
  std::vector<CountsStore> lot_;             // the rows of this pass
  std::size_t lot_first_ = 0, lot_end_ = 0;  // places in rows_
  double bytes_per_cell_ = 0;
  std::int64_t measured_bytes_ = 0;
  CellChunk chunk_;
};

}  // namespace scvet::trial
