// Pieces of Vega-Lite specifications that several kinds of chart share. Private to report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scvet/report/charts.h"

namespace scvet::report {

using Json = nlohmann::json;

// As wide as its place in the page, so many pixels high.
Json spec_frame(const ChartText& text, double height);
Json field(const char* name, const char* type, const std::string& title);
// Rows of names in the order of the data, not of the alphabet; `title` is for the tooltip.
Json in_given_order(const char* name, const std::string& title);
double rows_height(std::size_t n_rows);  // pixels
Chart finish(const ChartText& text, const Json& spec);

}  // namespace scvet::report
