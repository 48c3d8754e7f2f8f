// The inner loop of the engines over sketches, one instruction set a file (slot_kernel_<target>.cpp): how many of the 128
// bytes of each reference row equal those of each query. For every slot and byte a table row tells which queries have that
// byte there; the 128 table rows that a reference row selects are added up in vertical counters (bit_adders.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "scvet/base/cpu.h"

namespace scvet::sketch {

constexpr std::size_t kSlotBytes = 128;  // kSlots
constexpr std::size_t kSlotRows = 64;    // reference rows a call at most
constexpr int kSlotLanes = 512;          // queries a block at most
constexpr std::uint8_t kNoNeed = 255;    // a need that no row meets

struct SlotBlock {
  const std::byte* table = nullptr;    // row 256 * slot + byte: a bit per lane
  const std::uint8_t* need = nullptr;  // one a lane: equal bytes from which a row is of interest, 1..128 or kNoNeed
};

struct SlotHit {
  std::uint32_t row = 0, lane = 0, equal = 0;
};

// Writes every (row, lane) that meets its need and returns how many; `hits` has room for n_rows times the lanes.
using SlotRun = std::size_t (*)(const SlotBlock& block, const std::uint8_t* rows, std::size_t n_rows, SlotHit* hits);

struct SlotKernel {
  int lanes;
  SlotRun run;
};

// Widest first, ended by lanes = 0.
extern const SlotKernel kSlotKernelsScalar[];
extern const SlotKernel kSlotKernelsAvx2[];
extern const SlotKernel kSlotKernelsAvx512[];
inline const SlotKernel* slot_kernels(SimdTarget target) {
  switch (target) {
    case SimdTarget::kAvx512:
      return kSlotKernelsAvx512;
    case SimdTarget::kAvx2:
      return kSlotKernelsAvx2;
    case SimdTarget::kScalar:
      break;
  }
  return kSlotKernelsScalar;
}

// Bits that two bitmaps share.
using SharedBits = std::uint32_t (*)(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words);
extern const SharedBits kSharedBitsScalar, kSharedBitsAvx2, kSharedBitsAvx512;
inline SharedBits shared_bits(SimdTarget target) {
  if (target == SimdTarget::kScalar) return kSharedBitsScalar;
  return target == SimdTarget::kAvx2 ? kSharedBitsAvx2 : kSharedBitsAvx512;
}

}  // namespace scvet::sketch
