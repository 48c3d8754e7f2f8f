#include "scvet/trial/self_test.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/matrix_view.h"
#include "scvet/numeric/exact_log.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/numeric/ridge.h"
#include "scvet/trial/mlp.h"

namespace scvet::trial {
namespace {

constexpr std::int64_t kRows = 70, kTrain = 60, kFeatures = 5, kWide = 70;
constexpr std::array kAlphas{1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0};

void add(Sha256& hash, std::span<const double> values) {
  for (const double value : values) {  // little-endian whatever the machine
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    std::array<std::byte, 8> bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<std::byte>(bits >> (8 * at));
    hash.update(bytes);
  }
}

}  // namespace

std::string golden_hash() {
  numeric::Mt19937 stream(1);
  std::vector<double> drawn(1000), logs;
  for (double& value : drawn) value = stream.randn();
  for (const double value : drawn) logs.push_back(numeric::exact_log1p(std::abs(value)));

  const MatrixView<const double> narrow(drawn.data(), kRows, kFeatures);
  std::vector<double> residual, wide;
  std::vector<std::int32_t> fold;
  std::vector<std::uint8_t> is_train;
  for (std::int64_t row = 0; row < kRows; ++row) {
    residual.push_back(0.1 * drawn[static_cast<std::size_t>(kRows * kFeatures + row)] + 0.5 * narrow(row, 0));
    fold.push_back(row < kTrain ? static_cast<std::int32_t>(row % 5) : -1);
    is_train.push_back(row < kTrain);
    for (std::int64_t col = 0; col < kWide; ++col)
      wide.push_back(narrow(row, col % kFeatures) * (1 + 0.01 * static_cast<double>(col)));
  }
  const MlpResult network = train_mlp(narrow, residual, is_train, 1, {});

  Sha256 hash;
  add(hash, drawn);
  add(hash, logs);
  add(hash, std::vector<double>(network.output.begin(), network.output.end()));
  add(hash, numeric::ridge_cv(narrow, residual, fold, kAlphas).predictions);
  add(hash, numeric::ridge_cv({wide.data(), kRows, kWide}, residual, fold, kAlphas).predictions);
  return hash.finish();
}

const std::string& numerics_id() {
  static const std::string id = "trial-numerics-1:" + golden_hash();
  return id;
}

void require_golden() {
  const std::string expected = std::string("trial-numerics-1:") + kGoldenHash;
  if (numerics_id() == expected) return;
  throw LockError("the self-test of the trial's arithmetic failed: expected " + expected + ", found " + numerics_id() +
                      "; this build does not compute what other machines do: build it without -ffast-math and with "
                      "-ffp-contract=off (reason=numerics_differ)",
                  {.reason = "numerics_differ"});
}

}  // namespace scvet::trial
