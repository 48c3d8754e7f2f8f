#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "gene_moments.h"
#include "scvet/base/error.h"
#include "scvet/numeric/exact_log.h"
#include "scvet/numeric/log_normalise.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::numeric {
namespace {

constexpr std::size_t kBins = 20;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Bins of equal width over the range, closed on the right; the lowest edge lies .1 % of the range lower.
std::vector<std::size_t> bins_of(const std::vector<double>& values) {
  std::vector<std::size_t> bins(values.size(), 0);
  if (values.empty()) return bins;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return bins;
  std::array<double, kBins + 1> edges;
  for (std::size_t at = 0; at <= kBins; ++at)
    edges[at] = *least + static_cast<double>(at) * ((*most - *least) / static_cast<double>(kBins));
  edges[kBins] = *most;
  edges[0] -= .001 * (*most - *least);
  for (std::size_t at = 0; at < values.size(); ++at)
    bins[at] =
        static_cast<std::size_t>(std::lower_bound(edges.begin() + 1, edges.end(), values[at]) - edges.begin()) - 1;
  return bins;
}

// Each value against the mean and standard deviation of its bin, missing ones left out. A value that is alone in its bin
// scores 1.
std::vector<double> normalise(const std::vector<double>& values, const std::vector<std::size_t>& bins) {
  std::array<std::vector<double>, kBins> of_bin;
  for (std::size_t at = 0; at < values.size(); ++at)
    if (!std::isnan(values[at])) of_bin[bins[at]].push_back(values[at]);
  std::array<double, kBins> centre, spread;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    centre[bin] = mean(of_bin[bin]);
    spread[bin] = standard_deviation(of_bin[bin]);
    if (of_bin[bin].size() != 1) continue;
    spread[bin] = centre[bin];
    centre[bin] = 0;
  }
  std::vector<double> scores(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    scores[at] = (values[at] - centre[bins[at]]) / spread[bins[at]];
    if (std::isinf(scores[at])) scores[at] = kMissing;
  }
  return scores;
}

}  // namespace

DispersionGenes dispersion_genes(CsrView counts, std::int64_t n_top) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(counts.rows));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return dispersion_genes(counts, all, n_top);
}

DispersionGenes dispersion_genes(CsrView counts, std::span<const std::int64_t> cells, std::int64_t n_top) {
  if (n_top < 1) throw UsageError("the number of variable genes must be at least 1, not " + std::to_string(n_top));
  const std::vector<double> sums = row_sums(counts);
  const GeneMoments moments = gene_moments(counts, cells, [&](std::int64_t row, float count) {
    return count == 0 ? 0 : count / (sums[static_cast<std::size_t>(row)] / kCountsPerCell);
  });
  std::vector<double> dispersions, log_means;
  for (std::size_t gene = 0; gene < moments.mean.size(); ++gene) {
    const double centre = moments.mean[gene] == 0 ? 1e-12 : moments.mean[gene];
    const double dispersion = moments.variance[gene] / centre;
    dispersions.push_back(dispersion > 0 ? exact_log(dispersion) : kMissing);
    log_means.push_back(exact_log1p(centre));
  }
  DispersionGenes found{{}, kMissing, normalise(dispersions, bins_of(log_means))};
  std::vector<double> scores;
  std::copy_if(found.normalised.begin(), found.normalised.end(), std::back_inserter(scores),
               [](double score) { return !std::isnan(score); });
  if (scores.empty()) return found;
  const auto last = std::min<std::size_t>(scores.size(), static_cast<std::size_t>(n_top)) - 1;
  std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(last), scores.end(), std::greater<>());
  found.cut_off = scores[last];
  for (std::size_t gene = 0; gene < found.normalised.size(); ++gene)
    if (found.normalised[gene] >= found.cut_off) found.genes.push_back(static_cast<std::int64_t>(gene));
  return found;
}

}  // namespace scvet::numeric
