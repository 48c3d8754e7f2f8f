#include "scvet/trial/mlp.h"

#include <algorithm>
#include <cmath>

#include "mlp_network.h"
#include "scvet/base/error.h"

namespace scvet::trial {
namespace {

// A matrix of a batch. Padded columns are 0 and stay so.
struct BatchRows {
  std::int64_t stride;
  AlignedBuffer<float> values;
  BatchRows(std::int64_t rows, std::int64_t cols) : stride(padded_row(cols)), values(rows * stride) {}
  float* data() { return values.data(); }
  float* row(std::int64_t at) { return values.data() + at * stride; }
};

// Whether an element outlives dropout, from two words of the stream: 53 of their bits, as a number in [0, 1), below the
// chance to be kept. Compared as integers, which is the same.
class Keep {
 public:
  explicit Keep(double chance)
      : limit_(static_cast<std::uint64_t>(std::ceil(chance * 0x1p53))), factor_(1.0f / static_cast<float>(chance)) {}
  // A factor an element, row-major from the stream: 1 / chance, or 0.
  void draw(numeric::Mt19937& stream, std::int64_t n_rows, std::int64_t n, BatchRows& factors) {
    words_.resize(static_cast<std::size_t>(2 * n));
    for (std::int64_t row = 0; row < n_rows; ++row) {
      stream.fill(words_);
      const std::uint32_t* const words = words_.data();
      float* const to = factors.row(row);
      for (std::int64_t at = 0; at < n; ++at) {
        const std::uint64_t high = words[2 * at] & 0x1FFFFFu;
        to[at] = (high << 32 | words[2 * at + 1]) < limit_ ? factor_ : 0.0f;
      }
    }
  }

 private:
  std::uint64_t limit_;
  float factor_;
  std::vector<std::uint32_t> words_;
};

class Training {
 public:
  Training(std::int64_t n_features, std::uint32_t seed, const MlpSettings& settings, const MlpKernel& kernel)
      : settings_(settings),
        n1_(settings.hidden1),
        n2_(settings.hidden2),
        stream_(seed),
        first_(n_features, n1_, kernel, stream_),
        second_(n1_, n2_, kernel, stream_),
        third_(n2_, 1, kernel, stream_),
        keep_(1 - settings.dropout),
        in_(batch_rows(), n_features),
        a1_(batch_rows(), n1_),
        a2_(batch_rows(), n2_),
        keep1_(batch_rows(), n1_),
        keep2_(batch_rows(), n2_),
        grad1_(batch_rows(), n1_),
        grad2_(batch_rows(), n2_),
        grad3_(batch_rows(), 1),
        out_(static_cast<std::size_t>(batch_rows())) {}

  // Mean squared error of one pass over the train rows.
  double run_epoch(MatrixView<const float> x, std::span<const float> y) {
    const std::vector<std::uint32_t> order = stream_.torch_permutation(static_cast<std::uint32_t>(y.size()));
    double loss = 0;
    for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(settings_.batch)) {
      const std::size_t n_rows = std::min(static_cast<std::size_t>(settings_.batch), order.size() - first);
      const std::span<const std::uint32_t> rows = std::span(order).subspan(first, n_rows);
      for (std::size_t at = 0; at < n_rows; ++at)
        std::copy_n(x.row(rows[at]), x.cols, in_.row(static_cast<std::int64_t>(at)));
      learn(y, rows, loss);
    }
    return loss / static_cast<double>(y.size());
  }

  // Without dropout.
  std::vector<float> evaluate(MatrixView<const double> x) {
    std::vector<float> output;
    for (std::int64_t first = 0; first < x.rows; first += settings_.batch) {
      const std::int64_t n_rows = std::min<std::int64_t>(settings_.batch, x.rows - first);
      for (std::int64_t row = 0; row < n_rows; ++row)
        for (std::int64_t col = 0; col < x.cols; ++col) in_.row(row)[col] = static_cast<float>(x(first + row, col));
      forward(n_rows, false);
      output.insert(output.end(), out_.begin(), out_.begin() + n_rows);
    }
    return output;
  }

 private:
  std::int64_t batch_rows() const { return (settings_.batch + 15) / 16 * 16; }  // whole tiles of every kernel

  // values = relu(values + bias) * keep
  static void activate(std::int64_t n_rows, std::int64_t n, const float* bias, BatchRows& values, BatchRows* keep) {
    for (std::int64_t row = 0; row < n_rows; ++row) {
      float* const own = values.row(row);
      for (std::int64_t at = 0; at < n; ++at) {
        const float sum = own[at] + bias[at];
        own[at] = sum > 0 ? sum : 0.0f;
      }
      if (!keep) continue;
      const float* const factor = keep->row(row);
      for (std::int64_t at = 0; at < n; ++at) own[at] *= factor[at];
    }
  }

  void forward(std::int64_t n_rows, bool training) {
    first_.forward(n_rows, in_.data(), in_.stride, a1_.data(), a1_.stride);
    if (training) keep_.draw(stream_, n_rows, n1_, keep1_);
    activate(n_rows, n1_, first_.bias(), a1_, training ? &keep1_ : nullptr);
    second_.forward(n_rows, a1_.data(), a1_.stride, a2_.data(), a2_.stride);
    if (training) keep_.draw(stream_, n_rows, n2_, keep2_);
    activate(n_rows, n2_, second_.bias(), a2_, training ? &keep2_ : nullptr);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      const float* const own = a2_.row(row);
      float sum = 0;
      for (std::int64_t at = 0; at < n2_; ++at) sum += own[at] * third_.weight(at, 0);
      out_[static_cast<std::size_t>(row)] = sum + third_.bias()[0];
    }
  }

  // One batch, which lies in in_; adds its squared errors to loss, one at a time.
  void learn(std::span<const float> y, std::span<const std::uint32_t> rows, double& loss) {
    const std::int64_t n_rows = std::ssize(rows);
    forward(n_rows, true);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      const float error = out_[static_cast<std::size_t>(row)] - y[rows[static_cast<std::size_t>(row)]];
      loss += static_cast<double>(error) * static_cast<double>(error);
      grad3_.row(row)[0] = (2 * error) / static_cast<float>(n_rows);
    }
    for (std::int64_t row = 0; row < n_rows; ++row) {
      const float *const active = a2_.row(row), *const keep = keep2_.row(row), reaching = grad3_.row(row)[0];
      float* const grad = grad2_.row(row);
      for (std::int64_t at = 0; at < n2_; ++at)
        grad[at] = active[at] > 0 ? (reaching * third_.weight(at, 0)) * keep[at] : 0.0f;
    }
    second_.backward(n_rows, grad2_.data(), grad2_.stride, grad1_.data(), grad1_.stride);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      const float *const active = a1_.row(row), *const keep = keep1_.row(row);
      float* const grad = grad1_.row(row);
      for (std::int64_t at = 0; at < n1_; ++at) {
        const float kept = grad[at] * keep[at];
        grad[at] = active[at] > 0 ? kept : 0.0f;
      }
    }
    const AdamStep adam = next_step();
    first_.learn(n_rows, in_.data(), in_.stride, grad1_.data(), grad1_.stride, adam);
    second_.learn(n_rows, a1_.data(), a1_.stride, grad2_.data(), grad2_.stride, adam);
    third_.learn(n_rows, a2_.data(), a2_.stride, grad3_.data(), grad3_.stride, adam);
  }

  AdamStep next_step() {
    power1_ *= 0.9;
    power2_ *= 0.999;
    return {static_cast<float>(-(settings_.learning_rate / (1 - power1_))), static_cast<float>(std::sqrt(1 - power2_)),
            static_cast<float>(settings_.weight_decay)};
  }

  const MlpSettings settings_;
  std::int64_t n1_, n2_;
  numeric::Mt19937 stream_;
  Layer first_, second_, third_;
  Keep keep_;
  double power1_ = 1, power2_ = 1;
  // in_: inputs; a*: after ReLU and dropout; keep*: factors of dropout; grad*: of the loss by the sums before ReLU.
  BatchRows in_, a1_, a2_, keep1_, keep2_, grad1_, grad2_, grad3_;
  std::vector<float> out_;
};

void check_input(MatrixView<const double> x, std::span<const double> residual, std::span<const std::uint8_t> is_train,
                 const MlpSettings& settings) {
  if (x.rows != std::ssize(residual) || x.rows != std::ssize(is_train))
    throw InternalError("network: expected one residual and one mark a row");
  if (x.cols < 1 || settings.hidden1 < 1 || settings.hidden2 < 1 || settings.batch < 1 || settings.epochs < 0 ||
      !(settings.dropout >= 0 && settings.dropout < 1))
    throw UsageError("network: expected features, layers and batches of at least one and a dropout in [0, 1)");
  if (std::count(is_train.begin(), is_train.end(), 0) == std::ssize(is_train))
    throw DataError("network: there is no row to learn from");
}

}  // namespace

MlpResult train_mlp(MatrixView<const double> x, std::span<const double> residual,
                    std::span<const std::uint8_t> is_train, std::uint32_t seed, const MlpSettings& settings,
                    SimdTarget target) {
  check_input(x, residual, is_train, settings);
  std::vector<float> features, y;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    if (!is_train[static_cast<std::size_t>(row)]) continue;
    for (std::int64_t col = 0; col < x.cols; ++col) features.push_back(static_cast<float>(x(row, col)));
    y.push_back(static_cast<float>(residual[static_cast<std::size_t>(row)]));
  }
  Training training(x.cols, seed, settings, mlp_kernel(target));
  MlpResult result;
  for (int epoch = 0; epoch < settings.epochs; ++epoch)
    result.epoch_loss.push_back(training.run_epoch({features.data(), std::ssize(y), x.cols}, y));
  result.output = training.evaluate(x);
  return result;
}

MlpResult train_mlp(MatrixView<const double> x, std::span<const double> residual,
                    std::span<const std::uint8_t> is_train, std::uint32_t seed, const MlpSettings& settings) {
  return train_mlp(x, residual, is_train, seed, settings, simd_target());
}

}  // namespace scvet::trial
