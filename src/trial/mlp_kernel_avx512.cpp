#include <immintrin.h>

#include "mlp_kernel_body.h"

namespace scvet::trial {
namespace {

using Wide = simd::Tile<float, 64, 16, 1>;

struct Root {
  static SCVET_INLINE Wide::V::Type of(Wide::V::Type x) { return _mm512_maskz_sqrt_ps(0xffff, x); }
};

}  // namespace

const MlpKernel kMlpAvx512 = make_kernel<Wide, Root>();

}  // namespace scvet::trial
