// Control: rows of `pca` exchanged inside each batch. The batches keep their structure, the labels lose theirs.
#include "needed_groups.h"
#include "pca_embedding.h"
#include "shuffled_rows.h"

namespace scvet::embed {

extern const MethodRecord pca_shuffle_batch_method;

namespace {

MethodOutput embed(const MethodInput& input) {
  const Groups& batches = needed_batches(pca_shuffle_batch_method, input);
  return with_rows(pca_embedding(pca_shuffle_batch_method, input),
                   shuffled_within(batches, input.cell_names, input.seed));
}

}  // namespace

extern const MethodRecord pca_shuffle_batch_method = {
    .name = "pca_shuffle_batch",
    .label = "pca with its rows exchanged inside each batch",
    .source = "A control: labels destroyed, batch structure kept; docs/methods.md",
    .category = "control",
    .gene_ids = "any",
    .species = "any",
    .values = "counts",
    .needs_labels = false,
    .needs_batches = true,
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
