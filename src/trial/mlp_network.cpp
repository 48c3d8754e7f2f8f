#include "mlp_network.h"

#include <algorithm>
#include <cmath>

namespace scvet::trial {
namespace {

constexpr std::int64_t kLine = 16;  // floats in a cache line

std::int64_t round_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

}  // namespace

std::int64_t padded_row(std::int64_t n) { return round_up(n, 2 * kLine) + kLine; }

Layer::Layer(std::int64_t n_in, std::int64_t n_out, const MlpKernel& kernel, numeric::Mt19937& stream)
    : kernel_(kernel),
      cols_(kernel.cols),
      n_in_(n_in),
      n_out_(n_out),
      padded_in_(round_up(n_in, kernel.cols)),
      padded_out_(round_up(n_out, kernel.cols)),
      weight_(padded_in_ * padded_out_),
      bias_(padded_out_),
      transposed_(padded_in_ * padded_out_),
      bias_grad_(padded_out_) {
  const double fan_in = static_cast<double>(n_in);
  const float weight_bound = static_cast<float>(std::sqrt(3.0) * (std::sqrt(2.0 / 6.0) / std::sqrt(fan_in)));
  for (std::int64_t output = 0; output < n_out; ++output)
    for (std::int64_t input = 0; input < n_in; ++input)
      weight_.value[place(input, output)] = stream.torch_uniform(weight_bound);
  const float bias_bound = static_cast<float>(1 / std::sqrt(fan_in));
  for (std::int64_t output = 0; output < n_out; ++output) bias_.value[output] = stream.torch_uniform(bias_bound);
}

void Layer::forward(std::int64_t n_rows, const float* in, std::int64_t in_stride, float* out,
                    std::int64_t out_stride) const {
  for (std::int64_t first = 0; first < padded_out_; first += cols_)
    kernel_.multiply(round_up(n_rows, kernel_.rows), n_in_, in, in_stride, weight_.value.data() + first * padded_in_,
                     out + first, out_stride);
}

void Layer::backward(std::int64_t n_rows, const float* grad, std::int64_t grad_stride, float* out,
                     std::int64_t out_stride) {
  for (std::int64_t first = 0; first < padded_in_; first += cols_) {
    float* const panel = transposed_.data() + first * padded_out_;
    for (std::int64_t block = 0; block < padded_out_; block += cols_)
      for (std::int64_t input = 0; input < cols_; ++input) {
        const float* const from = weight_.value.data() + block * padded_in_ + (first + input) * cols_;
        for (std::int64_t output = 0; output < cols_; ++output) panel[(block + output) * cols_ + input] = from[output];
      }
    kernel_.multiply(round_up(n_rows, kernel_.rows), n_out_, grad, grad_stride, panel, out + first, out_stride);
  }
}

void Layer::learn(std::int64_t n_rows, const float* in, std::int64_t in_stride, const float* grad,
                  std::int64_t grad_stride, const AdamStep& adam) {
  for (std::int64_t first = 0; first < padded_out_; first += cols_) {
    const std::int64_t offset = first * padded_in_;
    kernel_.learn(n_rows, round_up(n_in_, kernel_.rows), in, in_stride, grad + first, grad_stride, adam,
                  weight_.value.data() + offset, weight_.moment1.data() + offset, weight_.moment2.data() + offset);
  }
  float* const sums = bias_grad_.data();
  std::fill_n(sums, padded_out_, 0.0f);
  for (std::int64_t row = 0; row < n_rows; ++row)
    for (std::int64_t output = 0; output < n_out_; ++output) sums[output] += grad[row * grad_stride + output];
  kernel_.step(padded_out_, sums, adam, bias_.value.data(), bias_.moment1.data(), bias_.moment2.data());
}

}  // namespace scvet::trial
