// Control: the labels themselves, one dimension each, and a little noise. The ceiling of the label metrics.
#include "needed_groups.h"
#include "normal_numbers.h"

namespace scvet::embed {

extern const MethodRecord oracle_method;

namespace {

constexpr double kNoise = .1;
constexpr double kLabels = 100;  // more than most files have, for the estimates

MethodOutput embed(const MethodInput& input) {
  const Groups& labels = needed_labels(oracle_method, input);
  if (labels.names.empty())
    throw DataError("method oracle: no cell has a label; choose another column with --label-key",
                    {.reason = "no_labels"});
  std::vector<double> numbers(labels.names.size());
  MethodOutput output{.n_dims = labels.size(), .values = {}};
  output.values.reserve(input.cell_names.size() * numbers.size());
  for (std::size_t cell = 0; cell < input.cell_names.size(); ++cell) {
    normal_numbers(input.cell_names[cell], input.seed + 1, numbers);  // another stream than that of `random`
    for (std::int32_t label = 0; label < labels.size(); ++label) {
      const double own = labels.of_cell[cell] == label ? 1 : 0;
      output.values.push_back(static_cast<float>(own + kNoise * numbers[static_cast<std::size_t>(label)]));
    }
  }
  return output;
}

double bytes(std::int64_t n_cells, std::int64_t, std::int64_t) { return 4 * kLabels * static_cast<double>(n_cells); }
double seconds(std::int64_t n_cells, std::int64_t, std::int64_t) {
  return 4e-8 * kLabels * static_cast<double>(n_cells);
}

}  // namespace

extern const MethodRecord oracle_method = {
    .name = "oracle",
    .label = "The labels themselves",
    .source = "A control: one-hot labels and a tenth of a normal number; docs/methods.md",
    .category = "control",
    .gene_ids = "any",
    .species = "any",
    .values = "none",
    .needs_labels = true,
    .needs_batches = false,
    .uses_labels = true,
    .needs_weights = false,
    .uses_gpu = false,
    .transductive = true,  // its columns are the labels that occur
    .parameters = {},
    .embed = embed,
    .estimate_bytes = bytes,
    .estimate_seconds = seconds,
};

}  // namespace scvet::embed
