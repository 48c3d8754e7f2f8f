// What every metric promises: a value in its range or NaN with a reason, the same whatever the order of the cells, the
// names of the groups (as long as they sort alike) and the number of workers, and an answer for any input however small.
// metrics_test.cpp runs it over the three tables.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/metrics/metric.h"

namespace scvet::metrics::testing {

// Cells with all that a metric may ask for; the view is made anew after any change.
struct ContractCells {
  std::int64_t n_dims = 0, n_pca = 4, n_genes = 30;
  std::vector<float> x, pca;
  std::vector<std::vector<float>> counts;  // cells x n_genes
  std::vector<std::string> label, batch;
  std::vector<std::int32_t> cluster;

  std::int64_t size() const { return std::ssize(label); }
  // The cells in this order.
  ContractCells select(const std::vector<std::int64_t>& cells) const {
    ContractCells found;
    found.n_dims = n_dims;
    for (const std::int64_t cell : cells) {
      found.x.insert(found.x.end(), x.begin() + cell * n_dims, x.begin() + (cell + 1) * n_dims);
      found.pca.insert(found.pca.end(), pca.begin() + cell * n_pca, pca.begin() + (cell + 1) * n_pca);
      const auto at = static_cast<std::size_t>(cell);
      found.counts.push_back(counts[at]);
      found.label.push_back(label[at]);
      found.batch.push_back(batch[at]);
      found.cluster.push_back(cluster[at]);
    }
    return found;
  }
};

// Labels and batches of unequal shares; a cell of label l has `spread` in dimension l, one of batch b has `shift` in the
// last dimension; noise uniform. Clusters: the label for three cells of four.
inline ContractCells contract_cells(std::int64_t n, double spread, double shift, std::uint64_t seed) {
  constexpr std::int64_t kDims = 6;
  constexpr std::uint64_t kLabels = 4, kBatches = 3;
  Stream stream(seed);
  ContractCells cells;
  cells.n_dims = kDims;
  for (std::int64_t cell = 0; cell < n; ++cell) {
    const std::uint64_t label = std::min(stream.below(kLabels + 1), kLabels - 1), batch = stream.below(kBatches);
    cells.label.push_back(std::string("type_") + static_cast<char>('a' + label));
    cells.batch.push_back(std::string("b") + static_cast<char>('0' + batch));
    cells.cluster.push_back(static_cast<std::int32_t>(stream.below(4) ? label : stream.below(kLabels)));
    for (std::uint64_t col = 0; col < kDims; ++col) {
      double value = stream.unit() + stream.unit() + stream.unit() - 1.5;
      if (col == label) value += spread;
      if (col == kDims - 1) value += shift * static_cast<double>(batch);
      cells.x.push_back(static_cast<float>(value));
    }
    for (std::int64_t col = 0; col < cells.n_pca; ++col)
      cells.pca.push_back(static_cast<float>(stream.unit() + (col == 0 ? static_cast<double>(batch) : 0)));
    cells.counts.emplace_back();
    for (std::int64_t gene = 0; gene < cells.n_genes; ++gene)
      cells.counts.back().push_back(
          static_cast<float>(stream.below(4) * (1 + (static_cast<std::uint64_t>(gene) % kLabels == label))));
  }
  return cells;
}

// The input that a benchmark makes of the cells. Keeps what the views point to.
class ContractInput {
 public:
  explicit ContractInput(ContractCells cells)
      : cells_(std::move(cells)), labels_(make_groups(cells_.label)), batches_(make_groups(cells_.batch)) {
    const std::int64_t n = cells_.size(), most = std::max<std::int64_t>(n - 1, 1);
    const MatrixView<const float> x(cells_.x.data(), n, cells_.n_dims);
    neighbours_ = graph::exact_neighbours(x, std::min<std::int64_t>(90, most));
    fuzzy_ = graph::fuzzy_graph(neighbours_, std::min<std::int64_t>(50, most));
    for (const std::vector<float>& row : cells_.counts) {
      for (std::size_t gene = 0; gene < row.size(); ++gene)
        if (row[gene] != 0) {
          genes_.push_back(static_cast<std::uint32_t>(gene));
          values_.push_back(row[gene]);
        }
      indptr_.push_back(std::ssize(genes_));
    }
    input_.x = x;
    input_.labels = &labels_;
    input_.batches = &batches_;
    input_.neighbours = &neighbours_;
    input_.fuzzy = &fuzzy_;
    input_.clusters = cells_.cluster;
    input_.pca = {cells_.pca.data(), n, cells_.n_pca};
    input_.counts = {n, cells_.n_genes, indptr_.data(), genes_.data(), values_.data()};
  }
  ContractInput(const ContractInput&) = delete;
  ContractInput& operator=(const ContractInput&) = delete;
  const MetricInput& get() const { return input_; }

 private:
  ContractCells cells_;
  Groups labels_, batches_;
  graph::Neighbours neighbours_;
  graph::WeightedGraph fuzzy_;
  std::vector<std::int64_t> indptr_{0};
  std::vector<std::uint32_t> genes_;
  std::vector<float> values_;
  MetricInput input_;
};

inline MetricValue score(const MetricRecord& record, const ContractCells& cells) {
  return record.compute(ContractInput(cells).get());
}

inline bool same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline void expect_same_bytes(const MetricValue& a, const MetricValue& b, const char* what) {
  EXPECT_TRUE(same_bytes({a.value}, {b.value})) << what << ": " << a.value << " and " << b.value;
  EXPECT_EQ(a.note, b.note) << what;
  EXPECT_TRUE(same_bytes(a.cells, b.cells)) << what;
  ASSERT_EQ(a.labels.size(), b.labels.size()) << what;
  for (std::size_t at = 0; at < a.labels.size(); ++at) {
    EXPECT_EQ(a.labels[at].label, b.labels[at].label) << what;
    EXPECT_TRUE(same_bytes({a.labels[at].value}, {b.labels[at].value})) << what;
  }
}

inline void expect_equal(double a, double b, double tolerance, const char* what) {
  EXPECT_EQ(std::isnan(a), std::isnan(b)) << what;
  if (!std::isnan(a) && !std::isnan(b)) {
    EXPECT_NEAR(a, b, tolerance) << what;
  }
}

inline void expect_record_complete(const MetricRecord& record) {
  for (const char* text :
       {record.name, record.label, record.source, record.group, record.chance, record.undefined, record.version})
    EXPECT_FALSE(std::string(text).empty());
  EXPECT_EQ(std::string(record.family).empty(), std::string(record.group) == "extra");
  EXPECT_LT(record.least, record.most);
}

// In range or undefined with a reason, for the value, each label and each cell.
inline void expect_sound(const MetricRecord& record, const MetricValue& found, std::int64_t n_cells) {
  constexpr double kRounding = 1e-9;
  if (std::isnan(found.value)) {
    EXPECT_FALSE(found.note.empty()) << "undefined without a reason";
  } else {
    EXPECT_GE(found.value, record.least - kRounding);
    EXPECT_LE(found.value, record.most + kRounding);
  }
  for (const LabelValue& label : found.labels)
    EXPECT_TRUE(!std::isnan(label.value) || !label.note.empty()) << "label " << label.label;
  EXPECT_TRUE(found.cells.empty() || std::ssize(found.cells) == n_cells);
}

inline void expect_order_of_cells_unused(const MetricRecord& record, const ContractCells& cells) {
  Stream stream(5);
  std::vector<std::int64_t> order(static_cast<std::size_t>(cells.size()));
  for (std::size_t at = 0; at < order.size(); ++at) {
    order[at] = static_cast<std::int64_t>(at);
    std::swap(order[at], order[stream.below(at + 1)]);
  }
  const MetricValue before = score(record, cells), after = score(record, cells.select(order));
  if (record.follows_order) {  // another draw of folds: within four standard deviations of a share
    expect_equal(after.value, before.value, 4 * std::sqrt(.25 / static_cast<double>(cells.size())), "cells permuted");
    return;
  }
  expect_equal(after.value, before.value, 1e-9, "cells permuted");
  ASSERT_EQ(after.cells.size(), before.cells.size());
  for (std::size_t at = 0; at < after.cells.size(); ++at)
    expect_equal(after.cells[at], before.cells[static_cast<std::size_t>(order[at])], 1e-9, "cells permuted");
}

inline void expect_names_unused(const MetricRecord& record, const ContractCells& cells) {
  const MetricValue before = score(record, cells);
  ContractCells renamed = cells;
  for (std::string& label : renamed.label) label = "0 " + label;
  for (std::string& batch : renamed.batch) batch = "z/" + batch + "'";
  expect_same_bytes(score(record, renamed), before, "names that sort alike");
  if (record.follows_order) return;
  for (std::string& label : renamed.label) label = static_cast<char>('z' - (label.back() - 'a')) + label;
  for (std::string& batch : renamed.batch) batch = static_cast<char>('9' - (batch[batch.size() - 2] - '0')) + batch;
  for (std::int32_t& cluster : renamed.cluster) cluster = 9 - cluster;
  expect_equal(score(record, renamed).value, before.value, 1e-9, "names that sort the other way round");
}

inline void expect_workers_unused(const MetricRecord& record, const ContractCells& cells) {
  set_workers(1);
  const MetricValue one = score(record, cells);
  set_workers(3);
  const MetricValue three = score(record, cells);
  set_workers(0);
  expect_same_bytes(one, three, "another number of workers");
}

inline void expect_answers_for_the_smallest(const MetricRecord& record, const ContractCells& cells) {
  const auto answer = [&](const ContractCells& some, const std::string& what) {
    SCOPED_TRACE(what);
    MetricValue found;
    ASSERT_NO_THROW(found = score(record, some));
    expect_sound(record, found, some.size());
  };
  ContractCells one_label = cells, one_batch = cells, same = cells;
  for (std::string& label : one_label.label) label = "a";
  for (std::string& batch : one_batch.batch) batch = "a";
  std::fill(same.x.begin(), same.x.end(), 1.0f);
  answer(one_label, "one label");
  answer(one_batch, "one batch");
  answer(same, "equal cells");
  std::fill(same.x.begin(), same.x.end(), 0.0f);
  answer(same, "zero cells");
  for (const std::int64_t n : {1, 2, 3, 5, 12, 31}) {
    std::vector<std::int64_t> first(static_cast<std::size_t>(n));
    for (std::size_t at = 0; at < first.size(); ++at) first[at] = static_cast<std::int64_t>(at);
    answer(cells.select(first), std::to_string(n) + " cells");
  }
}

inline void expect_metric_contract(const MetricRecord& record) {
  SCOPED_TRACE(record.name);
  expect_record_complete(record);
  for (const double spread : {0.0, 1.5}) {
    const ContractCells cells = contract_cells(360, spread, .5, 1);
    const MetricValue found = score(record, cells);
    EXPECT_FALSE(std::isnan(found.value)) << found.note;
    expect_sound(record, found, cells.size());
    expect_order_of_cells_unused(record, cells);
    expect_names_unused(record, cells);
    expect_workers_unused(record, cells);
  }
  expect_answers_for_the_smallest(record, contract_cells(60, 1, 0, 2));
}

}  // namespace scvet::metrics::testing
