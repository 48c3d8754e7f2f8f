#include "chart_parts.h"

#include <algorithm>

namespace scvet::report {

Json spec_frame(const ChartText& text, double height) {
  return Json::object({{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                       {"autosize", Json::object({{"contains", "padding"}, {"type", "fit-x"}})},
                       {"description", text.alt},
                       {"height", height},
                       {"width", "container"}});
}

Json field(const char* name, const char* type, const std::string& title) {
  return Json::object({{"field", name}, {"title", title}, {"type", type}});
}

Chart finish(const ChartText& text, const Json& spec) {
  // Names come from files, which may hold bytes that are not UTF-8.
  const std::string json = spec.dump(-1, ' ', false, Json::error_handler_t::replace);
  return {.id = text.id, .caption = text.caption, .alt = text.alt, .spec = json, .note = text.note};
}

double rows_height(std::size_t n_rows) { return 22.0 * static_cast<double>(std::max<std::size_t>(n_rows, 2)) + 10; }

Json in_given_order(const char* name, const std::string& title) {
  Json y = field(name, "nominal", title);
  y["sort"] = nullptr;
  y["axis"] = Json::object({{"title", nullptr}});
  return y;
}

}  // namespace scvet::report
