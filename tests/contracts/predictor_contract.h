// What every predictor of a trial promises: it sees no label outside train, gives a finite prediction for every row, and
// the same bytes for any number of workers. predictors_test.cpp runs it over the whole table.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/trial/train.h"

namespace scvet::trial::testing {

inline std::vector<std::vector<double>> run_one(const PredictorRecord& record, const PredictorInput& input) {
  const PredictorRecord* const chosen[] = {&record};
  std::vector<PredictorRun> runs = run_predictors(input, chosen);
  return runs.empty() ? std::vector<std::vector<double>>{} : std::move(runs.front().seeds);
}

// `data` has labels in every part; `input` views it.
inline void expect_predictor_contract(const PredictorRecord& record, TrialData& data, const PredictorInput& input) {
  SCOPED_TRACE(record.name);
  EXPECT_FALSE(std::string(record.label).empty());
  EXPECT_FALSE(std::string(record.matched).empty());
  const std::vector<double> y = data.y;
  const auto predictions = run_one(record, input);
  ASSERT_EQ(predictions.size(), input.protocol.seeds.size());
  for (const std::vector<double>& of_seed : predictions) {
    ASSERT_EQ(of_seed.size(), y.size());
    for (const double value : of_seed) ASSERT_TRUE(std::isfinite(value));
  }
  EXPECT_EQ(predictions[0] != predictions[1], record.seeded);

  for (const double hidden : {std::numeric_limits<double>::quiet_NaN(), 1e6}) {
    for (std::size_t row = 0; row < y.size(); ++row)
      if (data.split.part[row] != Part::kTrain) data.y[row] = hidden * (1 + static_cast<double>(row % 5));
    EXPECT_EQ(run_one(record, input), predictions) << "reads labels outside train";
  }
  data.y = y;
  set_workers(1);
  EXPECT_EQ(run_one(record, input), predictions) << "another number of workers";
  set_workers(3);
  EXPECT_EQ(run_one(record, input), predictions) << "another number of workers";
  set_workers(0);
}

}  // namespace scvet::trial::testing
