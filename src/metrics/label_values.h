// A metric's values by label.
#pragma once

#include <span>
#include <vector>

#include "scvet/metrics/metric.h"

namespace scvet::metrics {

// Values of the cells of each label, in the order of the cells; NaN left out.
std::vector<std::vector<double>> values_by_label(std::span<const double> cells, const Groups& labels);
// One entry a label: `of` its values, or NaN with the note where it has none.
std::vector<LabelValue> label_values(std::span<const double> cells, const Groups& labels,
                                     double (*of)(std::span<const double> values), const char* note);

}  // namespace scvet::metrics
