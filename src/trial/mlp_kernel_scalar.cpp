#include <immintrin.h>

#include "mlp_kernel_body.h"

namespace scvet::trial {
namespace {

using Wide = simd::Tile<float, 16, 4, 2>;

struct Root {
  static SCVET_INLINE Wide::V::Type of(Wide::V::Type x) { return _mm_sqrt_ps(x); }
};

}  // namespace

const MlpKernel kMlpScalar = make_kernel<Wide, Root>();

}  // namespace scvet::trial
