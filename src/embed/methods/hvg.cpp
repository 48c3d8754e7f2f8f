// The logarithms of the variable genes themselves: what `pca` starts from.
#include <algorithm>
#include <array>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/embed/method.h"
#include "scvet/numeric/log_normalise.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::embed {

extern const MethodRecord hvg_method;

namespace {

constexpr std::array<MethodParameter, 1> kParameters{MethodParameter{
    "hvg_n_top_genes", "2000", "genes kept, by normalised dispersion; ties with the last are kept too"}};
constexpr double kGenes = 2000;

// Cells x genes, dense.
std::vector<float> logarithms(CsrView counts, const std::vector<std::int64_t>& genes) {
  constexpr std::int64_t kRows = 256;
  constexpr std::size_t kLeftOut = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> number(static_cast<std::size_t>(counts.cols), kLeftOut);
  for (std::size_t at = 0; at < genes.size(); ++at) number[static_cast<std::size_t>(genes[at])] = at;
  const std::vector<double> sums = numeric::row_sums(counts);
  std::vector<float> values(static_cast<std::size_t>(counts.rows) * genes.size(), 0.0F);
  parallel_for((counts.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    numeric::RowLogarithms row_logarithms;
    for (std::int64_t cell = task * kRows; cell < std::min(counts.rows, (task + 1) * kRows); ++cell) {
      row_logarithms.start(sums[static_cast<std::size_t>(cell)]);
      float* const to = values.data() + static_cast<std::size_t>(cell) * genes.size();
      for (std::int64_t entry = counts.indptr[cell]; entry < counts.indptr[cell + 1]; ++entry)
        if (const std::size_t at = number[counts.columns[entry]]; at != kLeftOut)
          to[at] = static_cast<float>(row_logarithms.at(counts.values[entry]));
    }
  });
  return values;
}

MethodOutput embed(const MethodInput& input) {
  const auto variable =
      numeric::dispersion_genes(input.counts, integer_parameter(hvg_method, input, "hvg_n_top_genes"));
  if (variable.genes.empty())
    throw DataError("method hvg: no gene varies among these " + format_count(input.counts.rows) + " cells",
                    {.reason = "no_variable_genes"});
  MethodOutput output{.n_dims = std::ssize(variable.genes),
                      .values = logarithms(input.counts, variable.genes),
                      .facts = {{"variable_genes", std::to_string(variable.genes.size())},
                                {"dispersion_cut_off", format_number(variable.cut_off)}}};
  for (const std::int64_t gene : variable.genes)
    output.genes.push_back(input.gene_names[static_cast<std::size_t>(gene)]);
  return output;
}

double bytes(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored) {
  const auto cells = static_cast<double>(n_cells), genes = static_cast<double>(n_genes);
  return 8 * static_cast<double>(stored) + 4 * cells * std::min(kGenes, genes) +
         16 * genes * std::clamp(cells / 1024, 1.0, 64.0);
}

double seconds(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored) {
  return 2e-8 * static_cast<double>(stored) +
         1e-9 * static_cast<double>(n_cells) * std::min(kGenes, static_cast<double>(n_genes));
}

}  // namespace

extern const MethodRecord hvg_method = {
    .name = "hvg",
    .label = "Log counts of 2,000 variable genes",
    .source = "Log counts per 10,000, dispersion genes (doi:10.1038/nbt.3192); docs/methods.md",
    .category = "control",
    .gene_ids = "any",
    .species = "any",
    .values = "counts",
    .needs_labels = false,
    .needs_batches = false,
    .uses_labels = false,
    .needs_weights = false,
    .uses_gpu = false,
    .transductive = true,
    .parameters = kParameters,
    .embed = embed,
    .estimate_bytes = bytes,
    .estimate_seconds = seconds,
};

}  // namespace scvet::embed
