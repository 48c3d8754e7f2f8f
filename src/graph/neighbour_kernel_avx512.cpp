#include <immintrin.h>

#include "neighbour_kernel_body.h"

namespace scvet::graph {
namespace {

struct Avx512 {
  static constexpr int kBytes = 64, kRows = 8, kVectors = 3;
  using Lanes = simd::Vector<float, kBytes>::Type;
  static SCVET_INLINE Lanes add_product(Lanes a, Lanes b, Lanes sum) { return _mm512_fmadd_ps(a, b, sum); }
  static SCVET_INLINE unsigned not_below(Lanes a, Lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
};

}  // namespace

const NeighbourKernel kNeighbourAvx512 = make_kernel<Avx512>();

}  // namespace scvet::graph
