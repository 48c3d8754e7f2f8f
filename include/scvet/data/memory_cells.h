// A matrix of cells held in memory, for what we make ourselves: simulations and tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet {

class MemoryCells : public CellSource {
 public:
  // `name` and `dtype` as in MatrixInfo; `var` names the genes.
  // `ranked`: a token list, whose values are ranks.
  MemoryCells(std::string name, std::string dtype, Table var, bool ranked = false);
  // One more cell: ascending genes and their values.
  void add(const std::vector<std::uint32_t>& genes, const std::vector<double>& values);

  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override;
  std::int64_t chunk_cells() const override { return 4096; }

 private:
  MatrixInfo info_;
  Table var_;
  std::vector<std::int64_t> indptr_{0};
  std::vector<std::uint32_t> genes_;
  std::vector<double> values_;
};

}  // namespace scvet
