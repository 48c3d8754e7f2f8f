// The weak label: mean over genes of the Anderson-Darling statistic of a group of cells against a pool, from integer
// histograms. Specification 3. Equal to numeric::AndersonDarling2 in every bit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "counts_store.h"
#include "scvet/numeric/anderson_darling.h"

namespace scvet::trial {

class GroupCounter;

// Histograms of the counts of many cells, one a gene; zeros follow from the number of cells.
class Histograms {
 public:
  struct Entry {
    std::uint32_t value, cells;
  };
  Histograms(const CountsStore& store, std::span<const std::int64_t> cells, std::int64_t n_genes);
  Histograms(const CountsStore& store, std::int64_t n_genes);  // of all its cells
  std::int64_t n_cells() const { return n_cells_; }
  std::int64_t n_genes() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::span<const Entry> gene(std::int64_t gene) const {  // non-zero values ascending
    const auto at = static_cast<std::size_t>(gene);
    return {entries_.data() + starts_[at], starts_[at + 1] - starts_[at]};
  }

 private:
  void fill(GroupCounter& counter, std::int64_t n_genes);
  std::int64_t n_cells_;
  std::vector<std::size_t> starts_;
  std::vector<Entry> entries_;
};

// Workspace for the histogram of one group of cells; one a thread, reused.
class GroupCounter {
 public:
  explicit GroupCounter(std::int64_t n_genes);
  // The histograms of these cells of the store; of all of them.
  void count(const CountsStore& store, std::span<const std::int64_t> cells);
  void count(const CountsStore& store);

  void clear();
  void add(std::uint32_t gene, std::uint32_t count) {
    if (count <= kSmall)
      ++small_[static_cast<std::size_t>(gene) * kSmall + count - 1];
    else
      large_.push_back(static_cast<std::uint64_t>(gene) << 32 | count);
    if (nonzero_[gene]++ == 0) touched_.push_back(gene);
  }
  void finish();  // after the last add
  std::uint32_t nonzero(std::uint32_t gene) const { return nonzero_[gene]; }
  // Non-zero values of a gene, ascending, in a buffer that the next call reuses.
  std::span<const Histograms::Entry> gene(std::uint32_t gene);

 private:
  static constexpr std::uint32_t kSmall = 12;  // counts up to this have a place of their own
  std::vector<std::uint32_t> small_, nonzero_;
  std::vector<std::uint32_t> touched_;  // genes with a count, so that small groups are cleared fast
  std::vector<std::uint64_t> large_;    // gene and count, sorted by finish()
  std::vector<Histograms::Entry> entries_;
};

// The statistic of one gene for two histograms of non-zero values; NaN where there is none.
double gene_statistic(const numeric::AndersonDarling2& test, std::span<const Histograms::Entry> first,
                      std::span<const Histograms::Entry> second);
// Against a pool from which the group's own cells were taken: second less first.
double remaining_statistic(const numeric::AndersonDarling2& test, std::span<const Histograms::Entry> first,
                           std::span<const Histograms::Entry> pool, std::vector<Histograms::Entry>& scratch);

struct LabelSum {
  double sum = 0;  // of finite statistics, genes in order
  std::int64_t n_finite = 0;
  double mean() const;  // NaN where nothing is finite
};
double weak_label(double mean);  // log1p(max(0, mean)); NaN stays

// Statistics of groups against one pool. What depends on gene and group size alone is made once per size.
class PoolTest {
 public:
  explicit PoolTest(const Histograms& pool) : pool_(pool) {}
  // Before groups of these sizes are tested. Uses all workers.
  void prepare(std::span<const std::int64_t> sizes);
  // statistic(gene, value) is called for every finite gene in order.
  template <typename Body>
  void each_finite(GroupCounter& group, std::int64_t n1, Body statistic) const;
  LabelSum label(GroupCounter& group, std::int64_t n1) const;
  // The same with every statistic as if n0 cells had been compared (specification 21.1, n-free).
  LabelSum label_at(GroupCounter& group, std::int64_t n1, std::int64_t n0) const;  // n0 prepared, too
  const numeric::AndersonDarling2& test(std::int64_t n1) const { return sizes_.at(n1)->test; }

 private:
  struct Size {
    explicit Size(std::int64_t n1, const Histograms& pool);
    numeric::AndersonDarling2 test;
    std::vector<double> empty;  // by gene: no cell of the group has a count
  };
  const Histograms& pool_;
  std::map<std::int64_t, std::unique_ptr<Size>> sizes_;
};

template <typename Body>
void PoolTest::each_finite(GroupCounter& group, std::int64_t n1, Body statistic) const {
  const Size& size = *sizes_.at(n1);
  for (std::int64_t gene = 0; gene < pool_.n_genes(); ++gene) {
    const auto at = static_cast<std::uint32_t>(gene);
    const double value =
        group.nonzero(at) == 0 ? size.empty[at] : gene_statistic(size.test, group.gene(at), pool_.gene(gene));
    if (value == value) statistic(gene, value);
  }
}

}  // namespace scvet::trial
