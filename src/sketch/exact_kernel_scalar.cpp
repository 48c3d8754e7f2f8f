#include "bits_scalar.h"
#include "exact_kernel_body.h"

namespace scvet::sketch {

const Kernel kExactKernelsScalar[] = {{Word::kLanes, run<Word>}, {0, nullptr}};

}  // namespace scvet::sketch
