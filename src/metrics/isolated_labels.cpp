#include "isolated_labels.h"

#include <algorithm>
#include <limits>

#include "batch_input.h"

namespace scvet::metrics {

std::vector<std::uint8_t> isolated_labels(const MetricInput& input) {
  std::vector<std::int32_t> n_batches;
  for (const LabelBatches& label : batches_of_labels(input)) n_batches.push_back(label.n_batches());
  const std::int32_t fewest = *std::min_element(n_batches.begin(), n_batches.end());
  std::vector<std::uint8_t> isolated;
  for (const std::int32_t n : n_batches) isolated.push_back(n == fewest);
  return isolated;
}

MetricValue mean_of_isolated(const std::vector<std::uint8_t>& isolated, const std::vector<double>& of_label) {
  std::vector<LabelValue> values;
  for (std::size_t label = 0; label < isolated.size(); ++label) {
    const auto number = static_cast<std::int32_t>(label);
    if (isolated[label])
      values.push_back({number, of_label[label], ""});
    else
      values.push_back({number, std::numeric_limits<double>::quiet_NaN(), "not_isolated"});
  }
  return mean_of_labels(std::move(values));
}

}  // namespace scvet::metrics
