#include "label.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "scvet/base/parallel.h"
#include "scvet/numeric/exact_log.h"

namespace scvet::trial {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The sum over distinct values of the pooled sample, ascending (specification 3.1).
class ValueSum {
 public:
  ValueSum(std::int64_t n1, std::int64_t n2) : n1_(n1), n2_(n2) {}
  void add(std::int64_t f1, std::int64_t f2) {
    const std::int64_t l = f1 + f2;
    const std::int64_t t = n2_ * (2 * c1_ + f1) - n1_ * (2 * c2_ + f2);
    const std::int64_t below = c1_ + c2_, above = n1_ + n2_ - below - l;
    const std::int64_t d = 4 * below * above + (below + above) * l;
    if (d > 0)
      sum_ += (static_cast<double>(l) * (static_cast<double>(t) * static_cast<double>(t))) / static_cast<double>(d);
    c1_ += f1;
    c2_ += f2;
    ++distinct_;
  }
  double sum() const { return sum_; }
  int distinct() const { return distinct_; }

 private:
  std::int64_t n1_, n2_, c1_ = 0, c2_ = 0;
  double sum_ = 0;
  int distinct_ = 0;
};

}  // namespace

Histograms::Histograms(const CountsStore& store, std::span<const std::int64_t> cells, std::int64_t n_genes)
    : n_cells_(static_cast<std::int64_t>(cells.size())) {
  GroupCounter counter(n_genes);
  counter.count(store, cells);
  fill(counter, n_genes);
}

Histograms::Histograms(const CountsStore& store, std::int64_t n_genes) : n_cells_(store.n_cells()) {
  GroupCounter counter(n_genes);
  counter.count(store);
  fill(counter, n_genes);
}

void Histograms::fill(GroupCounter& counter, std::int64_t n_genes) {
  starts_.push_back(0);
  for (std::int64_t gene = 0; gene < n_genes; ++gene) {
    const auto found = counter.gene(static_cast<std::uint32_t>(gene));
    entries_.insert(entries_.end(), found.begin(), found.end());
    starts_.push_back(entries_.size());
  }
}

GroupCounter::GroupCounter(std::int64_t n_genes)
    : small_(static_cast<std::size_t>(n_genes) * kSmall, 0), nonzero_(static_cast<std::size_t>(n_genes), 0) {}

void GroupCounter::count(const CountsStore& store, std::span<const std::int64_t> cells) {
  clear();
  for (const std::int64_t cell : cells)
    store.each(cell, [&](std::uint32_t gene, std::uint32_t count) { add(gene, count); });
  finish();
}

void GroupCounter::count(const CountsStore& store) {
  clear();
  for (std::int64_t cell = 0; cell < store.n_cells(); ++cell)
    store.each(cell, [&](std::uint32_t gene, std::uint32_t count) { add(gene, count); });
  finish();
}

void GroupCounter::clear() {
  for (const std::uint32_t gene : touched_) {
    std::fill_n(small_.begin() + static_cast<std::ptrdiff_t>(gene) * kSmall, kSmall, 0u);
    nonzero_[gene] = 0;
  }
  touched_.clear();
  large_.clear();
}

void GroupCounter::finish() { std::sort(large_.begin(), large_.end()); }

std::span<const Histograms::Entry> GroupCounter::gene(std::uint32_t gene) {
  entries_.clear();
  std::uint32_t left = nonzero_[gene];
  const std::uint32_t* const small = small_.data() + static_cast<std::size_t>(gene) * kSmall;
  for (std::uint32_t count = 1; count <= kSmall && left > 0; ++count) {
    if (small[count - 1] == 0) continue;
    entries_.push_back({count, small[count - 1]});
    left -= small[count - 1];
  }
  if (left == 0) return entries_;
  auto at = std::lower_bound(large_.begin(), large_.end(), static_cast<std::uint64_t>(gene) << 32);
  for (; left > 0; --left, ++at) {
    const auto count = static_cast<std::uint32_t>(*at);
    if (!entries_.empty() && entries_.back().value == count)
      ++entries_.back().cells;
    else
      entries_.push_back({count, 1});
  }
  return entries_;
}

double gene_statistic(const numeric::AndersonDarling2& test, std::span<const Histograms::Entry> first,
                      std::span<const Histograms::Entry> second) {
  const std::int64_t n1 = test.n1(), n2 = test.n2();
  if (n1 == 0 || n2 == 0 || n1 + n2 < 4) return kNone;
  std::int64_t zero1 = n1, zero2 = n2;
  for (const Histograms::Entry& entry : first) zero1 -= entry.cells;
  for (const Histograms::Entry& entry : second) zero2 -= entry.cells;
  ValueSum sum(n1, n2);
  if (zero1 + zero2 > 0) sum.add(zero1, zero2);
  std::size_t a = 0, b = 0;
  while (a < first.size() || b < second.size()) {
    if (b == second.size() || (a < first.size() && first[a].value < second[b].value)) {
      sum.add(first[a++].cells, 0);
    } else if (a == first.size() || second[b].value < first[a].value) {
      sum.add(0, second[b++].cells);
    } else {
      sum.add(first[a++].cells, second[b++].cells);
    }
  }
  return sum.distinct() < 2 ? kNone : test.from_sum(sum.sum());
}

double remaining_statistic(const numeric::AndersonDarling2& test, std::span<const Histograms::Entry> first,
                           std::span<const Histograms::Entry> pool, std::vector<Histograms::Entry>& scratch) {
  scratch.clear();
  std::size_t a = 0;
  for (Histograms::Entry entry : pool) {
    if (a < first.size() && first[a].value == entry.value) entry.cells -= first[a++].cells;
    if (entry.cells > 0) scratch.push_back(entry);
  }
  return gene_statistic(test, first, scratch);
}

double LabelSum::mean() const { return n_finite > 0 ? sum / static_cast<double>(n_finite) : kNone; }

double weak_label(double mean) { return std::isnan(mean) ? kNone : numeric::exact_log1p(std::max(0.0, mean)); }

PoolTest::Size::Size(std::int64_t n1, const Histograms& pool) : test(n1, pool.n_cells()) {
  empty.reserve(static_cast<std::size_t>(pool.n_genes()));
  for (std::int64_t gene = 0; gene < pool.n_genes(); ++gene) empty.push_back(gene_statistic(test, {}, pool.gene(gene)));
}

void PoolTest::prepare(std::span<const std::int64_t> sizes) {
  std::set<std::int64_t> fresh;
  for (const std::int64_t size : sizes)
    if (!sizes_.contains(size)) fresh.insert(size);
  const std::vector<std::int64_t> wanted(fresh.begin(), fresh.end());
  std::vector<std::unique_ptr<Size>> made(wanted.size());
  parallel_for(static_cast<std::int64_t>(wanted.size()), [&](std::int64_t task, int) {
    made[static_cast<std::size_t>(task)] = std::make_unique<Size>(wanted[static_cast<std::size_t>(task)], pool_);
  });
  for (std::size_t at = 0; at < wanted.size(); ++at) sizes_.emplace(wanted[at], std::move(made[at]));
}

LabelSum PoolTest::label(GroupCounter& group, std::int64_t n1) const {
  LabelSum label;
  each_finite(group, n1, [&](std::int64_t, double value) {
    label.sum += value;
    ++label.n_finite;
  });
  return label;
}

LabelSum PoolTest::label_at(GroupCounter& group, std::int64_t n1, std::int64_t n0) const {
  const auto n2 = static_cast<double>(pool_.n_cells()), here = static_cast<double>(n1), there = static_cast<double>(n0);
  const double sigma1 = test(n1).sigma(), sigma0 = test(n0).sigma();
  LabelSum label;
  each_finite(group, n1, [&](std::int64_t, double value) {
    const double d = value * sigma1 * (here + n2) / (here * n2);  // (A-1)*N/(n1*n2)
    label.sum += d * (there * n2 / (there + n2)) / sigma0;
    ++label.n_finite;
  });
  return label;
}

}  // namespace scvet::trial
