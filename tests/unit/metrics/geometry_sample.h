// Small embeddings with labels, batches and counts for the tests of the probes.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "scvet/base/random.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/metrics/geometry.h"

namespace scvet::metrics::testing {

inline double normal_draw(Stream& stream) {
  const double u = 1 - stream.unit(), w = stream.unit();
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * w);
}

struct GeometrySample {
  std::int64_t n = 0, d = 0;
  std::vector<float> z;
  Standardised standard;
  Groups labels, batches;
  CsrMatrix counts;
  std::vector<std::string> genes;

  // Call again after changing z.
  GeometryInput input() {
    const MatrixView<const float> view(z.data(), n, d);
    standard = standardise(view);
    GeometryInput made;
    made.dataset_id = "sample";
    made.method = "method";
    made.z = view;
    made.standard = {standard.values.data(), n, d};
    made.labels = &labels;
    made.batches = &batches;
    made.counts = counts.view();
    made.genes = genes;
    made.n_genes = 40;
    return made;
  }
};

// n cells around one centre a label (3 labels, 2 batches of unequal size), and Poisson-like counts of 60 genes of which
// each label has its own.
inline GeometrySample make_sample(std::int64_t n, std::int64_t d, std::uint64_t seed) {
  Stream stream(seed);
  GeometrySample made;
  made.n = n;
  made.d = d;
  std::vector<std::string> labels, batches;
  constexpr std::uint32_t kGenes = 60;
  made.counts.n_cells = n;
  made.counts.n_genes = kGenes;
  for (std::uint32_t gene = 0; gene < kGenes; ++gene) made.genes.push_back("GENE" + std::to_string(gene));
  for (std::int64_t cell = 0; cell < n; ++cell) {
    const auto label = static_cast<std::int64_t>(stream.below(3));
    labels.push_back("label" + std::to_string(label));
    batches.push_back(stream.unit() < 0.6 ? "one" : "two");
    for (std::int64_t col = 0; col < d; ++col)
      made.z.push_back(static_cast<float>(normal_draw(stream) + (col % 3 == label ? 2.0 : 0.0)));
    for (std::uint32_t gene = 0; gene < kGenes; ++gene) {
      const double mean = gene % 3 == static_cast<std::uint32_t>(label) ? 6 : 1;
      const double count = std::floor(mean * -std::log(1 - stream.unit()));
      if (count > 0) {
        made.counts.genes.push_back(gene);
        made.counts.values.push_back(static_cast<float>(count));
      }
    }
    made.counts.indptr.push_back(std::ssize(made.counts.genes));
  }
  made.labels = make_groups(labels);
  made.batches = make_groups(batches);
  return made;
}

inline ProbeOutput run(const char* name, const GeometryInput& input) {
  for (const ProbeRecord* record : probes())
    if (std::string(record->name) == name) return record->compute(input);
  throw std::runtime_error(std::string("no probe ") + name);
}

inline double real(const ProbeOutput& output, std::size_t at) { return std::get<double>(output.values.at(at)); }
inline std::int64_t count(const ProbeOutput& output, std::size_t at) {
  return std::get<std::int64_t>(output.values.at(at));
}
inline const std::string& text(const ProbeOutput& output, std::size_t at) {
  return std::get<std::string>(output.values.at(at));
}

}  // namespace scvet::metrics::testing
