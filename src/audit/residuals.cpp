#include "scvet/audit/residuals.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scvet/numeric/order_statistics.h"

namespace scvet::audit {
namespace {

constexpr std::size_t kLeastCells = 30;

struct Point {
  std::size_t type = 0;
  bool flagged = false;
  std::array<double, 3> value{};  // ln|S|, ln^2|S|, J*
};

// Means of the fitted cells by type: taking them off is the same as a coefficient for each type (Frisch and Waugh 1933).
struct TypeMeans {
  std::vector<std::array<double, 3>> mean;
  std::vector<std::int64_t> n;
};

TypeMeans type_means(const std::vector<Point>& points, std::size_t n_types) {
  TypeMeans means{std::vector<std::array<double, 3>>(n_types), std::vector<std::int64_t>(n_types, 0)};
  for (const Point& point : points) {
    if (point.flagged) continue;
    ++means.n[point.type];
    for (std::size_t column = 0; column < 3; ++column) means.mean[point.type][column] += point.value[column];
  }
  for (std::size_t type = 0; type < n_types; ++type)
    for (double& mean : means.mean[type]) mean = means.n[type] > 0 ? mean / static_cast<double>(means.n[type]) : kNaN;
  return means;
}

// Slopes of column 2 on columns 0 and 1 by Gram-Schmidt; a column that adds nothing gets 0.
std::array<double, 2> slopes(const std::vector<std::array<double, 3>>& rows) {
  const auto product = [&](const auto& a, const auto& b) {
    double sum = 0;
    for (const auto& row : rows) sum += a(row) * b(row);
    return sum;
  };
  const auto x = [](const std::array<double, 3>& row) { return row[0]; };
  const auto y = [](const std::array<double, 3>& row) { return row[2]; };
  const auto second = [](const std::array<double, 3>& row) { return row[1]; };
  const double xx = product(x, x), scale = product(second, second);
  const double along = xx > 0 ? product(x, second) / xx : 0;
  const auto rest = [along](const std::array<double, 3>& row) { return row[1] - along * row[0]; };
  const double rr = product(rest, rest);
  const double square = rr > 1e-12 * scale ? product(rest, y) / rr : 0;
  const double line = xx > 0 ? product(x, y) / xx : 0;
  return {line - square * along, square};
}

double share_above(const std::vector<double>& values, double limit) {
  if (values.empty()) return kNaN;
  return static_cast<double>(std::count_if(values.begin(), values.end(), [&](double v) { return v > limit; })) /
         static_cast<double>(values.size());
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace

ResidualLine residual_line(const std::vector<CellOutcome>& cells, const CellAnnotations& annotations, int min_genes) {
  ResidualLine line;
  std::vector<Point> points;
  const std::size_t n_types = annotations.label.empty() ? 1 : annotations.label_levels.size() + 1;
  double centre = 0;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const CellOutcome& cell = cells[at];
    if (cell.size == 0 || cell.size < static_cast<std::uint32_t>(min_genes)) continue;
    Point point;
    const std::int32_t code = at < annotations.label.size() ? annotations.label[at] : -1;
    point.type = code < 0 ? n_types - 1 : static_cast<std::size_t>(code);  // cells without a label are a type too
    point.flagged = cell.flagged();
    point.value = {std::log(static_cast<double>(cell.size)), 0, cell.best.jaccard()};
    centre += point.value[0];
    points.push_back(point);
  }
  if (!points.empty()) centre /= static_cast<double>(points.size());
  for (Point& point : points) {
    point.value[0] -= centre;
    point.value[1] = point.value[0] * point.value[0];
  }
  const TypeMeans means = type_means(points, n_types);
  std::vector<std::array<double, 3>> centred, fitted;
  std::vector<bool> flagged;
  for (const Point& point : points) {
    if (means.n[point.type] == 0) continue;  // a type of flagged cells alone has no level of its own
    std::array<double, 3> row = point.value;
    for (std::size_t column = 0; column < 3; ++column) row[column] -= means.mean[point.type][column];
    centred.push_back(row);
    flagged.push_back(point.flagged);
    if (!point.flagged) fitted.push_back(row);
  }
  line.n_fitted = static_cast<std::int64_t>(fitted.size());
  line.n_flagged = static_cast<std::int64_t>(centred.size() - fitted.size());
  if (fitted.size() < kLeastCells) {
    line.reason = "fewer than 30 unflagged cells of enough genes";
    return line;
  }
  const std::array<double, 2> slope = slopes(fitted);
  std::vector<double> all, of_fitted, of_flagged, jstar;
  for (std::size_t at = 0; at < centred.size(); ++at) {
    const double residual = centred[at][2] - slope[0] * centred[at][0] - slope[1] * centred[at][1];
    all.push_back(residual);
    (flagged[at] ? of_flagged : of_fitted).push_back(residual);
  }
  double mean = 0;
  for (const Point& point : points) mean += point.flagged ? 0 : point.value[2] / static_cast<double>(fitted.size());
  for (const Point& point : points)
    if (!point.flagged) jstar.push_back(point.value[2] - mean);
  const double total = sum_of_squares(jstar);
  if (total > 0) line.explained = 1 - sum_of_squares(of_fitted) / total;
  line.q95 = numeric::quantile(of_fitted, .95);
  line.q99 = numeric::quantile(of_fitted, .99);
  line.max = *std::max_element(all.begin(), all.end());
  line.above_95 = share_above(all, line.q95);
  line.above_99 = share_above(all, line.q99);
  line.above_95_flagged = share_above(of_flagged, line.q95);
  line.above_99_flagged = share_above(of_flagged, line.q99);
  if (!of_flagged.empty()) {
    line.mean_flagged = 0;
    for (const double residual : of_flagged) line.mean_flagged += residual / static_cast<double>(of_flagged.size());
  }
  return line;
}

}  // namespace scvet::audit
