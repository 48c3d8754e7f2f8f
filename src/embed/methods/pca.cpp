// Log-normalised counts of variable genes, standardised, on their principal components: the reference that every model
// must beat.
#include "pca_embedding.h"

namespace scvet::embed {

extern const MethodRecord pca_method;

namespace {

MethodOutput embed(const MethodInput& input) { return pca_embedding(pca_method, input); }

}  // namespace

extern const MethodRecord pca_method = {
    .name = "pca",
    .label = "Principal components of 2,000 variable genes",
    .source = "Log counts per 10,000, dispersion genes (doi:10.1038/nbt.3192), exact components; docs/methods.md",
    .category = "baseline",
    .gene_ids = "any",
    .species = "any",
    .values = "counts",
    .needs_labels = false,
    .needs_batches = false,
    .uses_labels = false,
    .needs_weights = false,
    .uses_gpu = false,
    .transductive = true,
    .parameters = kPcaParameters,
    .embed = embed,
    .estimate_bytes = pca_bytes,
    .estimate_seconds = pca_seconds,
};

}  // namespace scvet::embed
