#include "agreement.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) { return agreement(input, nmi); }

}  // namespace

extern const MetricRecord nmi_metric = {
    .name = "NMI",
    .label = "Normalised mutual information of labels and clusters",
    .source = "Strehl and Ghosh 2002, J. Mach. Learn. Res. 3, 583; arithmetic mean of the entropies",
    .group = "bio_conservation",
    .family = "clustering",
    .order = 0,
    .least = 0,
    .most = 1,
    .chance = "Near 0, and above it: about (L - 1)(K - 1) / (n (H(labels) + H(clusters))).",
    .undefined = "Never, given a clustering of at least one cell.",
    .version = "1",
    .needs = kNeedsClusters,
    .compute = compute,
};

}  // namespace scvet::metrics
