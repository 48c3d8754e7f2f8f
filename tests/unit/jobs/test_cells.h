// Small files of cells for the tests of jobs.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
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

// Lists of tokens in rank order, as a file in memory.
class TokenLists : public CellFile {
 public:
  TokenLists(std::int64_t n_tokens, const std::vector<std::vector<std::uint32_t>>& lists)
      : var_(names("", n_tokens)), cells_("input_ids", "int16", var_, true) {
    for (const std::vector<std::uint32_t>& list : lists) {
      std::vector<std::uint32_t> tokens = list;
      std::sort(tokens.begin(), tokens.end());
      std::vector<double> values;
      for (const std::uint32_t token : tokens)
        values.push_back(static_cast<double>(list.end() - std::find(list.begin(), list.end(), token)));
      cells_.add(tokens, values);
    }
    obs_ = names("cell", static_cast<std::int64_t>(lists.size()));
  }
  const std::string& path() const override { return path_; }
  const char* format() const override { return "token_lists"; }
  const Table& obs() const override { return obs_; }
  const Table& var() const override { return var_; }
  std::vector<MatrixInfo> matrices() const override { return {cells_.info()}; }
  std::unique_ptr<CellSource> open_matrix(const std::string&) override { return std::make_unique<MemoryCells>(cells_); }
  std::vector<NamedShape> obsm() const override { return {}; }
  std::vector<NamedShape> varm() const override { return {}; }
  std::vector<std::string> obsp() const override { return {}; }
  std::vector<std::string> uns_keys() const override { return {}; }
  Embedding read_obsm(const std::string&) override { return {}; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  static Table names(const std::string& prefix, std::int64_t n) {
    Table table;
    for (std::int64_t row = 0; row < n; ++row) table.names.push_back(prefix + std::to_string(row));
    return table;
  }
  std::string path_ = "lists.dataset";
  Table var_, obs_;
  MemoryCells cells_;
};

}  // namespace scvet::jobs
