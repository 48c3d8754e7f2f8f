#include "scvet/trial/label_audits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "batch_label.h"
#include "cell_hasher.h"
#include "label.h"
#include "screen_reader.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/numeric/regression.h"

namespace scvet::trial {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Places = std::vector<std::int64_t>;  // of cells among those of a row, ascending

// Which cells of every row the replicates use. Drawn before reading, as each stream runs over the rows in order.
struct Draws {
  std::vector<std::vector<Places>> equal, first, second;  // [replicate][row]
};

Places sorted_places(std::span<const std::uint32_t> places) {
  Places sorted(places.begin(), places.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Draws draw_replicates(const Design& design, std::span<const std::int64_t> eligible, std::int64_t n0) {
  const auto n_cells = [&](std::int64_t row) { return design.rows[static_cast<std::size_t>(row)].cells.size(); };
  Draws draws;
  for (int replicate = 0; replicate < kEqualCellsReplicates; ++replicate) {
    numeric::Mt19937 stream(kEqualCellsSeed + static_cast<std::uint32_t>(replicate));
    std::vector<Places>& rows = draws.equal.emplace_back();
    for (const std::int64_t row : eligible) {
      const std::vector<std::uint32_t> order = stream.permutation(static_cast<std::uint32_t>(n_cells(row)));
      rows.push_back(sorted_places(std::span(order).first(std::min(order.size(), static_cast<std::size_t>(n0)))));
    }
  }
  numeric::Mt19937 stream(kSplitHalfSeed);
  for (int replicate = 0; replicate < kSplitHalfReplicates; ++replicate) {
    std::vector<Places>& first = draws.first.emplace_back();
    std::vector<Places>& second = draws.second.emplace_back();
    for (const std::int64_t row : eligible) {
      const std::vector<std::uint32_t> order = stream.permutation(static_cast<std::uint32_t>(n_cells(row)));
      const std::size_t half = order.size() / 2;
      first.push_back(sorted_places(std::span(order).first(half)));
      second.push_back(sorted_places(std::span(order).subspan(half, half)));
    }
  }
  return draws;
}

class Audit {
 public:
  Audit(CellSource& source, const Design& design, std::span<const std::int64_t> eligible,
        const LabelAuditOptions& options, const std::string& file)
      : source_(source),
        design_(design),
        eligible_(eligible),
        options_(options),
        file_(file),
        n_genes_(source.info().n_genes),
        hasher_(source.var().names, design.cell_names, file),
        null_rows_(draw_null_rows(design, eligible)) {}

  LabelAudits run() {
    std::vector<std::int64_t> rows;
    if (options_.rows) {
      rows.assign(eligible_.begin(), eligible_.end());
      draws_ = draw_replicates(design_, eligible_, options_.n0);
      for (auto* values : {&result_.y, &result_.d15, &result_.y_equal, &result_.y_free})
        values->assign(rows.size(), kNone);
      result_.first_half.assign(kSplitHalfReplicates, std::vector<double>(rows.size(), kNone));
      result_.second_half = result_.first_half;
    }
    for (int worker = 0; worker < workers(); ++worker) counters_.push_back(std::make_unique<GroupCounter>(n_genes_));
    ScreenReader reader(source_, design_, std::move(rows), options_.memory_bytes, file_);
    reader.each_cell = [&](std::int64_t cell, auto genes, auto counts, int worker) {
      hasher_.add(cell, genes, counts, worker);
    };
    reader.controls = [&](CountsStore& store) { take_controls(store); };
    reader.row = [&](std::int64_t at, const CountsStore& cells, int worker) { take_row(at, cells, worker); };
    reader.run();
    result_.counts_digest = hasher_.counts_digest();
    return std::move(result_);
  }

 private:
  GroupCounter& counter(int worker) { return *counters_[static_cast<std::size_t>(worker)]; }

  void take_controls(CountsStore& store) {
    pool_ = std::make_unique<Histograms>(store, n_genes_);
    test_null_rows(store);
    if (options_.rows) {
      test_ = std::make_unique<PoolTest>(*pool_);
      std::vector<std::int64_t> sizes{options_.n0};
      for (const std::int64_t row : eligible_) {
        const auto n = static_cast<std::int64_t>(design_.rows[static_cast<std::size_t>(row)].cells.size());
        sizes.insert(sizes.end(), {n, n / 2, std::min<std::int64_t>(n, options_.n0)});
      }
      test_->prepare(sizes);
      batches_ = std::make_unique<BatchLabel>(design_, store, eligible_, n_genes_);
    }
    store.release();
  }

  // Every pseudo-row against the controls that it left.
  void test_null_rows(const CountsStore& store) {
    result_.null_matched.assign(null_rows_.size(), kNone);
    result_.null_ungrouped = result_.null_matched;
    for (const NullRow& row : null_rows_) result_.null_n_cells.push_back(static_cast<std::int64_t>(row.matched.size()));
    parallel_for(static_cast<std::int64_t>(null_rows_.size()), [&](std::int64_t task, int worker) {
      const auto at = static_cast<std::size_t>(task);
      const auto n = static_cast<std::int64_t>(null_rows_[at].matched.size());
      const numeric::AndersonDarling2 test(n, pool_->n_cells() - n);
      result_.null_matched[at] = null_label(store, test, null_rows_[at].matched, counter(worker));
      result_.null_ungrouped[at] = null_label(store, test, null_rows_[at].ungrouped, counter(worker));
    });
  }

  double null_label(const CountsStore& store, const numeric::AndersonDarling2& test, const Places& cells,
                    GroupCounter& counter) const {
    Places places;  // among the controls, which are in obs order
    for (const std::int64_t cell : cells)
      places.push_back(std::lower_bound(design_.nt_cells.begin(), design_.nt_cells.end(), cell) -
                       design_.nt_cells.begin());
    counter.count(store, places);
    LabelSum label;
    std::vector<Histograms::Entry> scratch;
    for (std::int64_t gene = 0; gene < n_genes_; ++gene) {
      const double value =
          remaining_statistic(test, counter.gene(static_cast<std::uint32_t>(gene)), pool_->gene(gene), scratch);
      if (std::isnan(value)) continue;
      label.sum += value;
      ++label.n_finite;
    }
    return weak_label(label.mean());
  }

  double label_of(const CountsStore& cells, const Places& places, GroupCounter& counter) const {
    counter.count(cells, places);
    return weak_label(test_->label(counter, static_cast<std::int64_t>(places.size())).mean());
  }

  void take_row(std::int64_t task, const CountsStore& cells, int worker) {
    const auto at = static_cast<std::size_t>(task);
    GroupCounter& counts = counter(worker);
    counts.count(cells);
    result_.y[at] = weak_label(test_->label(counts, cells.n_cells()).mean());
    result_.y_free[at] = weak_label(test_->label_at(counts, cells.n_cells(), options_.n0).mean());
    result_.d15[at] = batches_->label(eligible_[at], cells, counts);
    double sum = 0;
    for (const std::vector<Places>& replicate : draws_.equal) sum += label_of(cells, replicate[at], counts);
    result_.y_equal[at] = sum / static_cast<double>(draws_.equal.size());
    for (std::size_t replicate = 0; replicate < draws_.first.size(); ++replicate) {
      if (draws_.first[replicate][at].empty()) continue;
      result_.first_half[replicate][at] = label_of(cells, draws_.first[replicate][at], counts);
      result_.second_half[replicate][at] = label_of(cells, draws_.second[replicate][at], counts);
    }
  }

  CellSource& source_;
  const Design& design_;
  std::span<const std::int64_t> eligible_;
  const LabelAuditOptions& options_;
  const std::string& file_;
  std::int64_t n_genes_;
  CellHasher hasher_;
  std::vector<NullRow> null_rows_;
  Draws draws_;
  std::vector<std::unique_ptr<GroupCounter>> counters_;  // one a worker
  std::unique_ptr<Histograms> pool_;
  std::unique_ptr<PoolTest> test_;
  std::unique_ptr<BatchLabel> batches_;
  LabelAudits result_;
};

}  // namespace

LabelAudits scan_label_audits(CellSource& counts, const Design& design, std::span<const std::int64_t> eligible,
                              const LabelAuditOptions& options, const std::string& file) {
  return Audit(counts, design, eligible, options, file).run();
}

SplitHalf split_half(const LabelAudits& audits) {
  SplitHalf found{kNone, kNone, 0};
  double sum = 0;
  for (std::size_t replicate = 0; replicate < audits.first_half.size(); ++replicate) {
    std::vector<double> a, b;
    for (std::size_t row = 0; row < audits.first_half[replicate].size(); ++row) {
      const double first = audits.first_half[replicate][row], second = audits.second_half[replicate][row];
      if (std::isnan(first) || std::isnan(second)) continue;
      a.push_back(first);
      b.push_back(second);
    }
    const double r = a.size() < 2 ? kNone : numeric::pearson(a, b);
    if (std::isnan(r)) continue;
    sum += r;
    ++found.replicates;
  }
  if (found.replicates == 0) return found;
  found.r = sum / static_cast<double>(found.replicates);
  found.ceiling = 2 * found.r / (1 + found.r);
  return found;
}

}  // namespace scvet::trial
