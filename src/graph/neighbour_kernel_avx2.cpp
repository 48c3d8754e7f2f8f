#include <immintrin.h>

#include "neighbour_kernel_body.h"

namespace scvet::graph {
namespace {

struct Avx2 {
  static constexpr int kBytes = 32, kRows = 6, kVectors = 2;
  using Lanes = simd::Vector<float, kBytes>::Type;
  static SCVET_INLINE Lanes add_product(Lanes a, Lanes b, Lanes sum) { return _mm256_fmadd_ps(a, b, sum); }
  static SCVET_INLINE unsigned not_below(Lanes a, Lanes b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ)));
  }
};

}  // namespace

const NeighbourKernel kNeighbourAvx2 = make_kernel<Avx2>();

}  // namespace scvet::graph
