// Probe after probe against a direct computation and against embeddings whose value is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry_sample.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/pivoted_qr.h"
#include "scvet/numeric/principal_components.h"

namespace scvet::metrics {
namespace {

using testing::count;
using testing::GeometrySample;
using testing::make_sample;
using testing::normal_draw;
using testing::real;
using testing::run;
using testing::text;

GeometrySample normal_sample(std::int64_t n, std::int64_t d, std::uint64_t seed) {
  GeometrySample made;
  made.n = n;
  made.d = d;
  Stream stream(seed);
  for (std::int64_t at = 0; at < n * d; ++at) made.z.push_back(static_cast<float>(normal_draw(stream)));
  return made;
}

TEST(ParticipationRatio, CopiesOfOneDirectionCountOnce) {
  auto sample = normal_sample(50, 1, 1);
  GeometrySample copies;
  copies.n = 50;
  copies.d = 4;
  for (const float value : sample.z)
    for (const float factor : {1.0f, -2.0f, 5.0f, 0.1f}) copies.z.push_back(value * factor);
  const ProbeOutput output = run("pr", copies.input());
  EXPECT_NEAR(real(output, 0), 1, 1e-5);
  EXPECT_NEAR(real(output, 1), 0.25, 1e-5);
}

TEST(ParticipationRatio, ConstantDimensionsCountInTheShareAlone) {
  GeometrySample sample;
  sample.n = 4;
  sample.d = 3;
  sample.z = {1, 1, 9, 1, -1, 9, -1, 1, 9, -1, -1, 9};  // two uncorrelated columns and a constant one
  const ProbeOutput output = run("pr", sample.input());
  EXPECT_NEAR(real(output, 0), 2, 1e-6);
  EXPECT_NEAR(real(output, 1), 2.0 / 3, 1e-6);
}

TEST(ParticipationRatio, IsTheSquaredTraceOverTheSquaresOfTheCovariance) {
  auto sample = make_sample(120, 7, 5);
  const GeometryInput input = sample.input();
  double trace = 0, squares = 0;
  for (std::int64_t left = 0; left < 7; ++left)
    for (std::int64_t right = 0; right < 7; ++right) {
      double sum = 0;
      for (std::int64_t row = 0; row < 120; ++row)
        sum += double{input.standard(row, left)} * double{input.standard(row, right)} / 120;
      squares += sum * sum;
      if (left == right) trace += sum;
    }
  EXPECT_NEAR(real(run("pr", input), 0), trace * trace / squares, 1e-6);
}

TEST(ParticipationRatio, BeyondTheExactLimitTheEstimateIsNear) {
  auto sample = normal_sample(40, 1601, 2);
  const GeometryInput input = sample.input();
  const ProbeOutput output = run("pr", input);
  EXPECT_EQ(output.note, "pr=hutchinson_frobenius_q128");
  // The squares of the covariance are those of the products of rows.
  double squares = 0;
  for (std::int64_t left = 0; left < 40; ++left)
    for (std::int64_t right = 0; right < 40; ++right) {
      double sum = 0;
      for (std::int64_t col = 0; col < 1601; ++col)
        sum += double{input.standard(left, col)} * double{input.standard(right, col)};
      squares += sum / 40 * (sum / 40);
    }
  const double exact = 1601.0 * 1601.0 / squares;
  EXPECT_NEAR(real(output, 0), exact, 0.08 * exact);
  EXPECT_NE(real(output, 0), exact);
  GeometryInput other = input;
  other.seed = 1;
  EXPECT_NE(real(run("pr", other), 0), real(output, 0));
}

TEST(ParticipationRatio, WithoutVarianceIsZeroAndWithoutCellsUndefined) {
  GeometrySample sample;
  sample.n = 3;
  sample.d = 2;
  sample.z = {1, 2, 1, 2, 1, 2};
  EXPECT_EQ(real(run("pr", sample.input()), 0), 0);
  EXPECT_EQ(run("pr", sample.input()).note, "pr=zero_trace");
  sample.n = 1;
  EXPECT_EQ(run("pr", sample.input()).note, "pr=insufficient_data");
  EXPECT_TRUE(run("pr", sample.input()).values.empty());
}

TEST(AnisotropySpectrum, OneDirectionIsOne) {
  GeometrySample sample;
  sample.n = 3;
  sample.d = 2;
  sample.z = {1, 2, 2, 4, -3, -6};
  const ProbeOutput output = run("aniso_spec", sample.input());
  EXPECT_NEAR(real(output, 0), 1, 1e-12);
  EXPECT_EQ(output.note, "aniso_spec=exact_svd_top1");
}

TEST(AnisotropySpectrum, IsTheFirstEigenvalueOverTheirSum) {
  for (const auto& [n, d] : {std::pair<std::int64_t, std::int64_t>{300, 12}, {20, 33}}) {
    auto sample = make_sample(n, d, 9);
    std::vector<double> products(static_cast<std::size_t>(d * d), 0.0);
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t left = 0; left < d; ++left)
        for (std::int64_t right = 0; right < d; ++right)
          products[static_cast<std::size_t>(left * d + right)] +=
              double{sample.z[static_cast<std::size_t>(row * d + left)]} *
              double{sample.z[static_cast<std::size_t>(row * d + right)]};
    const std::vector<double> values = numeric::symmetric_eigen({products.data(), d, d}).values;
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    EXPECT_NEAR(real(run("aniso_spec", sample.input()), 0), values.front() / sum, 1e-10);
  }
}

TEST(AnisotropySpectrum, BeyondTheSizeOfProductsItIsThatOfTheRows) {
  constexpr std::int64_t kCells = 12, kDims = 1601;
  auto sample = make_sample(kCells, kDims, 9);
  std::vector<double> products(kCells * kCells, 0.0);
  for (std::int64_t left = 0; left < kCells; ++left)
    for (std::int64_t right = 0; right < kCells; ++right)
      for (std::int64_t col = 0; col < kDims; ++col)
        products[static_cast<std::size_t>(left * kCells + right)] +=
            double{sample.z[static_cast<std::size_t>(left * kDims + col)]} *
            double{sample.z[static_cast<std::size_t>(right * kDims + col)]};
  const std::vector<double> values = numeric::symmetric_eigen({products.data(), kCells, kCells}).values;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  EXPECT_NEAR(real(run("aniso_spec", sample.input()), 0), values.front() / sum, 1e-10);
}

TEST(AnisotropySpectrum, WithoutEnergyOrCellsIsUndefined) {
  GeometrySample sample;
  sample.n = 2;
  sample.d = 2;
  sample.z = {0, 0, 0, 0};
  EXPECT_EQ(run("aniso_spec", sample.input()).note, "aniso_spec=nonpositive_total_energy");
  sample.n = 1;
  EXPECT_EQ(run("aniso_spec", sample.input()).note, "aniso_spec=insufficient_cells");
}

TEST(AnisotropyCosine, LabelsAtRightAnglesHaveAGapOfOne) {
  GeometrySample sample;
  sample.n = 40;
  sample.d = 2;
  std::vector<std::string> labels;
  for (int cell = 0; cell < 40; ++cell) {
    const bool first = cell % 2 == 0;
    sample.z.push_back(first ? 2.0f : 0.0f);
    sample.z.push_back(first ? 0.0f : 0.5f);
    labels.push_back(first ? "a" : "b");
  }
  sample.labels = make_groups(labels);
  const ProbeOutput output = run("aniso_cos", sample.input());
  EXPECT_NEAR(real(output, 0), 19.0 / 39, 0.01);
  EXPECT_EQ(real(output, 1), 1);
  EXPECT_EQ(real(output, 2), 0);
  EXPECT_EQ(real(output, 3), 1);
  for (std::size_t at = 4; at < 7; ++at) EXPECT_EQ(count(output, at), 100000);
}

TEST(AnisotropyCosine, ZeroRowsAreSkippedAndCounted) {
  GeometrySample sample;
  sample.n = 10;
  sample.d = 1;
  sample.z = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  sample.labels = make_groups(std::vector<std::string>(10, "a"));
  const ProbeOutput output = run("aniso_cos", sample.input());
  EXPECT_EQ(real(output, 0), 1);
  EXPECT_NEAR(static_cast<double>(count(output, 4)), 80000, 1000);
}

TEST(AnisotropyCosine, LabelsThatAreNoNamesAreLeftOut) {
  auto sample = make_sample(60, 3, 4);
  std::vector<std::string> labels(60, "a");
  for (std::size_t cell = 0; cell < 20; ++cell) labels[cell] = cell % 2 ? "NaN" : "nan";
  for (std::size_t cell = 20; cell < 40; ++cell) labels[cell] = "";
  sample.labels = make_groups(string_column("labels", labels));
  const ProbeOutput output = run("aniso_cos", sample.input());
  EXPECT_EQ(output.note, "aniso_pairs=within=celltype_balanced;between=fewer_than_two_celltypes;n_celltypes=1");
  EXPECT_TRUE(std::isnan(real(output, 2)));
  EXPECT_TRUE(std::isnan(real(output, 3)));
  EXPECT_EQ(count(output, 6), 0);
}

TEST(AnisotropyCosine, WithoutLabelsTheMixedPairsStayTheSame) {
  auto sample = make_sample(60, 3, 4);
  GeometryInput input = sample.input();
  const double with = real(run("aniso_cos", input), 0);
  input.labels = nullptr;
  const ProbeOutput output = run("aniso_cos", input);
  EXPECT_EQ(real(output, 0), with);
  EXPECT_EQ(output.note, "aniso_pairs=missing_cell_type");
  std::vector<std::string> single;
  for (int cell = 0; cell < 60; ++cell) single.push_back("label" + std::to_string(cell));
  sample.labels = make_groups(single);
  EXPECT_EQ(run("aniso_cos", sample.input()).note,
            "aniso_pairs=within=no_celltype_with_at_least_two_cells;between=celltype_balanced;n_celltypes=60");
}

// The estimate by a loop over all pairs.
std::pair<double, std::int64_t> naive_twonn(MatrixView<const float> x) {
  double sum = 0;
  std::int64_t used = 0;
  for (std::int64_t cell = 0; cell < x.rows; ++cell) {
    std::vector<double> distances;
    for (std::int64_t other = 0; other < x.rows; ++other) {
      if (other == cell) continue;
      double squares = 0;
      for (std::int64_t col = 0; col < x.cols; ++col)
        squares += std::pow(double{x(cell, col)} - double{x(other, col)}, 2);
      distances.push_back(std::sqrt(squares));
    }
    std::sort(distances.begin(), distances.end());
    if (!(distances[0] > 0 && distances[1] > distances[0])) continue;
    sum += std::log(distances[1] / distances[0]);
    ++used;
  }
  return {static_cast<double>(used) / sum, used};
}

TEST(TwoNearest, IsTheEstimateOfAllPairsAndSkipsDuplicates) {
  auto sample = make_sample(200, 5, 6);
  std::copy_n(sample.z.begin(), 50, sample.z.begin() + 500);  // 10 cells twice
  const GeometryInput input = sample.input();
  const ProbeOutput output = run("id_twonn", input);
  const auto [raw, raw_cells] = naive_twonn(input.z);
  const auto [standard, standard_cells] = naive_twonn(input.standard);
  EXPECT_NEAR(real(output, 0), raw, 1e-9 * raw);
  EXPECT_EQ(count(output, 1), raw_cells);
  EXPECT_LE(raw_cells, 180);  // nor do cells count whose two nearest are such copies
  EXPECT_NEAR(real(output, 2), standard, 1e-9 * standard);
  EXPECT_EQ(count(output, 3), standard_cells);
}

TEST(TwoNearest, FindsThePlaneInASpaceOfMoreDimensions) {
  Stream stream(3);
  GeometrySample sample;
  sample.n = 1500;
  sample.d = 6;
  for (std::int64_t cell = 0; cell < sample.n; ++cell) {
    const double a = stream.unit(), b = stream.unit();
    for (const double value : {a, b, a + b, a - b, 2 * a, 0.0}) sample.z.push_back(static_cast<float>(value));
  }
  EXPECT_NEAR(real(run("id_twonn", sample.input()), 0), 2, 0.15);
}

TEST(TwoNearest, FewCellsAreUndefined) {
  auto sample = normal_sample(9, 2, 1);
  EXPECT_TRUE(std::isnan(real(run("id_twonn", sample.input()), 0)));
  EXPECT_EQ(count(run("id_twonn", sample.input()), 1), 9);
  sample.n = 2;
  EXPECT_EQ(run("id_twonn", sample.input()).note, "twonn_knn=insufficient_cells");
}

// Partial eta squared from whole designs, a row a cell.
double naive_eta2(const GeometryInput& input, bool of_labels) {
  const auto n = input.standard.rows;
  const auto residuals = [&](bool labels, bool batches) {
    const std::int64_t n_cols = 1 + (labels ? 2 : 0) + (batches ? 1 : 0);
    std::vector<double> design, y;
    for (std::int64_t cell = 0; cell < n; ++cell) {
      const auto label = input.labels->of_cell[static_cast<std::size_t>(cell)];
      const auto batch = input.batches->of_cell[static_cast<std::size_t>(cell)];
      design.push_back(1);
      if (labels) design.insert(design.end(), {label == 1 ? 1.0 : 0.0, label == 2 ? 1.0 : 0.0});
      if (batches) design.push_back(batch == 1 ? 1 : 0);
      for (const float value : input.standard.row_span(cell)) y.push_back(double{value});
    }
    return numeric::PivotedQr({design.data(), n, n_cols}, 1e-12).residual_squares({y.data(), n, input.standard.cols});
  };
  const auto full = residuals(true, true), without = residuals(!of_labels, of_labels);
  double sum = 0;
  for (std::size_t col = 0; col < full.size(); ++col) sum += (without[col] - full[col]) / without[col];
  return sum / static_cast<double>(full.size());
}

TEST(PartialEta2, IsThatOfTheWholeDesign) {
  auto sample = make_sample(150, 70, 8);
  const GeometryInput input = sample.input();
  const ProbeOutput output = run("partial_eta2", input);
  EXPECT_NEAR(real(output, 0), naive_eta2(input, true), 1e-12);
  EXPECT_NEAR(real(output, 1), naive_eta2(input, false), 1e-12);
  EXPECT_EQ(count(output, 2), 70);
  EXPECT_EQ(text(output, 3), "n_labeled=150;n_celltypes=3;n_batches=2");
}

TEST(PartialEta2, UnlabelledCellsAndConstantDimensionsAreLeftOut) {
  auto sample = make_sample(100, 4, 8);
  for (std::size_t cell = 0; cell < 100; ++cell) sample.z[cell * 4 + 3] = 1;
  for (std::size_t cell = 0; cell < 30; ++cell) sample.labels.of_cell[cell] = -1;
  const ProbeOutput output = run("partial_eta2", sample.input());
  EXPECT_EQ(count(output, 2), 3);
  EXPECT_TRUE(text(output, 3).starts_with("n_labeled=70;"));
}

TEST(PartialEta2, AnEffectThatTheOtherContainsIsUndefined) {
  auto sample = make_sample(100, 4, 8);
  std::vector<std::string> batches;  // labels 1 and 2 share a batch: batch says nothing beyond the label
  for (const std::int32_t label : sample.labels.of_cell) batches.push_back(label == 0 ? "one" : "two");
  sample.batches = make_groups(batches);
  const ProbeOutput output = run("partial_eta2", sample.input());
  EXPECT_TRUE(std::isnan(real(output, 1)));
  EXPECT_GT(real(output, 0), 0);  // one of its two degrees of freedom is left
  EXPECT_EQ(text(output, 3), "n_labeled=100;n_celltypes=3;n_batches=2;partially_aliased_effects");
}

TEST(PartialEta2, WithoutBatchesOnlyCellTypeIsMeasured) {
  auto sample = make_sample(100, 4, 8);
  GeometryInput input = sample.input();
  input.batches = nullptr;
  const ProbeOutput output = run("partial_eta2", input);
  EXPECT_TRUE(std::isnan(real(output, 1)));
  EXPECT_EQ(text(output, 3), "n_labeled=100;n_celltypes=3;n_batches=1;batch_effect_not_available");
}

TEST(PartialEta2, SaysWhyItIsUndefined) {
  auto sample = make_sample(100, 4, 8);
  GeometryInput input = sample.input();
  input.labels = nullptr;
  EXPECT_EQ(text(run("partial_eta2", input), 3), "missing_cell_type");
  for (std::size_t cell = 9; cell < 100; ++cell) sample.labels.of_cell[cell] = -1;
  EXPECT_EQ(text(run("partial_eta2", sample.input()), 3), "insufficient_labeled_cells");
  std::vector<std::string> own;
  for (int cell = 0; cell < 100; ++cell) own.push_back("label" + std::to_string(cell));
  sample.labels = make_groups(own);
  EXPECT_EQ(text(run("partial_eta2", sample.input()), 3), "no_residual_df");
}

}  // namespace
}  // namespace scvet::metrics
