// scGraph, distances themselves.
#include "scgraph.h"
#include "scvet/numeric/regression.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) {
  return scgraph_agreement(input,
                           [](auto embedding, auto consensus) { return numeric::pearson(embedding, consensus); });
}

}  // namespace

extern const MetricRecord scgraph_corr_metric = {
    .name = "scgraph_corr",
    .label = "scGraph: Pearson's correlation of distances between labels with those inside batches",
    .source = "Wang et al. 2025, doi:10.1038/s41587-025-02702-z",
    .group = "extra",
    .family = "",
    .order = 3,
    .least = -1,
    .most = 1,
    .chance = "Well above 0: a label's distance of 0 to itself is one of the entries compared.",
    .undefined = "Fewer than two batches, or than three labels of 10 cells in batches of 100 cells.",
    .version = "1",
    .needs = kNeedsBatches | kNeedsCounts,
    .compute = compute,
};

}  // namespace scvet::metrics
