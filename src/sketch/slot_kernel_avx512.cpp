#include "bits_avx512.h"
#include "slot_kernel_body.h"

namespace scvet::sketch {

const SlotKernel kSlotKernelsAvx512[] = {
    {Avx512::kLanes, count_slots<Avx512>}, {Avx512Half::kLanes, count_slots<Avx512Half>}, {0, nullptr}};
const SharedBits kSharedBitsAvx512 = count_shared_bits;

}  // namespace scvet::sketch
