// The published vectors of the locked trial: row tables and JSON, shared by the tests of the module.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "npy.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/predictor.h"

#define SKIP_WITHOUT_TRIAL_VECTORS()                      \
  if (!std::filesystem::exists(testing::trial_vectors())) \
  GTEST_SKIP() << "no published vectors at " << testing::trial_vectors()

namespace scvet::trial::testing {

using nlohmann::json;

inline std::string trial_vectors() { return std::string(SCVET_REFERENCE_DIR) + "/trial"; }
inline std::string vector_path(const std::string& name) { return trial_vectors() + "/" + name; }

inline json read_json(const std::string& name) {
  std::ifstream file(vector_path(name));
  return json::parse(file);
}

class RowTable {
 public:
  const std::vector<std::string>& column(const std::string& name) const { return columns_.at(name); }
  std::vector<double> reals(const std::string& name) const {
    std::vector<double> values;
    for (const std::string& text : column(name)) values.push_back(std::stod(text));
    return values;
  }
  std::vector<std::int64_t> integers(const std::string& name) const {
    std::vector<std::int64_t> values;
    for (const std::string& text : column(name)) values.push_back(std::stoll(text));
    return values;
  }
  std::size_t size() const { return columns_.empty() ? 0 : columns_.begin()->second.size(); }

  static RowTable read(const std::string& path) {
    RowTable table;
    std::ifstream file(path);
    std::string line, field;
    std::vector<std::string> header;
    while (std::getline(file, line)) {
      std::vector<std::string> fields;
      std::istringstream parts(line);
      while (std::getline(parts, field, '\t')) fields.push_back(field);
      if (header.empty()) {
        header = fields;
        continue;
      }
      fields.resize(header.size());
      for (std::size_t at = 0; at < header.size(); ++at) table.columns_[header[at]].push_back(fields[at]);
    }
    return table;
  }

 private:
  std::map<std::string, std::vector<std::string>> columns_;
};

inline std::vector<double> magnitudes(MatrixView<const double> x) {
  std::vector<double> mag;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    double sum = 0, squares = 0, most = x(row, 0), spread = 0;
    const auto n = static_cast<double>(x.cols);
    for (const double value : x.row_span(row)) {
      sum += value;
      squares += value * value;
      most = std::max(most, value);
    }
    const double mean = sum / n;
    for (const double value : x.row_span(row)) spread += (value - mean) * (value - mean);
    mag.insert(mag.end(), {mean, std::sqrt(squares) / std::sqrt(n), most, std::sqrt(spread / n)});
  }
  return mag;
}

// One set of row-level vectors with everything that predictors need. Not copied: the data hold views of the arrays.
struct VectorSet {
  scvet::testing::NpyArray x_delta;
  std::vector<double> x_unit_delta, mag;
  TrialData data;

  VectorSet() = default;
  VectorSet(const VectorSet&) = delete;
  void finish(const RowTable& rows, std::vector<double> y) {
    x_unit_delta = x_delta.values;
    unit_rows({x_unit_delta.data(), x_delta.rows(), x_delta.cols()});
    mag = magnitudes(x_delta.view());
    data.row_id = rows.column("row_id");
    data.target = rows.column("target_gene");
    data.y = std::move(y);
    data.split = make_split(data.target, 20260602, {0.70, 0.15, 0.15}, 5);
    data.x_delta = x_delta.view();
    data.x_unit_delta = {x_unit_delta.data(), x_delta.rows(), x_delta.cols()};
    data.mag = {mag.data(), x_delta.rows(), 4};
  }
};

inline void read_synth(VectorSet& set) {
  set.x_delta = scvet::testing::read_npy(vector_path("synth/x_delta.npy"));
  const RowTable rows = RowTable::read(vector_path("synth/rows.tsv"));
  set.data.n_cells = rows.integers("n_cells");
  set.finish(rows, rows.reals("y"));
}
inline scvet::testing::NpyArray read_synth_z(const std::string& name) {
  return scvet::testing::read_npy(vector_path("synth/z_" + name + ".npy"));
}

// z: unit rows of z_raw.
inline void read_scenario(const std::string& name, VectorSet& set, scvet::testing::NpyArray& z) {
  const std::string folder = "scenarios/" + name + "/";
  set.x_delta = scvet::testing::read_npy(vector_path(folder + "x_delta.npy"));
  z = scvet::testing::read_npy(vector_path(folder + "z_raw.npy"));
  unit_rows({z.values.data(), z.rows(), z.cols()});
  set.finish(RowTable::read(vector_path(folder + "rows.tsv")),
             scvet::testing::read_npy(vector_path(folder + "y.npy")).values);
}

inline RowTable read_rows(const std::string& name) { return RowTable::read(vector_path(name)); }

}  // namespace scvet::trial::testing
