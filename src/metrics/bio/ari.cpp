#include "agreement.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) { return agreement(input, adjusted_rand); }

}  // namespace

extern const MetricRecord ari_metric = {
    .name = "ARI",
    .label = "Adjusted Rand index of labels and clusters",
    .source = "Hubert and Arabie 1985, doi:10.1007/BF01908075",
    .group = "bio_conservation",
    .family = "clustering",
    .order = 4,
    .least = -0.5,
    .most = 1,
    .chance = "0.",
    .undefined = "Never, given a clustering of at least one cell.",
    .version = "1",
    .needs = kNeedsClusters,
    .compute = compute,
};

}  // namespace scvet::metrics
