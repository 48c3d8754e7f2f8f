// Features, labels and digests of real h5ad screens against published values.
#include "scvet/trial/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "npy.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/trial/digests.h"
#include "scvet/trial/label_audits.h"
#include "trial_inputs.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const std::string kTrial = SCVET_REFERENCE_DIR "/trial";

// Rows of a tab-separated table as name -> field, by the first column.
std::map<std::string, std::map<std::string, std::string>> read_rows(const std::string& path) {
  std::map<std::string, std::map<std::string, std::string>> rows;
  std::vector<std::string> header;
  for (const std::string& line : split(read_file(path), '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (header.empty()) {
      header = fields;
      continue;
    }
    for (std::size_t at = 0; at < fields.size(); ++at) rows[fields[0]][header[at]] = fields[at];
  }
  return rows;
}

void expect_near(double found, double expected, double tolerance, const std::string& what) {
  EXPECT_LE(std::abs(found - expected), tolerance * std::max(1.0, std::abs(expected))) << what;
}

void expect_near(std::span<const double> found, const std::string& npy, double tolerance) {
  const auto expected = testing::read_npy(npy);
  ASSERT_EQ(found.size(), expected.values.size()) << npy;
  for (std::size_t at = 0; at < found.size(); ++at)
    ASSERT_LE(std::abs(found[at] - expected.values[at]), tolerance * std::max(1.0, std::abs(expected.values[at])))
        << npy << " at " << at;
}

class TrialScreen : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kTrial)) GTEST_SKIP() << "no reference vectors at " << kTrial;
  }
};

TEST_F(TrialScreen, SyntheticScreenGivesThePublishedLabelsAndFeatures) {
  const std::string path = kTrial + "/synth/perturb.h5ad";
  TrialScreenFile screen = open_screen({.path = path});
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design, {}, path);
  const auto expected = read_rows(kTrial + "/synth/rows.tsv");
  ASSERT_EQ(scan.eligible.size(), expected.size());
  for (const std::int64_t row : scan.eligible) {
    const std::string& id = screen.design.rows[static_cast<std::size_t>(row)].id;
    const trial::ScreenRow& found = scan.rows[static_cast<std::size_t>(row)];
    const auto& fields = expected.at(id);
    EXPECT_EQ(std::to_string(found.n_finite), fields.at("n_finite")) << id;
    expect_near(found.y, std::stod(fields.at("y")), 1e-12, id + " y");
    expect_near(found.d15, std::stod(fields.at("y_d15")), 1e-12, id + " y_d15");
  }
  expect_near(scan.x_delta, kTrial + "/synth/x_delta.npy", 1e-12);
  const auto n_rows = static_cast<std::int64_t>(scan.eligible.size());
  expect_near(trial::make_features(scan.x_delta, n_rows, scan.n_genes).mag, kTrial + "/synth/mag.npy", 1e-12);
}

TEST_F(TrialScreen, LabelsAtEqualAndWithoutCellNumbersAreThePublishedOnes) {
  const std::string path = kTrial + "/synth/perturb.h5ad";
  TrialScreenFile screen = open_screen({.path = path});
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design, {}, path);
  const trial::LabelAudits audits = trial::scan_label_audits(*screen.counts, screen.design, scan.eligible, {}, path);
  const auto expected = read_rows(kTrial + "/synth/rows.tsv");
  ASSERT_EQ(audits.y_equal.size(), expected.size());
  for (std::size_t at = 0; at < scan.eligible.size(); ++at) {
    const auto row = static_cast<std::size_t>(scan.eligible[at]);
    const auto& fields = expected.at(screen.design.rows[row].id);
    expect_near(audits.y_equal[at], std::stod(fields.at("y_equal_n")), 1e-12, "y_equal_n");
    expect_near(audits.y_free[at], std::stod(fields.at("y_n_free")), 1e-12, "y_n_free");
    EXPECT_EQ(audits.y[at], scan.rows[row].y);
    EXPECT_EQ(audits.d15[at], scan.rows[row].d15);
  }
  EXPECT_EQ(audits.counts_digest, scan.counts_digest);
  const trial::SplitHalf halves = trial::split_half(audits);
  EXPECT_EQ(halves.replicates, 5);
  EXPECT_GT(halves.r, 0.5);
  EXPECT_LT(halves.r, 1);
  // Controls against controls: next to no effect, and real rows mostly above it.
  ASSERT_EQ(audits.null_matched.size(), 200u);
  const double null_mean = std::accumulate(audits.null_matched.begin(), audits.null_matched.end(), 0.0) / 200;
  const double real_mean =
      std::accumulate(audits.y.begin(), audits.y.end(), 0.0) / static_cast<double>(audits.y.size());
  EXPECT_LT(null_mean, 0.5 * real_mean);
}

TEST_F(TrialScreen, EmbeddingDeltasAreThePublishedOnes) {
  const std::string path = kTrial + "/synth/perturb.h5ad";
  TrialScreenFile screen = open_screen({.path = path});
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design, {.labels = false}, path);
  for (const std::string key : {"strong", "partial", "no", "invalid", "count_leak"}) {
    const TrialEmbeddingPass pass =
        read_trial_embedding({.obsm = "X_" + key}, path, screen.design, scan.eligible, scan.record_hash);
    expect_near(pass.z, kTrial + "/synth/z_" + key + ".npy", 1e-12);
  }
}

TEST_F(TrialScreen, LockedExampleHasTheSameDigestsAndBits) {
  const std::string path = kTrial + "/lock/input/counts.h5ad", locked = kTrial + "/lock/locked/";
  TrialScreenFile screen = open_screen({.path = path});
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design, {}, path);
  const json data = json::parse(read_file(locked + "data.json")),
             manifest = json::parse(read_file(locked + "manifest.json"));
  const json digests = json::parse(read_file(kTrial + "/lock/digests.json"));
  EXPECT_EQ(screen.design.digest, data.at("design_digest"));
  EXPECT_EQ(scan.counts_digest, data.at("counts_digest"));
  EXPECT_EQ(scan.gene_list_sha256, digests.at("gene_list_sha256"));
  EXPECT_EQ(json(scan.cell_sketch), json::parse(read_file(kTrial + "/lock/mirror.json")).at("cell_sketch"));
  const trial::Features features =
      trial::make_features(scan.x_delta, static_cast<std::int64_t>(scan.eligible.size()), scan.n_genes);
  EXPECT_EQ(trial::array_sha256(scan.x_delta), manifest["arrays"]["x_delta"]);
  EXPECT_EQ(trial::array_sha256(features.x_unit_delta), manifest["arrays"]["x_unit_delta"]);
  EXPECT_EQ(trial::array_sha256(features.mag), manifest["arrays"]["mag"]);
  for (std::size_t row = 0; row < 4; ++row) {
    const std::string hex = digests["y_hex_first4"][row];
    EXPECT_EQ(scan.rows[static_cast<std::size_t>(scan.eligible[row])].y, std::strtod(hex.c_str(), nullptr));
  }
  const json arm = json::parse(read_file(locked + "arms/demo/arm.json"));
  const TrialEmbeddingPass pass =
      read_trial_embedding({.obsm = "X_demo"}, path, screen.design, scan.eligible, scan.record_hash);
  EXPECT_EQ(pass.digest, arm.at("embedding_digest"));
  EXPECT_EQ(trial::array_sha256(pass.z), arm.at("z_sha256"));
}

TEST_F(TrialScreen, RealCountsGiveThePublishedLabels) {
  const std::string path = kTrial + "/real/thp1_eccite_290genes.h5ad";
  TrialScreenFile screen = open_screen({.path = path, .batch_key = "bio_rep"});
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design, {}, path);
  const auto expected = read_rows(kTrial + "/real/expected_rows.tsv");
  ASSERT_EQ(scan.eligible.size(), expected.size());
  const trial::Features features =
      trial::make_features(scan.x_delta, static_cast<std::int64_t>(scan.eligible.size()), scan.n_genes);
  for (std::size_t at = 0; at < scan.eligible.size(); ++at) {
    const trial::DesignRow& row = screen.design.rows[static_cast<std::size_t>(scan.eligible[at])];
    const auto& fields = expected.at(row.id);
    expect_near(scan.rows[static_cast<std::size_t>(scan.eligible[at])].y, std::stod(fields.at("y")), 1e-12, row.id);
    expect_near(features.mag[at * 4], std::stod(fields.at("mag_mean")), 1e-12, row.id);
    expect_near(features.mag[at * 4 + 1], std::stod(fields.at("mag_l2")), 1e-12, row.id);
    expect_near(features.mag[at * 4 + 2], std::stod(fields.at("mag_max")), 1e-12, row.id);
    expect_near(features.mag[at * 4 + 3], std::stod(fields.at("mag_std")), 1e-12, row.id);
  }
}

TEST_F(TrialScreen, AnyMemoryAndAnyNumberOfThreadsGiveTheSameBits) {
  const std::string path = kTrial + "/synth/perturb.h5ad";
  std::vector<trial::Screen> scans;
  for (const auto& [memory, threads] :
       {std::pair<std::int64_t, int>{std::int64_t{1} << 30, 1}, {1 << 19, 2}, {1 << 18, 1}}) {
    set_workers(threads);
    TrialScreenFile screen = open_screen({.path = path});
    scans.push_back(trial::scan_screen(*screen.counts, screen.design, {.memory_bytes = memory}, path));
  }
  set_workers(0);
  for (const trial::Screen& scan : scans) {
    EXPECT_EQ(scan.x_delta, scans[0].x_delta);
    EXPECT_EQ(scan.counts_digest, scans[0].counts_digest);
    for (std::size_t row = 0; row < scan.rows.size(); ++row) {
      if (!scan.rows[row].eligible) continue;
      EXPECT_EQ(scan.rows[row].y, scans[0].rows[row].y);
      EXPECT_EQ(scan.rows[row].d15, scans[0].rows[row].d15);
    }
  }
}

TEST_F(TrialScreen, ScreenOfLogValuesIsRefusedOnceItsColumnsAreNamed) {
  const std::string path = SCVET_REAL_DIR "/perturbench_devel_norman_mcfaline.h5ad";
  if (!fs::exists(path)) GTEST_SKIP() << "no real files at " << path;
  try {
    open_screen({.path = path});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "column_missing");
  }
  try {
    TrialScreenFile screen = open_screen({.path = path,
                                          .row_key = "condition",
                                          .target_key = "condition",
                                          .batch_key = "none",
                                          .control_label = "control"});
    trial::scan_screen(*screen.counts, screen.design, {}, path);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "not_counts") << error.what();
  }
}

}  // namespace
}  // namespace scvet::jobs
