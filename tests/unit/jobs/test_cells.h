// Small h5ad files for the tests of jobs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scvet/data/memory_cells.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::jobs {

// A folder of the running test, removed with it.
class TestFolder {
 public:
  explicit TestFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("scvet_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline MemoryCells dense_cells(const std::string& name, const Table& var,
                               const std::vector<std::vector<double>>& rows) {
  MemoryCells cells(name, "float32", var);
  for (const std::vector<double>& row : rows) {
    std::vector<std::uint32_t> genes;
    std::vector<double> values;
    for (std::uint32_t gene = 0; gene < row.size(); ++gene) {
      if (row[gene] == 0) continue;
      genes.push_back(gene);
      values.push_back(row[gene]);
    }
    cells.add(genes, values);
  }
  return cells;
}

struct TestFile {
  std::vector<std::string> cells, genes;
  std::vector<std::vector<double>> x, raw, counts_layer;  // empty: absent
  std::vector<Column> obs, var;

  std::string write(const std::string& path) const {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    Table obs_table, var_table;
    obs_table.names = cells;
    obs_table.columns = obs;
    var_table.names = genes;
    var_table.columns = var;
    MemoryCells x_cells = dense_cells("X", var_table, x), raw_cells = dense_cells("raw/X", var_table, raw),
                layer_cells = dense_cells("layers/counts", var_table, counts_layer);
    io::H5adContent content;
    content.obs = &obs_table;
    content.var = &var_table;
    if (!x.empty()) content.x = &x_cells;
    if (!raw.empty()) content.raw = &raw_cells;
    if (!counts_layer.empty()) content.layers.emplace_back("counts", &layer_cells);
    io::write_h5ad(path, content);
    return path;
  }
};

}  // namespace scvet::jobs
