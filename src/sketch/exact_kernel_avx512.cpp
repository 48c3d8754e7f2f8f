#include "bits_avx512.h"
#include "exact_kernel_body.h"

namespace scvet::sketch {

const Kernel kExactKernelsAvx512[] = {
    {Avx512::kLanes, run<Avx512>}, {Avx512Half::kLanes, run<Avx512Half>}, {0, nullptr}};

}  // namespace scvet::sketch
