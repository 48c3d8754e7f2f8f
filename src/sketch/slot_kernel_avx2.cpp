#include "bits_avx2.h"
#include "slot_kernel_body.h"

namespace scvet::sketch {

const SlotKernel kSlotKernelsAvx2[] = {{Avx2::kLanes, count_slots<Avx2>}, {0, nullptr}};
const SharedBits kSharedBitsAvx2 = count_shared_bits;

}  // namespace scvet::sketch
