#include "scvet/report/heat_chart.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "chart_parts.h"

namespace scvet::report {
namespace {

constexpr double kRowPixels = 26, kHeadPixels = 70;

std::vector<std::string> in_order(const std::vector<HeatCell>& cells, std::string HeatCell::*name) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const HeatCell& cell : cells)
    if (seen.insert(cell.*name).second) names.push_back(cell.*name);
  return names;
}

Json axis(const char* name, const std::vector<std::string>& order) {
  Json encoding = field(name, "nominal", "");
  encoding["sort"] = order;
  encoding["axis"] = Json::object({{"domain", false}, {"ticks", false}, {"title", nullptr}});
  if (std::string_view(name) == "column") {
    encoding["axis"]["labelAngle"] = order.size() > 5 ? -45 : 0;
    encoding["axis"]["orient"] = "top";
  }
  return encoding;
}

Json tooltip(const ChartText& text) {
  Json shown = Json::array();
  shown.push_back(field("row", "nominal", text.y_title));
  shown.push_back(field("column", "nominal", text.x_title));
  shown.push_back(field("exact", "nominal", "value"));
  shown.push_back(field("note", "nominal", "note"));
  return shown;
}

// White on the dark half of the scale. The colour is chosen here, so that the page needs no expression.
Json row_of(const HeatCell& cell, double low, double high) {
  if (!std::isfinite(cell.value))
    return Json::object({{"column", cell.column}, {"exact", "none"}, {"note", cell.note}, {"row", cell.row}});
  const bool dark = cell.value < low + 0.55 * (high - low);
  return Json::object({{"column", cell.column},
                       {"exact", short_number(cell.value, 6)},
                       {"ink", dark ? "#ffffff" : "#1c2530"},
                       {"note", cell.note},
                       {"row", cell.row},
                       {"shown", fixed_cell(cell.value, 2).text},
                       {"value", cell.value}});
}

Json layer(Json rows, Json mark, Json encoding) {
  return Json::object({{"data", Json::object({{"values", std::move(rows)}})},
                       {"encoding", std::move(encoding)},
                       {"mark", std::move(mark)}});
}

}  // namespace

Chart heat_chart(const ChartText& text, double low, double high, const std::vector<HeatCell>& cells) {
  const std::vector<std::string> rows = in_order(cells, &HeatCell::row), columns = in_order(cells, &HeatCell::column);
  Json known = Json::array(), missing = Json::array();
  for (const HeatCell& cell : cells) (std::isfinite(cell.value) ? known : missing).push_back(row_of(cell, low, high));
  Json spec = spec_frame(text, kHeadPixels + kRowPixels * static_cast<double>(std::max<std::size_t>(rows.size(), 1)));
  spec["encoding"]["x"] = axis("column", columns);
  spec["encoding"]["y"] = axis("row", rows);
  const Json scale = Json::object({{"clamp", true}, {"domain", Json::array({low, high})}, {"scheme", "cividis"}});
  const Json colour =
      Json::object({{"field", "value"}, {"legend", nullptr}, {"scale", scale}, {"type", "quantitative"}});
  const Json ink = Json::object({{"field", "ink"}, {"legend", nullptr}, {"scale", nullptr}, {"type", "nominal"}});
  const Json box = Json::object({{"stroke", "#ffffff"}, {"type", "rect"}});
  Json grey = box;
  grey["color"] = "#e6eaee";
  // The inks are colours themselves and must not be merged with the scale of the fields.
  spec["resolve"] = Json::object({{"scale", Json::object({{"color", "independent"}})}});
  spec["layer"] = Json::array();
  spec["layer"].push_back(layer(known, box, Json::object({{"color", colour}, {"tooltip", tooltip(text)}})));
  spec["layer"].push_back(
      layer(known, Json::object({{"fontSize", 11}, {"type", "text"}}),
            Json::object({{"color", ink}, {"text", field("shown", "nominal", "")}, {"tooltip", tooltip(text)}})));
  if (!missing.empty()) {
    spec["layer"].push_back(layer(missing, grey, Json::object({{"tooltip", tooltip(text)}})));
    spec["layer"].push_back(
        layer(missing, Json::object({{"color", "#56616e"}, {"type", "text"}}),
              Json::object({{"text", Json::object({{"value", "\xE2\x80\x93"}})}, {"tooltip", tooltip(text)}})));
  }
  return finish(text, spec);
}

}  // namespace scvet::report
