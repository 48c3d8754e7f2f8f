// Vega-Lite specifications for the kinds of chart that reports need. Data are inline; sizes follow the page.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "scvet/report/page.h"

namespace scvet::report {

// Colours that stay apart for colour-blind readers; each meaning also has a shape and a word.
inline constexpr const char* kColourBad = "#c4520a";
inline constexpr const char* kColourWarm = "#e0a100";
inline constexpr const char* kColourGood = "#0072b2";
inline constexpr const char* kColourPale = "#9fb3c5";
inline constexpr const char* kColourDark = "#35414d";
// A palette for things without a meaning of their own, repeated past its end.
const char* colour_of(std::size_t number);

struct ChartText {
  std::string id = {}, caption = {}, alt = {}, note = {};
  std::string x_title = {}, y_title = {};
};

// Equal bins over [low, high]; the last bin includes `high`. Values outside go to the end bins; NaN are left out.
struct Bins {
  double low = 0, high = 1;
  std::vector<double> counts;
  std::size_t n_missing = 0;
};
Bins bin_values(const std::vector<double>& values, double low, double high, std::size_t n_bins);

struct BinSeries {
  std::string name, colour;
  std::vector<double> heights;  // one a bin
};
// Stacked bars over the bins [low, high].
Chart histogram_chart(const ChartText& text, double low, double high, const std::vector<BinSeries>& series);
// Outlines over one another, for comparing distributions.
Chart outline_chart(const ChartText& text, double low, double high, const std::vector<BinSeries>& series);

struct PointSeries {
  std::string name, colour, shape;  // Vega shapes: circle, triangle-up, square, diamond, cross
  std::vector<std::pair<double, double>> points;
};
// Drawn in the order given, later series on top.
Chart points_chart(const ChartText& text, bool log_x, const std::vector<PointSeries>& series);
// At most `most` of n points, evenly spaced in their order; all when there are no more.
std::vector<std::size_t> thinned(std::size_t n, std::size_t most);

struct Interval {
  std::string name;   // row of the chart
  std::string group;  // colour; "" when all are of one kind
  double estimate = 0, low = 0, high = 0;
};
// How the values of a chart are to be read.
struct ValueAxis {
  bool percent = true;             // shares, shown in percent
  std::vector<double> lines = {};  // dashed lines, such as a value of no difference
};
// Dots with intervals, one row a name, in the order given. Entries that are not finite are left out.
Chart interval_chart(const ChartText& text, const std::vector<Interval>& intervals,
                     const std::vector<std::pair<std::string, std::string>>& group_colours = {},
                     const ValueAxis& axis = {});

// Single values in rows, each row with its own bounds: does each value reach its bound, and how far is it away?
struct Dot {
  std::string row, label;  // label: in the tooltip
  double value = 0;
  std::string group;  // colour and shape
};
struct Bound {
  std::string row;
  double value = 0;
};
struct DotLook {
  std::string group, colour, shape;
};
// Rows in the order in which they first occur; a thin line at zero, a thick mark at each bound. Values that are not
// finite are left out.
Chart dots_chart(const ChartText& text, const std::vector<Dot>& dots, const std::vector<Bound>& bounds,
                 const std::vector<DotLook>& looks);

struct ScatterAxes {
  bool log_x = false;
  bool same = false;  // one range for both axes, and the diagonal where they are equal
};
// Points whose axes fit them; points that are not finite are left out.
Chart scatter_chart(const ChartText& text, const ScatterAxes& axes, const std::vector<PointSeries>& series);

struct CurvePoint {
  std::string series;
  double x = 0, y = 0, low = 0, high = 0;
};
// Lines with error bars; shares on both axes; a dashed line at `threshold` (NaN: none).
Chart curve_chart(const ChartText& text, const std::vector<CurvePoint>& points, double threshold);

struct Bar {
  std::string name;
  double value = 0;
};
// Horizontal bars in the order given.
Chart bar_chart(const ChartText& text, const std::vector<Bar>& bars);

}  // namespace scvet::report
