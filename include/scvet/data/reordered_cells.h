// Chosen cells of another source, in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet {

// Ascending rows stream; other orders are read in as many passes as `memory_bytes` asks for.
class ReorderedCells : public CellSource {
 public:
  ReorderedCells(CellSource& source, std::vector<std::int64_t> rows, std::int64_t memory_bytes = std::int64_t{1} << 30);
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return source_.var(); }
  std::int64_t chunk_cells() const override { return block_; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override;

 private:
  struct Cell {
    std::vector<std::uint32_t> genes;
    std::vector<double> values;
  };
  // body(row of the source, its chunk, place in it) for the rows asked for, ascending, each once.
  template <typename Body>
  void each_row(std::vector<std::int64_t> rows, Body body);
  CellSource& source_;
  std::vector<std::int64_t> rows_;
  MatrixInfo info_;
  std::int64_t block_ = 1;
  CellChunk loaded_;
};

}  // namespace scvet
