#include "gap_test.h"

#include <algorithm>
#include <cmath>

#include "scvet/numeric/least_squares.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/order_statistics.h"

namespace scvet::audit {
namespace {

constexpr std::int64_t kFewestForLift = 30;
// J is a quotient of small integers: residuals this small are rounding, so the spread is 0.
constexpr double kNoSpread = 1e-12;

}  // namespace

bool before(const PoolEntry& a, const PoolEntry& b) {
  const std::uint64_t left = std::uint64_t{a.match.intersection} * b.match.union_size;
  const std::uint64_t right = std::uint64_t{b.match.intersection} * a.match.union_size;
  if (left != right) return left > right;
  if (a.reference != b.reference) return a.reference;
  return a.match.row < b.match.row;
}

std::vector<PoolEntry> merge_pool(std::span<const sketch::Neighbour> references,
                                  std::span<const sketch::Neighbour> others, std::size_t top) {
  std::vector<PoolEntry> pool;
  pool.reserve(std::min(top, references.size() + others.size()));
  std::size_t reference = 0, other = 0;
  while (pool.size() < top && (reference < references.size() || other < others.size())) {
    const PoolEntry a = reference < references.size() ? PoolEntry{references[reference], true} : PoolEntry{};
    const PoolEntry b = other < others.size() ? PoolEntry{others[other], false} : PoolEntry{};
    const bool take_reference = other == others.size() || (reference < references.size() && before(a, b));
    pool.push_back(take_reference ? a : b);
    ++(take_reference ? reference : other);
  }
  return pool;
}

std::int64_t pool_entries(std::int64_t n_reference_distinct, std::int64_t n_other_distinct,
                          std::span<const sketch::Neighbour> others) {
  // The cell's own set stays an entry only where another cell has it too; that entry then comes first with J = 1.
  const bool shared = !others.empty() && others.front().intersection == others.front().union_size;
  return n_reference_distinct + n_other_distinct - (shared ? 0 : 1);
}

double jaccard_at(std::span<const PoolEntry> pool, std::size_t index) {
  return index < pool.size() ? pool[index].match.jaccard() : 0;
}

// Under an exponential upper tail the scaled spacings i (J(i) - J(i+1)) are independent and identically distributed
// (Renyi 1953). A cluster of d copies makes the d-th one large against those below it: the ratio of one exponential to
// the mean of m others is F(2, 2m), whose upper tail is (1 + x/m)^-m.
GapResult gap_test(std::span<const PoolEntry> pool, std::int64_t n_entries, int k, int max_copies) {
  GapResult result;
  result.p_d.fill(kNaN);
  if (n_entries < k + 1) return result;
  std::vector<double> scaled(static_cast<std::size_t>(k) + 1, 0);  // scaled[i] = i D_i, from 1
  for (int place = 1; place <= k; ++place) {
    const auto at = static_cast<std::size_t>(place);
    scaled[at] = place * (jaccard_at(pool, at - 1) - jaccard_at(pool, at));
  }
  double smallest = 2;
  for (int d = 1; d <= max_copies; ++d) {
    const int m = k - d;
    double sum = 0;
    for (int place = d + 1; place <= k; ++place) sum += scaled[static_cast<std::size_t>(place)];
    const double mean = sum / m, own = scaled[static_cast<std::size_t>(d)];
    double p;
    if (mean > 0)
      p = std::pow(1 + own / (m * mean), -m);
    else
      p = own > 0 ? 0 : 1;
    result.p_d[static_cast<std::size_t>(d) - 1] = p;
    if (p < smallest) {
      smallest = p;
      result.d = d;
    }
  }
  const auto d = static_cast<std::size_t>(result.d);
  result.p = std::min(1.0, max_copies * smallest);
  result.level = jaccard_at(pool, d - 1);
  result.background = jaccard_at(pool, d);
  for (std::size_t at = 0; at < std::min(d, pool.size()); ++at) result.reference |= pool[at].reference;
  return result;
}

LiftFit fit_lift(std::span<const std::uint32_t> size, std::span<const double> background) {
  std::vector<double> x, y;
  for (std::size_t cell = 0; cell < size.size(); ++cell) {
    if (std::isnan(background[cell])) continue;
    x.push_back(std::log(static_cast<double>(size[cell])));
    y.push_back(background[cell]);
  }
  LiftFit fit;
  fit.n_cells = static_cast<std::int64_t>(x.size());
  if (fit.n_cells < kFewestForLift) return fit;
  fit.mean_ln_size = numeric::mean(x);
  for (double& value : x) value -= fit.mean_ln_size;
  fit.coefficients = numeric::fit_parabola(x, y);
  for (std::size_t at = 0; at < x.size(); ++at) y[at] -= numeric::parabola(fit.coefficients, x[at]);
  fit.median = numeric::median(y);
  fit.scale = 1.4826 * numeric::median_absolute_deviation(y, fit.median);
  if (fit.scale < kNoSpread) fit.scale = 0;
  return fit;
}

double lift_of(const LiftFit& fit, std::uint32_t size, double jaccard) {
  if (!(fit.scale > 0) || size == 0) return kNaN;
  const double x = std::log(static_cast<double>(size)) - fit.mean_ln_size;
  return (jaccard - numeric::parabola(fit.coefficients, x) - fit.median) / fit.scale;
}

}  // namespace scvet::audit
