// The published embeddings of the benchmark with what the metrics look at, shared by the parity tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scvet/base/files.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/io/format.h"
#include "scvet/metrics/metric.h"

#define SKIP_WITHOUT_BENCHMARK_VECTORS()                     \
  if (!std::filesystem::exists(testing::benchmark_folder())) \
  GTEST_SKIP() << "no published vectors at " << testing::benchmark_folder()

namespace scvet::testing {

inline std::string benchmark_folder() { return std::string(SCVET_REFERENCE_DIR) + "/benchmark"; }

inline nlohmann::json benchmark_expected(const std::string& name) {
  return nlohmann::json::parse(read_file(benchmark_folder() + "/expected/" + name));
}

inline std::vector<float> dense_rows(CellSource& source) {
  const CsrMatrix matrix = read_csr(source);
  const CsrView view = matrix.view();
  std::vector<float> rows(static_cast<std::size_t>(view.rows * view.cols), 0.0F);
  for (std::int64_t row = 0; row < view.rows; ++row)
    for (std::size_t at = 0; at < view.row_columns(row).size(); ++at)
      rows[static_cast<std::size_t>(row * view.cols + view.row_columns(row)[at])] = view.row_values(row)[at];
  return rows;
}

// Cells that have a label and, where asked for, a batch. Kept in one place: the inputs point into it.
struct BenchmarkCells {
  std::int64_t n_dims = 0;
  std::vector<std::string> names;
  std::vector<float> x;
  Groups labels, batches;
  graph::Neighbours neighbours;
  graph::WeightedGraph fuzzy;

  BenchmarkCells() = default;
  BenchmarkCells(const BenchmarkCells&) = delete;
  BenchmarkCells& operator=(const BenchmarkCells&) = delete;

  std::int64_t n_cells() const { return static_cast<std::int64_t>(labels.of_cell.size()); }
  MatrixView<const float> view() const { return {x.data(), n_cells(), n_dims}; }

  // `embedding`: "pca/synth3b".
  void read(const std::string& embedding, bool with_batches = true) {
    const auto file = io::open_cells(benchmark_folder() + "/embeddings/" + embedding + ".h5ad");
    const auto source = file->open_matrix("X");
    const std::vector<float> rows = dense_rows(*source);
    n_dims = source->info().n_genes;
    labels = make_groups(*file->obs().find("cell_type"));
    batches = make_groups(*file->obs().find("batch_id"));
    std::vector<std::int64_t> used;
    for (std::size_t cell = 0; cell < labels.of_cell.size(); ++cell)
      if (labels.of_cell[cell] >= 0 && (!with_batches || batches.of_cell[cell] >= 0))
        used.push_back(static_cast<std::int64_t>(cell));
    for (const std::int64_t cell : used) names.push_back(file->obs().names[static_cast<std::size_t>(cell)]);
    x = rows;
    keep(used);
  }

  // Only these cells (ascending), and the neighbours among them.
  void keep(const std::vector<std::int64_t>& cells) {
    std::vector<float> rows;
    for (const std::int64_t cell : cells)
      rows.insert(rows.end(), x.begin() + cell * n_dims, x.begin() + (cell + 1) * n_dims);
    x = std::move(rows);
    labels = select_groups(labels, cells);
    batches = select_groups(batches, cells);
    find_neighbours();
  }

  // As the benchmark asks for them: lists that hold the cell itself, one entry fewer than there are cells at most.
  void find_neighbours() {
    const std::int64_t most = std::max<std::int64_t>(n_cells() - 1, 1);
    neighbours = graph::exact_neighbours(view(), std::min<std::int64_t>(90, most));
    fuzzy = graph::fuzzy_graph(neighbours, std::min<std::int64_t>(50, most));
  }

  metrics::MetricInput input() const {
    metrics::MetricInput made;
    made.x = view();
    made.labels = &labels;
    made.batches = &batches;
    made.neighbours = &neighbours;
    made.fuzzy = &fuzzy;
    return made;
  }
};

inline metrics::MetricValue score(const std::string& name, const metrics::MetricInput& input) {
  for (const char* group : {"bio_conservation", "batch_mixing", "extra"})
    for (const metrics::MetricRecord* record : metrics::metrics_of(group))
      if (record->name == name) return record->compute(input);
  throw std::out_of_range("no metric " + name);
}

}  // namespace scvet::testing
