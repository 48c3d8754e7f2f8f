#include "agreement.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) { return agreement(input, fowlkes_mallows); }

}  // namespace

extern const MetricRecord fmi_metric = {
    .name = "FMI",
    .label = "Fowlkes-Mallows index of labels and clusters",
    .source = "Fowlkes and Mallows 1983, doi:10.1080/01621459.1983.10478008",
    .group = "bio_conservation",
    .family = "clustering",
    .order = 3,
    .least = 0,
    .most = 1,
    .chance =
        "sqrt(sum of p^2 over labels * sum of q^2 over clusters) of their shares p and q: well above 0 where a label is common.",
    .undefined = "Never, given a clustering of at least one cell.",
    .version = "1",
    .needs = kNeedsClusters,
    .compute = compute,
};

}  // namespace scvet::metrics
