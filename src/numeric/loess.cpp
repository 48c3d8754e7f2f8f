#include "scvet/numeric/loess.h"

#define EIGEN_DONT_PARALLELIZE  // the same bytes for any number of workers
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

constexpr double kLeafShare = .2;  // of the span: intervals with no more points are not cut

// Points by x, and what is known at the vertices.
struct Points {
  std::vector<double> x, y;
  std::size_t size() const { return x.size(); }
};

struct Vertex {
  double x, value, slope;
};

// Where to cut points first..last: near their middle, between two different x. False: nowhere.
bool find_cut(const std::vector<double>& x, std::size_t first, std::size_t last, std::size_t& cut) {
  const auto middle = static_cast<std::ptrdiff_t>((first + last) / 2);
  for (std::ptrdiff_t away = 0;; away = away > 0 ? -away : 1 - away) {
    const std::ptrdiff_t at = middle + away;
    if (at >= static_cast<std::ptrdiff_t>(last) || at < static_cast<std::ptrdiff_t>(first)) return false;
    cut = static_cast<std::size_t>(at);
    if (x[cut] != x[cut + 1]) return true;
  }
}

// Cuts points first..last (an interval from `low` to `high`) in halves until no part has more than `leaf` points.
void add_cuts(const std::vector<double>& x, std::size_t first, std::size_t last, double low, double high,
              std::size_t leaf, std::vector<double>& cuts) {
  if (last - first + 1 <= leaf) return;
  std::size_t cut = 0;
  if (!find_cut(x, first, last, cut)) cut = (first + last) / 2;
  const double at = x[cut];
  if (at == low || at == high) return;
  cuts.push_back(at);
  add_cuts(x, first, cut, low, at, leaf, cuts);
  add_cuts(x, cut + 1, last, at, high, leaf, cuts);
}

// The q points nearest to `at`: their first.
std::size_t nearest(const std::vector<double>& x, double at, std::size_t q) {
  std::size_t first = 0;
  while (first + q < x.size() && std::fabs(x[first + q] - at) < std::fabs(x[first] - at)) ++first;
  return first;
}

// Weighted least squares on a parabola around the vertex; a direction that the points do not span gets no weight.
Vertex fit(const Points& points, double at, std::size_t q) {
  constexpr double kSpanned = 100 * std::numeric_limits<double>::epsilon();
  const std::size_t first = nearest(points.x, at, q);
  const double reach = std::max(std::fabs(points.x[first] - at), std::fabs(points.x[first + q - 1] - at));
  if (!(reach > 0))
    throw DataError(
        "loess: the " + std::to_string(q) + " points nearest to x = " + std::to_string(at) + " have all this x",
        {.reason = "loess_no_spread"});
  ::Eigen::MatrixXd rows(static_cast<::Eigen::Index>(q), 3);
  ::Eigen::VectorXd target(static_cast<::Eigen::Index>(q));
  for (std::size_t point = 0; point < q; ++point) {
    const double beside = points.x[first + point] - at, share = std::fabs(beside) / reach;
    const double rest = 1 - share * share * share, weight = std::sqrt(rest * rest * rest);
    rows.row(static_cast<::Eigen::Index>(point)) << weight, weight * beside, weight * beside * beside;
    target[static_cast<::Eigen::Index>(point)] = weight * points.y[first + point];
  }
  ::Eigen::Vector3d lengths = rows.colwise().norm().transpose();
  for (double& length : lengths)
    if (length == 0) length = 1;
  for (::Eigen::Index column = 0; column < 3; ++column) rows.col(column) /= lengths[column];
  const ::Eigen::JacobiSVD<::Eigen::MatrixXd> svd(rows, ::Eigen::ComputeThinU | ::Eigen::ComputeThinV);
  ::Eigen::Vector3d along = svd.matrixU().transpose() * target;
  for (::Eigen::Index at_value = 0; at_value < 3; ++at_value) {
    const double size = svd.singularValues()[at_value];
    along[at_value] = size > kSpanned * svd.singularValues()[0] ? along[at_value] / size : 0;
  }
  const ::Eigen::Vector3d coefficients = (svd.matrixV() * along).cwiseQuotient(lengths);
  return {at, coefficients[0], coefficients[1]};
}

std::vector<double> vertices_of(const Points& points, double span) {
  const auto n = static_cast<double>(points.size());
  const double least = points.x.front(), most = points.x.back();
  const double range = std::max(most - least, 1e-10 * std::max(std::fabs(least), std::fabs(most)) + 1e-30);
  const double low = least - .005 * range, high = most + .005 * range;
  std::vector<double> cuts{low, high};
  add_cuts(points.x, 0, points.size() - 1, low, high, static_cast<std::size_t>(std::floor(n * span * kLeafShare)),
           cuts);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

double blend(const Vertex& a, const Vertex& b, double x) {
  const double width = b.x - a.x, t = (x - a.x) / width, rest = 1 - t;
  return rest * rest * (1 + 2 * t) * a.value + t * t * (3 - 2 * t) * b.value +
         width * (t * rest * rest * a.slope - t * t * rest * b.slope);
}

}  // namespace

std::vector<double> loess(std::span<const double> x, std::span<const double> y, double span) {
  if (x.size() != y.size()) throw InternalError("loess: x and y differ in length");
  const auto q = std::min(x.size(), static_cast<std::size_t>(std::floor(span * static_cast<double>(x.size()) + 1e-5)));
  if (q < 3)
    throw DataError("loess: " + std::to_string(x.size()) + " points are too few for a span of " + std::to_string(span),
                    {.reason = "loess_too_few"});
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return x[a] < x[b]; });
  Points points;
  for (const std::size_t at : order) {
    points.x.push_back(x[at]);
    points.y.push_back(y[at]);
  }
  std::vector<Vertex> vertices;
  for (const double at : vertices_of(points, span)) vertices.push_back(fit(points, at, q));
  std::vector<double> fitted(x.size());
  for (std::size_t at = 0; at < x.size(); ++at) {
    const auto right = std::lower_bound(vertices.begin() + 1, vertices.end() - 1, x[at],
                                        [](const Vertex& vertex, double value) { return vertex.x < value; });
    fitted[at] = blend(*(right - 1), *right, x[at]);
  }
  return fitted;
}

}  // namespace scvet::numeric
