// Values in rows and columns as colours, each with its number.
#pragma once

#include <string>
#include <vector>

#include "scvet/report/charts.h"

namespace scvet::report {

struct HeatCell {
  std::string row, column;
  double value = 0;       // not finite: a grey field with a dash
  std::string note = {};  // in the tooltip: why there is no value, of how many it is the mean
};

// Rows and columns in the order in which they first occur. Colours run from `low` (dark) to `high` (bright), in a scale
// that colour-blind readers can order; values outside take the colour of the end.
Chart heat_chart(const ChartText& text, double low, double high, const std::vector<HeatCell>& cells);

}  // namespace scvet::report
