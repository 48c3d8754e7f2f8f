#include "bits_avx2.h"
#include "exact_kernel_body.h"

namespace scvet::sketch {

const Kernel kExactKernelsAvx2[] = {{Avx2::kLanes, run<Avx2>}, {0, nullptr}};

}  // namespace scvet::sketch
