// The published vectors of the locked trial: row tables and JSON, shared by the tests of the module.
#pragma once

#include <gtest/gtest.h>

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

#define SKIP_WITHOUT_TRIAL_VECTORS()                         \
  if (!std::filesystem::exists(testing::trial_vectors()))    \
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

inline RowTable read_rows(const std::string& name) { return RowTable::read(vector_path(name)); }

}  // namespace scvet::trial::testing
