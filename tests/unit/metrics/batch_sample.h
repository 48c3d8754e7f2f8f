// Cells with labels and batches in memory, for the tests of the batch metrics.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/metrics/metric.h"

namespace scvet::metrics::testing {

struct Sample {
  std::int64_t n_dims = 0;
  std::vector<float> x;
  std::vector<std::string> label, batch;
  Groups labels, batches;
  graph::Neighbours neighbours;
  graph::WeightedGraph fuzzy;

  std::int64_t n_cells() const { return static_cast<std::int64_t>(label.size()); }
  void add(const std::string& of_label, const std::string& of_batch, const std::vector<float>& row) {
    n_dims = std::ssize(row);
    label.push_back(of_label);
    batch.push_back(of_batch);
    x.insert(x.end(), row.begin(), row.end());
  }
  // Valid until the sample changes.
  MetricInput input() {
    labels = make_groups(label);
    batches = make_groups(batch);
    MetricInput made;
    made.x = {x.data(), n_cells(), n_dims};
    made.labels = &labels;
    made.batches = &batches;
    return made;
  }
};

inline double normal(Stream& stream) {
  return std::sqrt(-2 * std::log(1 - stream.unit())) * std::cos(2 * std::numbers::pi * stream.unit());
}

// Gaussian labels of unequal sizes over unequal batches; `batch_shift` moves each batch.
inline Sample gaussian_sample(std::int64_t n_cells, std::int64_t n_dims, int n_labels, int n_batches,
                              double batch_shift, std::uint64_t seed = 1) {
  Stream stream(stream_key(seed, 1));
  std::vector<double> centres(static_cast<std::size_t>(n_dims * (n_labels + n_batches)));
  for (double& value : centres) value = normal(stream);
  Sample sample;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    // Products of two draws make the first groups large and the last ones small.
    const auto label = static_cast<std::int64_t>(stream.unit() * stream.unit() * n_labels);
    const auto batch = static_cast<std::int64_t>(stream.unit() * stream.unit() * n_batches);
    std::vector<float> row;
    for (std::int64_t dim = 0; dim < n_dims; ++dim)
      row.push_back(static_cast<float>(
          2 * centres[static_cast<std::size_t>(label * n_dims + dim)] +
          batch_shift * centres[static_cast<std::size_t>((n_labels + batch) * n_dims + dim)] + normal(stream)));
    sample.add("label " + std::to_string(label), "batch " + std::to_string(batch), row);
  }
  return sample;
}

inline const MetricRecord& metric(const std::string& name) {
  for (const char* group : {"bio_conservation", "batch_mixing", "extra"})
    for (const MetricRecord* record : metrics_of(group))
      if (record->name == name) return *record;
  throw std::out_of_range("no metric " + name);
}

inline bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double one, double other) {
           return one == other || (std::isnan(one) && std::isnan(other));
         });
}

// The same bytes for one and for three workers.
inline void expect_independent_of_workers(const MetricRecord& record, const MetricInput& input) {
  set_workers(1);
  const MetricValue one = record.compute(input);
  set_workers(3);
  const MetricValue three = record.compute(input);
  set_workers(0);
  EXPECT_TRUE(same_values({one.value}, {three.value})) << record.name;
  EXPECT_TRUE(same_values(one.cells, three.cells)) << record.name;
  ASSERT_EQ(one.labels.size(), three.labels.size());
  for (std::size_t at = 0; at < one.labels.size(); ++at)
    EXPECT_TRUE(same_values({one.labels[at].value}, {three.labels[at].value})) << record.name;
}

}  // namespace scvet::metrics::testing
