// Control: rows of `pca` exchanged inside each label. The labels keep their structure, and the batches mix as far as the
// labels' shares of them allow: the ceiling of batch mixing.
#include "needed_groups.h"
#include "pca_embedding.h"
#include "shuffled_rows.h"

namespace scvet::embed {

extern const MethodRecord pca_shuffle_type_method;

namespace {

MethodOutput embed(const MethodInput& input) {
  const Groups& labels = needed_labels(pca_shuffle_type_method, input);
  return with_rows(pca_embedding(pca_shuffle_type_method, input),
                   shuffled_within(labels, input.cell_names, input.seed));
}

}  // namespace

extern const MethodRecord pca_shuffle_type_method = {
    .name = "pca_shuffle_type",
    .label = "pca with its rows exchanged inside each label",
    .source = "A control: labels kept, batches mixed; docs/methods.md",
    .category = "control",
    .gene_ids = "any",
    .species = "any",
    .values = "counts",
    .needs_labels = true,
    .needs_batches = false,
    .uses_labels = true,
    .needs_weights = false,
    .uses_gpu = false,
    .transductive = true,
    .parameters = kPcaParameters,
    .embed = embed,
    .estimate_bytes = pca_bytes,
    .estimate_seconds = pca_seconds,
};

}  // namespace scvet::embed
