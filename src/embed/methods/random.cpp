// Control: 50 normal numbers that the cell's name and the seed decide. The floor: it knows nothing of the cell.
#include <array>

#include "normal_numbers.h"
#include "scvet/embed/method.h"

namespace scvet::embed {
namespace {

constexpr std::size_t kDims = 50;

MethodOutput embed(const MethodInput& input) {
  MethodOutput output{.n_dims = kDims, .values = {}};
  output.values.reserve(input.cell_names.size() * kDims);
  std::array<double, kDims> numbers;
  for (const std::string& name : input.cell_names) {
    normal_numbers(name, input.seed, numbers);
    for (const double number : numbers) output.values.push_back(static_cast<float>(number));
  }
  return output;
}

double bytes(std::int64_t n_cells, std::int64_t, std::int64_t) { return 4.0 * kDims * static_cast<double>(n_cells); }
double seconds(std::int64_t n_cells, std::int64_t, std::int64_t) { return 4e-8 * kDims * static_cast<double>(n_cells); }

}  // namespace

extern const MethodRecord random_method = {
    .name = "random",
    .label = "Random numbers",
    .source = "A control: normal numbers from the cell's name and the seed; docs/methods.md",
    .category = "control",
    .gene_ids = "any",
    .species = "any",
    .values = "none",
    .needs_labels = false,
    .needs_batches = false,
    .uses_labels = false,
    .needs_weights = false,
    .uses_gpu = false,
    .transductive = false,
    .parameters = {},
    .embed = embed,
    .estimate_bytes = bytes,
    .estimate_seconds = seconds,
};

}  // namespace scvet::embed
