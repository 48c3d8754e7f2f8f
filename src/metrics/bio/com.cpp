#include "agreement.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) { return agreement(input, completeness); }

}  // namespace

extern const MetricRecord com_metric = {
    .name = "COM",
    .label = "Completeness: how far a label lies in one cluster",
    .source = "Rosenberg and Hirschberg 2007, aclanthology.org/D07-1043",
    .group = "bio_conservation",
    .family = "clustering",
    .order = 2,
    .least = 0,
    .most = 1,
    .chance = "Near 0; 1 where all cells are one cluster.",
    .undefined = "Never, given a clustering of at least one cell.",
    .version = "1",
    .needs = kNeedsClusters,
    .compute = compute,
};

}  // namespace scvet::metrics
