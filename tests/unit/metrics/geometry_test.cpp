#include "scvet/metrics/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "geometry_sample.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

using nlohmann::json;
using testing::make_sample;

TEST(Geometry, SeedsAreMadeOfNamesAsThePeerMakesThem) {
  const std::string path = SCVET_REFERENCE_DIR "/benchmark/expected/rng.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference vectors at " << path;
  const json seeds = json::parse(std::ifstream(path)).at("seed_for");
  const auto seed = [](std::int64_t base, const std::vector<std::string>& parts) { return probe_seed(base, parts); };
  EXPECT_EQ(seed(0, {"synth3b", "anisotropy_pairs"}),
            seeds.at("(0,'synth3b','anisotropy_pairs')").get<std::uint64_t>());
  EXPECT_EQ(seed(0, {"synth3b", "subsample", "1200"}), seeds.at("(0,'synth3b','subsample',1200)").get<std::uint64_t>());
  EXPECT_EQ(seed(7, {"a", "b"}), seeds.at("(7,'a','b')").get<std::uint64_t>());
}

TEST(Geometry, EveryRecordExplainsItselfAndNoColumnStandsTwice) {
  std::set<std::string> columns;
  std::set<int> orders, notes;
  std::size_t n_columns = 0;
  for (const ProbeRecord* record : probes()) {
    for (const char* words : {record->name, record->label, record->source, record->meaning, record->range,
                              record->undefined, record->version})
      EXPECT_FALSE(std::string(words).empty()) << record->name;
    for (const char* column : record->columns) columns.insert(column);
    n_columns += record->columns.size();
    orders.insert(record->order);
    notes.insert(record->note_order);
  }
  EXPECT_EQ(columns.size(), n_columns);
  EXPECT_EQ(orders.size(), probes().size());
  EXPECT_EQ(notes.size(), probes().size());
}

TEST(Geometry, StandardColumnsHaveMeanZeroAndDeviationOne) {
  const std::vector<float> z = {1, 7, 3, 3, 5, -2, 5, 5, -1};
  const Standardised made = standardise({z.data(), 3, 3});
  EXPECT_EQ(made.zero_var_dims, 0);
  for (std::size_t col = 0; col < 3; ++col) {
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      sum += double{made.values[row * 3 + col]};
      squares += double{made.values[row * 3 + col]} * double{made.values[row * 3 + col]};
    }
    EXPECT_NEAR(sum, 0, 1e-6);
    EXPECT_NEAR(squares, 3, 1e-6);
  }
}

TEST(Geometry, ConstantColumnsBecomeZeroAndAreCounted) {
  const std::vector<float> z = {7, 1, 7, 2, 7, 4};
  const Standardised made = standardise({z.data(), 3, 2});
  EXPECT_EQ(made.zero_var_dims, 1);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(made.values[row * 2], 0);
}

TEST(Geometry, FewCellsAreAllUsedAndManyAreASortedDraw) {
  EXPECT_EQ(used_cells(3, 3, 0, "x"), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(used_cells(3, 0, 0, "x").size(), 3u);
  const std::vector<std::int64_t> drawn = used_cells(1000, 100, 0, "x");
  EXPECT_EQ(drawn.size(), 100u);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::set<std::int64_t>(drawn.begin(), drawn.end()).size(), 100u);
  EXPECT_EQ(used_cells(1000, 100, 0, "x"), drawn);
  EXPECT_NE(used_cells(1000, 100, 1, "x"), drawn);
  EXPECT_NE(used_cells(1000, 100, 0, "y"), drawn);
}

TEST(Geometry, AllProbesFillAllColumns) {
  auto sample = make_sample(330, 6, 1);
  const GeometryValues found = measure_geometry(sample.input());
  std::size_t n_columns = 0;
  for (const ProbeRecord* record : probes()) n_columns += record->columns.size();
  EXPECT_EQ(found.values.size(), n_columns);
  EXPECT_EQ(found.failure, "");
  for (const ProbeValue& value : found.values) {
    EXPECT_FALSE(std::holds_alternative<std::monostate>(value));
    const double* const number = std::get_if<double>(&value);
    EXPECT_TRUE(!number || std::isfinite(*number));
  }
  EXPECT_EQ(
      found.notes,
      "pr=exact_covariance_frobenius;aniso_pairs=within=celltype_balanced;between=celltype_balanced;n_celltypes=3;"
      "aniso_spec=exact_svd_top1;twonn_knn=exact;rnx:batch_key=batch_id;n_genes=40;eligible_batches=2/2;"
      "eligible_cells=330");
}

TEST(Geometry, RnxFailingAloneLeavesTheRowComplete) {
  auto sample = make_sample(330, 6, 2);
  GeometryInput input = sample.input();
  input.n_genes = 2000;
  const GeometryValues found = measure_geometry(input);
  EXPECT_EQ(found.failure, "");
  EXPECT_TRUE(found.notes.ends_with(";rnx_failed=ValueError:only 60 eligible genes remain, requested 2000"))
      << found.notes;
  EXPECT_TRUE(found.batches.empty());
  EXPECT_EQ(std::count(found.values.begin(), found.values.end(), ProbeValue{}), 7);
}

TEST(Geometry, FailuresNameTheirKindOnOneLineWithoutSemicolons) {
  EXPECT_EQ(failure_text(DataError("a; b\nc")), "ValueError:a, b c");
  EXPECT_EQ(failure_text(UsageError("x")), "ValueError:x");
  EXPECT_EQ(failure_text(InternalError("x")), "RuntimeError:x");
  EXPECT_EQ(failure_text(std::runtime_error("x")), "RuntimeError:x");
}

TEST(Geometry, TheSameValuesForAnyNumberOfWorkers) {
  auto sample = make_sample(700, 40, 3);
  set_workers(1);
  const GeometryValues one = measure_geometry(sample.input());
  set_workers(3);
  const GeometryValues three = measure_geometry(sample.input());
  set_workers(0);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.notes, three.notes);
}

}  // namespace
}  // namespace scvet::metrics
