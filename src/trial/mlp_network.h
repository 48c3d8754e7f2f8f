// The layers of the network as the kernels want them: outputs contiguous, padded with zeros that stay zero.
#pragma once

#include <cstdint>

#include "mlp_kernel.h"
#include "scvet/base/aligned_buffer.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::trial {

// A length of a row of n floats: whole tiles of every kernel, and an odd number of cache lines, so that the rows of a
// batch lie in different sets of the cache.
std::int64_t padded_row(std::int64_t n);

// Numbers with their two moments.
struct Learned {
  AlignedBuffer<float> value, moment1, moment2;
  explicit Learned(std::int64_t size) : value(size), moment1(size), moment2(size) {}
};

class Layer {
 public:
  // Draws the weights, output by output, then the biases.
  Layer(std::int64_t n_in, std::int64_t n_out, const MlpKernel& kernel, numeric::Mt19937& stream);

  // out = in * W, without the bias; n_rows is rounded up to whole tiles.
  void forward(std::int64_t n_rows, const float* in, std::int64_t in_stride, float* out, std::int64_t out_stride) const;
  // out = grad * W': what reaches the inputs.
  void backward(std::int64_t n_rows, const float* grad, std::int64_t grad_stride, float* out, std::int64_t out_stride);
  void learn(std::int64_t n_rows, const float* in, std::int64_t in_stride, const float* grad, std::int64_t grad_stride,
             const AdamStep& adam);

  const float* bias() const { return bias_.value.data(); }
  float weight(std::int64_t input, std::int64_t output) const { return weight_.value[place(input, output)]; }

 private:
  std::int64_t place(std::int64_t input, std::int64_t output) const {
    return (output / cols_ * padded_in_ + input) * cols_ + output % cols_;
  }

  const MlpKernel& kernel_;
  std::int64_t cols_, n_in_, n_out_, padded_in_, padded_out_;
  Learned weight_, bias_;
  AlignedBuffer<float> transposed_, bias_grad_;
};

}  // namespace scvet::trial
