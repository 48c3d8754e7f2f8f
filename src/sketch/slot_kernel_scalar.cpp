#include "bits_scalar.h"
#include "slot_kernel_body.h"

namespace scvet::sketch {

const SlotKernel kSlotKernelsScalar[] = {{Word::kLanes, count_slots<Word>}, {0, nullptr}};
const SharedBits kSharedBitsScalar = count_shared_bits;

}  // namespace scvet::sketch
