#include "agreement.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) { return agreement(input, homogeneity); }

}  // namespace

extern const MetricRecord hom_metric = {
    .name = "HOM",
    .label = "Homogeneity: how far a cluster holds one label",
    .source = "Rosenberg and Hirschberg 2007, aclanthology.org/D07-1043",
    .group = "bio_conservation",
    .family = "clustering",
    .order = 1,
    .least = 0,
    .most = 1,
    .chance = "Near 0 with few clusters; it grows with their number and is 1 where every cell is its own cluster.",
    .undefined = "Never, given a clustering of at least one cell.",
    .version = "1",
    .needs = kNeedsClusters,
    .compute = compute,
};

}  // namespace scvet::metrics
