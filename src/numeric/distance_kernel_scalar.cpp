#include "distance_kernel_body.h"

namespace scvet::numeric {

const DistanceKernel kDistanceScalar = distances<16, 2>;

}  // namespace scvet::numeric
