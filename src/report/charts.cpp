#include "scvet/report/charts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chart_parts.h"
#include "scvet/base/text.h"

namespace scvet::report {
namespace {

// Colour and, where given, shape by series, in the order of the series rather than of the alphabet.
Json scale_of(const std::vector<std::string>& names, const std::vector<std::string>& looks) {
  return Json::object({{"domain", Json(names)}, {"range", Json(looks)}});
}

template <class Series>
Json colour_of_series(const std::vector<Series>& series) {
  std::vector<std::string> names, colours;
  for (const Series& one : series) {
    names.push_back(one.name);
    colours.push_back(one.colour);
  }
  return Json::object({{"field", "series"},
                       {"type", "nominal"},
                       {"scale", scale_of(names, colours)},
                       {"legend", series.size() > 1 ? Json::object({{"title", nullptr}}) : Json(nullptr)}});
}

Json percent_axis() { return Json::object({{"format", "~%"}, {"labelOverlap", true}, {"tickCount", 6}}); }
Json sparse_axis() { return Json::object({{"labelOverlap", true}, {"tickCount", 6}}); }

Json bin_rows(double low, double high, const std::vector<BinSeries>& series) {
  Json rows = Json::array();
  int order = 0;
  for (const BinSeries& one : series) {
    const auto n_bins = static_cast<double>(one.heights.size());
    for (std::size_t bin = 0; bin < one.heights.size(); ++bin) {
      const auto at = static_cast<double>(bin);
      rows.push_back(Json::object({{"from", low + (high - low) * at / n_bins},
                                   {"height", one.heights[bin]},
                                   {"order", order},
                                   {"series", one.name},
                                   {"to", low + (high - low) * (at + 1) / n_bins}}));
    }
    ++order;
  }
  return Json::object({{"values", rows}});
}

// Dashed lines across all rows.
Json value_lines(const std::vector<double>& values, const std::string& title) {
  Json rows = Json::array();
  for (const double value : values) rows.push_back(Json::object({{"at", value}}));
  return Json::object(
      {{"data", Json::object({{"values", rows}})},
       {"mark", Json::object({{"color", kColourDark}, {"strokeDash", Json::array({4, 4})}, {"type", "rule"}})},
       {"encoding", Json::object({{"color", Json::object({{"value", kColourDark}})},
                                  {"x", field("at", "quantitative", title)},
                                  {"y", nullptr},
                                  {"yOffset", nullptr}})}});
}

}  // namespace

const char* colour_of(std::size_t number) {
  static const char* const kColours[] = {"#0072b2", "#c4520a", "#009e73", "#b0568f", "#e0a100", "#4aa3d9", "#35414d"};
  return kColours[number % std::size(kColours)];
}

Bins bin_values(const std::vector<double>& values, double low, double high, std::size_t n_bins) {
  Bins bins{.low = low, .high = high, .counts = std::vector<double>(n_bins, 0.0)};
  for (const double value : values) {
    if (std::isnan(value)) {
      ++bins.n_missing;
      continue;
    }
    const double at = std::floor((value - low) / (high - low) * static_cast<double>(n_bins));
    const double last = static_cast<double>(n_bins - 1);
    bins.counts[static_cast<std::size_t>(std::clamp(at, 0.0, last))] += 1;
  }
  return bins;
}

Chart histogram_chart(const ChartText& text, double low, double high, const std::vector<BinSeries>& series) {
  Json spec = spec_frame(text, 220);
  spec["data"] = bin_rows(low, high, series);
  spec["mark"] = Json::object({{"binSpacing", 1}, {"tooltip", true}, {"type", "bar"}});
  Json& encoding = spec["encoding"];
  encoding["x"] = field("from", "quantitative", text.x_title);
  encoding["x"]["axis"] = sparse_axis();
  encoding["x"]["bin"] = "binned";
  encoding["x"]["scale"] = Json::object({{"domain", Json::array({low, high})}, {"nice", false}});
  encoding["x2"] = Json::object({{"field", "to"}});
  encoding["y"] = field("height", "quantitative", text.y_title);
  encoding["y"]["stack"] = "zero";
  encoding["order"] = Json::object({{"field", "order"}, {"type", "quantitative"}});
  encoding["color"] = colour_of_series(series);
  return finish(text, spec);
}

Chart outline_chart(const ChartText& text, double low, double high, const std::vector<BinSeries>& series) {
  Json spec = spec_frame(text, 240);
  // A point a bin edge; step-after holds each height up to the next edge.
  Json rows = Json::array();
  for (const BinSeries& one : series) {
    const auto n_bins = static_cast<double>(one.heights.size());
    for (std::size_t bin = 0; bin <= one.heights.size(); ++bin)
      rows.push_back(
          Json::object({{"from", low + (high - low) * static_cast<double>(bin) / n_bins},
                        {"height", one.heights.empty() ? 0 : one.heights[std::min(bin, one.heights.size() - 1)]},
                        {"series", one.name}}));
  }
  spec["data"] = Json::object({{"values", rows}});
  spec["mark"] = Json::object({{"interpolate", "step-after"}, {"strokeWidth", 2}, {"tooltip", true}, {"type", "line"}});
  Json& encoding = spec["encoding"];
  encoding["x"] = field("from", "quantitative", text.x_title);
  encoding["x"]["axis"] = sparse_axis();
  encoding["x"]["scale"] = Json::object({{"domain", Json::array({low, high})}, {"nice", false}});
  encoding["y"] = field("height", "quantitative", text.y_title);
  encoding["y"]["axis"] = percent_axis();
  encoding["color"] = colour_of_series(series);
  encoding["strokeDash"] = Json::object({{"field", "series"}, {"legend", nullptr}, {"type", "nominal"}});
  return finish(text, spec);
}

std::vector<std::size_t> thinned(std::size_t n, std::size_t most) {
  std::vector<std::size_t> kept;
  const std::size_t n_kept = std::min(n, most);
  for (std::size_t at = 0; at < n_kept; ++at) kept.push_back(at * n / n_kept);
  return kept;
}

Chart points_chart(const ChartText& text, bool log_x, const std::vector<PointSeries>& series) {
  Json spec = spec_frame(text, 320);
  Json rows = Json::array();
  std::vector<std::string> names, shapes;
  for (const PointSeries& one : series) {
    names.push_back(one.name);
    shapes.push_back(one.shape);
    for (const auto& [x, y] : one.points) rows.push_back(Json::object({{"series", one.name}, {"x", x}, {"y", y}}));
  }
  spec["data"] = Json::object({{"values", rows}});
  spec["mark"] = Json::object({{"filled", true}, {"opacity", .65}, {"size", 26}, {"tooltip", true}, {"type", "point"}});
  Json& encoding = spec["encoding"];
  encoding["x"] = field("x", "quantitative", text.x_title);
  encoding["x"]["scale"] = log_x ? Json::object({{"nice", false}, {"type", "log"}}) : Json::object({{"zero", false}});
  if (log_x) encoding["x"]["axis"] = Json::object({{"format", ",~r"}, {"labelOverlap", true}, {"tickCount", 6}});
  encoding["y"] = field("y", "quantitative", text.y_title);
  encoding["y"]["scale"] = Json::object({{"domain", Json::array({0, 1})}});
  encoding["color"] = colour_of_series(series);
  encoding["shape"] = Json::object({{"field", "series"}, {"type", "nominal"}, {"scale", scale_of(names, shapes)}});
  if (series.size() < 2) encoding["shape"]["legend"] = nullptr;
  return finish(text, spec);
}

Chart interval_chart(const ChartText& text, const std::vector<Interval>& intervals,
                     const std::vector<std::pair<std::string, std::string>>& group_colours, const ValueAxis& axis) {
  Json rows = Json::array();
  std::vector<std::string> order;
  for (const Interval& one : intervals) {
    if (!std::isfinite(one.estimate) || !std::isfinite(one.low) || !std::isfinite(one.high)) continue;
    if (std::find(order.begin(), order.end(), one.name) == order.end()) order.push_back(one.name);
    rows.push_back(Json::object(
        {{"estimate", one.estimate}, {"group", one.group}, {"high", one.high}, {"low", one.low}, {"name", one.name}}));
  }
  Json spec = spec_frame(text, rows_height(order.size()) * (group_colours.size() > 1 ? 1.6 : 1.0));
  spec["data"] = Json::object({{"values", rows}});
  Json y = in_given_order("name", text.y_title);
  Json x = field("low", "quantitative", text.x_title);
  x["axis"] = axis.percent ? percent_axis() : sparse_axis();
  Json rule = Json::object({{"mark", Json::object({{"strokeWidth", 2}, {"type", "rule"}})},
                            {"encoding", Json::object({{"x", x}, {"x2", Json::object({{"field", "high"}})}})}});
  Json dot_x = field("estimate", "quantitative", text.x_title);
  Json dot =
      Json::object({{"mark", Json::object({{"filled", true}, {"size", 70}, {"tooltip", true}, {"type", "point"}})},
                    {"encoding", Json::object({{"x", dot_x}})}});
  spec["encoding"]["y"] = y;
  if (group_colours.size() > 1) {
    std::vector<std::string> names, colours;
    for (const auto& [name, colour] : group_colours) {
      names.push_back(name);
      colours.push_back(colour);
    }
    spec["encoding"]["color"] =
        Json::object({{"field", "group"}, {"scale", scale_of(names, colours)}, {"type", "nominal"}});
    spec["encoding"]["yOffset"] = Json::object({{"field", "group"}, {"sort", Json(names)}, {"type", "nominal"}});
    const std::vector<std::string> all_shapes = {"circle", "square", "triangle-up", "diamond", "cross"};
    const std::vector<std::string> shapes(
        all_shapes.begin(),
        all_shapes.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), all_shapes.size())));
    dot["encoding"]["shape"] =
        Json::object({{"field", "group"}, {"scale", scale_of(names, shapes)}, {"type", "nominal"}});
  } else {
    spec["encoding"]["color"] = Json::object({{"value", group_colours.empty() ? kColourBad : group_colours[0].second}});
  }
  spec["layer"] = Json::array();
  if (!axis.lines.empty()) spec["layer"].push_back(value_lines(axis.lines, text.x_title));
  spec["layer"].push_back(rule);
  spec["layer"].push_back(dot);
  return finish(text, spec);
}

Chart dots_chart(const ChartText& text, const std::vector<Dot>& dots, const std::vector<Bound>& bounds,
                 const std::vector<DotLook>& looks) {
  Json rows = Json::array(), marks = Json::array();
  std::vector<std::string> order;
  const auto seen = [&](const std::string& row) {
    if (std::find(order.begin(), order.end(), row) == order.end()) order.push_back(row);
  };
  for (const Dot& dot : dots) {
    if (!std::isfinite(dot.value)) continue;
    seen(dot.row);
    rows.push_back(Json::object({{"group", dot.group}, {"label", dot.label}, {"row", dot.row}, {"value", dot.value}}));
  }
  for (const Bound& bound : bounds) {
    if (!std::isfinite(bound.value)) continue;
    seen(bound.row);
    marks.push_back(Json::object({{"row", bound.row}, {"value", bound.value}}));
  }
  std::vector<std::string> names, colours, shapes;
  for (const DotLook& look : looks) {
    names.push_back(look.group);
    colours.push_back(look.colour);
    shapes.push_back(look.shape);
  }
  Json spec = spec_frame(text, 34.0 * static_cast<double>(std::max<std::size_t>(order.size(), 2)));
  Json y = in_given_order("row", text.y_title);
  y["sort"] = order;
  Json x = field("value", "quantitative", text.x_title);
  x["axis"] = sparse_axis();
  const Json legend = looks.size() > 1 ? Json::object({{"title", nullptr}}) : Json(nullptr);
  Json colour =
      Json::object({{"field", "group"}, {"legend", legend}, {"scale", scale_of(names, colours)}, {"type", "nominal"}});
  Json shape =
      Json::object({{"field", "group"}, {"legend", legend}, {"scale", scale_of(names, shapes)}, {"type", "nominal"}});
  Json tooltip = Json::array({field("label", "nominal", "which"), field("value", "quantitative", text.x_title)});
  spec["layer"] = Json::array({value_lines({0}, text.x_title)});
  if (!marks.empty())
    spec["layer"].push_back(Json::object(
        {{"data", Json::object({{"values", marks}})},
         {"mark", Json::object({{"color", kColourDark}, {"size", 26}, {"thickness", 3}, {"type", "tick"}})},
         {"encoding", Json::object({{"x", x}, {"y", y}})}}));
  spec["layer"].push_back(Json::object(
      {{"data", Json::object({{"values", rows}})},
       {"mark", Json::object({{"filled", true}, {"opacity", .8}, {"size", 80}, {"type", "point"}})},
       {"encoding", Json::object({{"color", colour}, {"shape", shape}, {"tooltip", tooltip}, {"x", x}, {"y", y}})}}));
  return finish(text, spec);
}

Chart scatter_chart(const ChartText& text, const ScatterAxes& axes, const std::vector<PointSeries>& series) {
  Json rows = Json::array();
  std::vector<std::string> names, shapes;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const PointSeries& one : series) {
    names.push_back(one.name);
    shapes.push_back(one.shape);
    for (const auto& [x, y] : one.points) {
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      low = std::min({low, x, y});
      high = std::max({high, x, y});
      rows.push_back(Json::object({{"series", one.name}, {"x", x}, {"y", y}}));
    }
  }
  Json spec = spec_frame(text, axes.same ? 380 : 300);
  Json x = field("x", "quantitative", text.x_title), y = field("y", "quantitative", text.y_title);
  x["axis"] = axes.log_x ? Json::object({{"format", ",~r"}, {"labelOverlap", true}, {"tickCount", 6}}) : sparse_axis();
  x["scale"] = axes.log_x ? Json::object({{"nice", false}, {"type", "log"}}) : Json::object({{"zero", false}});
  y["scale"] = Json::object({{"zero", false}});
  const bool diagonal = axes.same && low < high;
  if (diagonal) x["scale"] = y["scale"] = Json::object({{"domain", Json::array({low, high})}, {"nice", true}});
  Json shape = Json::object({{"field", "series"}, {"type", "nominal"}, {"scale", scale_of(names, shapes)}});
  if (series.size() < 2) shape["legend"] = nullptr;
  const int size = rows.size() <= 60 ? 120 : 30;  // a few points are to be found, many to be told apart
  Json points = Json::object(
      {{"data", Json::object({{"values", rows}})},
       {"mark",
        Json::object({{"filled", true}, {"opacity", .65}, {"size", size}, {"tooltip", true}, {"type", "point"}})},
       {"encoding", Json::object({{"color", colour_of_series(series)}, {"shape", shape}, {"x", x}, {"y", y}})}});
  spec["layer"] = Json::array();
  if (diagonal)
    spec["layer"].push_back(Json::object(
        {{"data", Json::object({{"values", Json::array({Json::object({{"x", low}, {"y", low}}),
                                                        Json::object({{"x", high}, {"y", high}})})}})},
         {"mark", Json::object({{"color", kColourDark}, {"strokeDash", Json::array({4, 4})}, {"type", "line"}})},
         {"encoding", Json::object({{"x", x}, {"y", y}})}}));
  spec["layer"].push_back(points);
  return finish(text, spec);
}

Chart curve_chart(const ChartText& text, const std::vector<CurvePoint>& points, double threshold) {
  Json spec = spec_frame(text, 240);
  Json rows = Json::array();
  std::vector<std::string> names;
  for (const CurvePoint& point : points) {
    if (std::find(names.begin(), names.end(), point.series) == names.end()) names.push_back(point.series);
    rows.push_back(Json::object(
        {{"high", point.high}, {"low", point.low}, {"series", point.series}, {"x", point.x}, {"y", point.y}}));
  }
  std::vector<std::string> colours;
  for (std::size_t number = 0; number < names.size(); ++number) colours.push_back(colour_of(number));
  const Json colour = Json::object({{"field", "series"},
                                    {"type", "nominal"},
                                    {"scale", scale_of(names, colours)},
                                    {"legend", names.size() > 1 ? Json::object({{"title", nullptr}}) : Json(nullptr)}});
  Json x = field("x", "quantitative", text.x_title);
  x["axis"] = percent_axis();
  x["scale"] = Json::object({{"domain", Json::array({0, 1})}});
  Json y = field("y", "quantitative", text.y_title);
  y["axis"] = percent_axis();
  y["scale"] = Json::object({{"domain", Json::array({0, 1})}});
  Json range = field("low", "quantitative", text.y_title);
  const Json data = Json::object({{"values", rows}});
  Json layers = Json::array();
  if (!std::isnan(threshold))
    layers.push_back(Json::object(
        {{"data", Json::object({{"values", Json::array({Json::object({{"at", threshold}})})}})},
         {"mark", Json::object({{"color", kColourDark}, {"strokeDash", Json::array({4, 4})}, {"type", "rule"}})},
         {"encoding", Json::object({{"y", field("at", "quantitative", text.y_title)}})}}));
  layers.push_back(Json::object(
      {{"data", data},
       {"mark", Json::object({{"strokeWidth", 2}, {"type", "rule"}})},
       {"encoding",
        Json::object({{"color", colour}, {"x", x}, {"y", range}, {"y2", Json::object({{"field", "high"}})}})}}));
  layers.push_back(Json::object(
      {{"data", data},
       {"mark",
        Json::object({{"point", Json::object({{"filled", true}, {"size", 70}})}, {"tooltip", true}, {"type", "line"}})},
       {"encoding", Json::object({{"color", colour}, {"x", x}, {"y", y}})}}));
  spec["layer"] = layers;
  return finish(text, spec);
}

Chart bar_chart(const ChartText& text, const std::vector<Bar>& bars) {
  Json spec = spec_frame(text, rows_height(bars.size()));
  Json rows = Json::array();
  for (const Bar& bar : bars) rows.push_back(Json::object({{"name", bar.name}, {"value", bar.value}}));
  spec["data"] = Json::object({{"values", rows}});
  spec["mark"] = Json::object({{"color", kColourBad}, {"tooltip", true}, {"type", "bar"}});
  spec["encoding"]["y"] = in_given_order("name", text.y_title);
  spec["encoding"]["x"] = field("value", "quantitative", text.x_title);
  spec["encoding"]["x"]["axis"] = sparse_axis();
  return finish(text, spec);
}

}  // namespace scvet::report
