// What a trial takes from an embedding: z_emb of every row, the digest, and what a look at single cells can tell
// (specification 4, 14 and 16). Cells stream by, so that an embedding need not fit into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/base/digest.h"
#include "scvet/data/cells.h"
#include "scvet/trial/audits.h"
#include "scvet/trial/design.h"

namespace scvet::trial {

// Calls visit(at, values) for at = 0, 1, ... with the values of cell order[at] of `source`, all dimensions. A rising
// order streams; any other is read in as many passes as `memory_bytes` asks for.
void visit_cells(CellSource& source, std::span<const std::int64_t> order, std::int64_t memory_bytes,
                 const std::function<void(std::int64_t at, std::span<const double> values)>& visit);

// SHA-256 over the cells in byte order of their names. One add() a cell.
class EmbeddingDigest {
 public:
  EmbeddingDigest();
  void add(std::string_view cell, std::span<const double> values);
  std::string finish();

 private:
  Sha256 hash_;
};

// Row means less the mean of the control cells, each row of length 1; all sums in obs order. One add() a cell.
class EmbeddingDelta {
 public:
  EmbeddingDelta(const Design& design, std::span<const std::int64_t> eligible, std::int64_t n_dims);
  void add(std::int64_t cell, std::span<const double> values);
  std::vector<double> finish() const;  // eligible rows x dimensions; a zero vector stays zero

 private:
  std::int64_t n_dims_;
  std::vector<std::int32_t> row_of_cell_;  // place among the eligible, kControl, or kOther
  std::vector<std::int64_t> cells_of_row_;
  std::int64_t n_control_;
  std::vector<double> sums_, control_;
};

// Reported beside a category, never changing it. One add() a cell, in obs order.
class EmbeddingScan {
 public:
  // `record_hash`: of each cell's counts without its name (Screen); empty: that flag is not looked for.
  EmbeddingScan(const Design& design, std::span<const std::int64_t> eligible,
                std::span<const std::uint64_t> record_hash);
  void add(std::int64_t cell, std::span<const double> values);
  EmbeddingFlags finish() const;

 private:
  // Welford's running mean and sum of squared deviations.
  struct Spread {
    std::int64_t n = 0;
    std::vector<double> mean, squares;
    void add(std::span<const double> values);
    double variance() const;  // mean over dimensions, divisor n
  };
  std::vector<std::int32_t> row_of_cell_;
  std::vector<Spread> rows_;
  Spread all_;
  std::span<const std::uint64_t> record_hash_;
  std::map<std::uint64_t, std::vector<double>> first_of_record_;  // of counts that several cells have
  std::vector<double> distances_;                                 // of later cells from the first
  double norms_ = 0;
};

}  // namespace scvet::trial
