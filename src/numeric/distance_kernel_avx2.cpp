#include "distance_kernel_body.h"

namespace scvet::numeric {

const DistanceKernel kDistanceAvx2 = distances<32, 4>;

}  // namespace scvet::numeric
