// The diagnostic label of a row: batch by batch against the control cells of the same batch. Specification 3.4.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "label.h"
#include "scvet/trial/design.h"

namespace scvet::trial {

class BatchLabel {
 public:
  // `controls`: all control cells in obs order; `rows`: of the design, those that will be asked for.
  BatchLabel(const Design& design, const CountsStore& controls, std::span<const std::int64_t> rows,
             std::int64_t n_genes);
  // `cells`: those of the row, in obs order. NaN where no batch gives a value.
  double label(std::int64_t row, const CountsStore& cells, GroupCounter& counter) const;

 private:
  std::map<std::int32_t, std::vector<std::int64_t>> members(std::int64_t row) const;  // places among its cells

  const Design& design_;
  std::vector<std::unique_ptr<Histograms>> pools_;  // one a batch; null: fewer than two control cells
  std::vector<std::unique_ptr<PoolTest>> tests_;
};

}  // namespace scvet::trial
