#include "dense_kernel_body.h"

namespace scvet::numeric {

const DenseKernel kDenseScalar = make_kernel<simd::Tile<double, 16, 4, 2>>();

}  // namespace scvet::numeric
