// The network as the trial's contract writes it, in plain loops: what the fast code must equal to the last bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/trial/mlp.h"

namespace scvet::naive {

struct Layer {
  std::size_t n_in, n_out;
  std::vector<float> weight, bias, weight_m, weight_v, bias_m, bias_v;  // weight[out * n_in + in]

  Layer(std::size_t inputs, std::size_t outputs, numeric::Mt19937& stream) : n_in(inputs), n_out(outputs) {
    const auto uniform = [&](std::vector<float>& values, std::size_t count, float bound) {
      for (std::size_t at = 0; at < count; ++at) {
        const double x = (stream.next() & 0xFFFFFFu) * 0x1p-24;
        values.push_back(static_cast<float>(x * static_cast<double>(2 * bound) + static_cast<double>(-bound)));
      }
    };
    const double fan_in = static_cast<double>(n_in);
    uniform(weight, n_in * n_out, static_cast<float>(std::sqrt(3.0) * (std::sqrt(2.0 / 6.0) / std::sqrt(fan_in))));
    uniform(bias, n_out, static_cast<float>(1 / std::sqrt(fan_in)));
    weight_m = weight_v = std::vector<float>(weight.size());
    bias_m = bias_v = std::vector<float>(bias.size());
  }
  void forward(const std::vector<float>& in, std::vector<float>& out, std::size_t rows) const {
    out.assign(rows * n_out, 0.0f);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t o = 0; o < n_out; ++o) {
        float sum = 0;
        for (std::size_t i = 0; i < n_in; ++i) sum += in[row * n_in + i] * weight[o * n_in + i];
        out[row * n_out + o] = sum + bias[o];
      }
  }
};

struct Adam {
  float step, s2, decay;
  void operator()(float& p, float& m, float& v, float g) const {
    g = g + decay * p;
    m = m + (g - m) * 0.1f;
    v = v * 0.999f + (0.001f * g) * g;
    p = p + (step * m) / (std::sqrt(v) / s2 + 1e-8f);
  }
  void update(Layer& layer, const std::vector<float>& in, const std::vector<float>& grad, std::size_t rows) const {
    for (std::size_t o = 0; o < layer.n_out; ++o) {
      for (std::size_t i = 0; i < layer.n_in; ++i) {
        float sum = 0;
        for (std::size_t row = 0; row < rows; ++row) sum += grad[row * layer.n_out + o] * in[row * layer.n_in + i];
        const std::size_t at = o * layer.n_in + i;
        (*this)(layer.weight[at], layer.weight_m[at], layer.weight_v[at], sum);
      }
      float sum = 0;
      for (std::size_t row = 0; row < rows; ++row) sum += grad[row * layer.n_out + o];
      (*this)(layer.bias[o], layer.bias_m[o], layer.bias_v[o], sum);
    }
  }
};

// ReLU, then dropout where there is a stream. keep: the factor of each element.
inline void activate(std::vector<float>& values, std::vector<float>& keep, double kept, numeric::Mt19937* stream) {
  keep.assign(values.size(), 1.0f);
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (stream) {
      const std::uint64_t high = stream->next(), low = stream->next();
      const double draw = static_cast<double>(((high << 32) | low) & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
      keep[at] = draw < kept ? 1.0f / static_cast<float>(kept) : 0.0f;
    }
    values[at] = (values[at] > 0 ? values[at] : 0.0f) * keep[at];
  }
}

inline trial::MlpResult train_mlp(MatrixView<const double> x, std::span<const double> residual,
                                  std::span<const std::uint8_t> is_train, std::uint32_t seed,
                                  const trial::MlpSettings& settings) {
  numeric::Mt19937 stream(seed);
  const std::size_t d = static_cast<std::size_t>(x.cols);
  Layer one(d, static_cast<std::size_t>(settings.hidden1), stream);
  Layer two(one.n_out, static_cast<std::size_t>(settings.hidden2), stream);
  Layer three(two.n_out, 1, stream);
  std::vector<std::size_t> train;
  for (std::size_t row = 0; row < is_train.size(); ++row)
    if (is_train[row]) train.push_back(row);
  trial::MlpResult result;
  double p1 = 1, p2 = 1;
  std::vector<float> in, h1, h2, out, k1, k2;
  const double kept = 1 - settings.dropout;
  const auto forward = [&](std::size_t rows, numeric::Mt19937* dropout) {
    one.forward(in, h1, rows);
    activate(h1, k1, kept, dropout);
    two.forward(h1, h2, rows);
    activate(h2, k2, kept, dropout);
    three.forward(h2, out, rows);
  };
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    const std::vector<std::uint32_t> order = stream.torch_permutation(static_cast<std::uint32_t>(train.size()));
    double loss = 0;
    for (std::size_t first = 0; first < train.size(); first += static_cast<std::size_t>(settings.batch)) {
      const std::size_t rows = std::min(static_cast<std::size_t>(settings.batch), train.size() - first);
      in.clear();
      std::vector<float> y;
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t from = train[order[first + row]];
        for (std::size_t i = 0; i < d; ++i) in.push_back(static_cast<float>(x.row(static_cast<std::int64_t>(from))[i]));
        y.push_back(static_cast<float>(residual[from]));
      }
      forward(rows, &stream);
      std::vector<float> g3, g2(rows * two.n_out), g1(rows * one.n_out);
      for (std::size_t row = 0; row < rows; ++row) {
        const float e = out[row] - y[row];
        loss += static_cast<double>(e) * static_cast<double>(e);
        g3.push_back((2 * e) / static_cast<float>(rows));
      }
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t o = 0; o < two.n_out; ++o) {
          const std::size_t at = row * two.n_out + o;
          g2[at] = h2[at] > 0 ? (g3[row] * three.weight[o]) * k2[at] : 0.0f;
        }
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < one.n_out; ++i) {
          const std::size_t at = row * one.n_out + i;
          float sum = 0;
          for (std::size_t o = 0; o < two.n_out; ++o) sum += g2[row * two.n_out + o] * two.weight[o * two.n_in + i];
          g1[at] = h1[at] > 0 ? sum * k1[at] : 0.0f;
        }
      p1 *= 0.9;
      p2 *= 0.999;
      const Adam adam{static_cast<float>(-(settings.learning_rate / (1 - p1))), static_cast<float>(std::sqrt(1 - p2)),
                      static_cast<float>(settings.weight_decay)};
      adam.update(one, in, g1, rows);
      adam.update(two, h1, g2, rows);
      adam.update(three, h2, g3, rows);
    }
    result.epoch_loss.push_back(loss / static_cast<double>(train.size()));
  }
  in.clear();
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::size_t i = 0; i < d; ++i) in.push_back(static_cast<float>(x.row(row)[i]));
  forward(static_cast<std::size_t>(x.rows), nullptr);
  result.output = out;
  return result;
}

}  // namespace scvet::naive
