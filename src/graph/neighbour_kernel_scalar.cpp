#include "neighbour_kernel_body.h"

namespace scvet::graph {
namespace {

struct Scalar {
  static constexpr int kBytes = 16, kRows = 4, kVectors = 2;
  using Lanes = simd::Vector<float, kBytes>::Type;
  static SCVET_INLINE Lanes add_product(Lanes a, Lanes b, Lanes sum) { return a * b + sum; }
  static SCVET_INLINE unsigned not_below(Lanes a, Lanes b) {
    unsigned bits = 0;
    for (int lane = 0; lane < 4; ++lane) bits |= static_cast<unsigned>(a[lane] >= b[lane]) << lane;
    return bits;
  }
};

}  // namespace

const NeighbourKernel kNeighbourScalar = make_kernel<Scalar>();

}  // namespace scvet::graph
