#include "dense_kernel_body.h"

namespace scvet::numeric {

const DenseKernel kDenseAvx2 = make_kernel<simd::Tile<double, 32, 4, 2>>();

}  // namespace scvet::numeric
