#include "label_values.h"

#include <cmath>
#include <limits>

namespace scvet::metrics {

std::vector<std::vector<double>> values_by_label(std::span<const double> cells, const Groups& labels) {
  std::vector<std::vector<double>> found(labels.names.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    if (!std::isnan(cells[cell]) && labels.of_cell[cell] >= 0)
      found[static_cast<std::size_t>(labels.of_cell[cell])].push_back(cells[cell]);
  return found;
}

std::vector<LabelValue> label_values(std::span<const double> cells, const Groups& labels,
                                     double (*of)(std::span<const double> values), const char* note) {
  std::vector<LabelValue> found;
  for (std::int32_t label = 0; const std::vector<double>& values : values_by_label(cells, labels)) {
    if (values.empty())
      found.push_back({label, std::numeric_limits<double>::quiet_NaN(), note});
    else
      found.push_back({label, of(values), ""});
    ++label;
  }
  return found;
}

}  // namespace scvet::metrics
