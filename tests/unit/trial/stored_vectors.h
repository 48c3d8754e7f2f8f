// Stored test predictions of the published vectors (arm X_partial), as the post-hoc analyses see them.
#pragma once

#include "scvet/trial/posthoc.h"
#include "trial_vectors.h"

namespace scvet::trial::testing {

inline StoredTest stored_partial() {
  const RowTable rows = read_rows("synth/rows.tsv"), stored = read_rows("synth/test_predictions_partial.tsv");
  std::map<std::string, std::string> target_of;
  for (std::size_t row = 0; row < rows.size(); ++row)
    target_of[rows.column("row_id")[row]] = rows.column("target_gene")[row];
  StoredTest test;
  test.row_id = stored.column("row_id");
  test.y = stored.reals("y");
  test.seeds = Protocol{}.seeds;
  for (const std::string& id : test.row_id) test.target.push_back(target_of[id]);
  for (const char* name : kCascadePredictors) {
    StoredArray array{name, test.row_id, test.y, {}};
    for (const std::uint32_t seed : test.seeds)
      array.seeds.push_back(stored.reals(name + (":" + std::to_string(seed))));
    test.arrays.push_back(array);
  }
  return test;
}

inline std::vector<PredictorScores> expected_scores(const json& part) {
  std::vector<PredictorScores> scores;
  for (const char* name : kCascadePredictors) {
    scores.push_back({name, {}});
    for (const auto& [seed, entry] : part[name].items())
      scores.back().seeds.push_back({entry["r2"], entry["rho"], entry["mae"]});
  }
  return scores;
}

// A test set of its own: six rows of three genes, five seeds, MODEL nearest to y.
inline StoredTest small_stored(std::size_t n_rows = 6) {
  StoredTest test;
  test.seeds = Protocol{}.seeds;
  for (std::size_t row = 0; row < n_rows; ++row) {
    test.row_id.push_back("r" + std::to_string(row));
    test.target.push_back("g" + std::to_string(row / 2));
    test.y.push_back(static_cast<double>((row * 7) % 5) + 0.25 * static_cast<double>(row % 3));
  }
  double scale = 0.9;
  for (const char* name : kCascadePredictors) {
    StoredArray array{name, test.row_id, test.y, {}};
    const double noise = std::string(name) == "MODEL" ? 0.1 : scale;
    for (std::size_t seed = 0; seed < test.seeds.size(); ++seed) {
      std::vector<double> predicted = test.y;
      for (std::size_t row = 0; row < n_rows; ++row)
        predicted[row] += noise * (static_cast<double>((row * 5 + seed * 3) % 7) - 3) / 3;
      array.seeds.push_back(predicted);
    }
    scale += 0.1;
    test.arrays.push_back(array);
  }
  return test;
}

}  // namespace scvet::trial::testing
