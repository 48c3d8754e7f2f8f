#include "dense_kernel_body.h"

namespace scvet::numeric {

const DenseKernel kDenseAvx512 = make_kernel<simd::Tile<double, 64, 8, 1>>();

}  // namespace scvet::numeric
