#include "scvet/metrics/metric.h"

#include <algorithm>

namespace scvet::metrics {

std::vector<const MetricRecord*> metrics_of(const std::string& group) {
  std::vector<const MetricRecord*> found;
  for (const auto table : {bio(), batch(), extra()})
    for (const MetricRecord* record : table)
      if (record->group == group) found.push_back(record);
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
  return found;
}

}  // namespace scvet::metrics
