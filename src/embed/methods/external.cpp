// A program that the user names: it is given the cells in a file and writes the embedding.
#include <limits>

#include "scvet/embed/method.h"

namespace scvet::embed {
namespace {

double unknown(std::int64_t, std::int64_t, std::int64_t) { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

extern const MethodRecord external_method = {
    .name = "external",
    .label = "A program of your own",
    .source = "Whatever the program that you name says; docs/methods.md",
    .category = "external",
    .gene_ids = "any",
    .species = "any",
    .values = "any",
    .needs_labels = false,
    .needs_batches = false,
    .uses_labels = false,  // as far as can be known: the file that the program gets may hold them
    .needs_weights = false,
    .uses_gpu = false,
    .transductive = true,  // nothing is known of it, so nothing is promised
    .parameters = {},
    .embed = nullptr,
    .estimate_bytes = unknown,
    .estimate_seconds = unknown,
};

}  // namespace scvet::embed
