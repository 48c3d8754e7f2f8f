#include "distance_kernel_body.h"

namespace scvet::numeric {

const DistanceKernel kDistanceAvx512 = distances<64, 8>;

}  // namespace scvet::numeric
