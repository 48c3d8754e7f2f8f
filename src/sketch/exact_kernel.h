// The inner loop of the exact engine, one instruction set a file (exact_kernel_<target>.cpp). Nothing here or in those
// files may come from an inline function of the standard library: its copy compiled for a newer processor could be the
// one that the linker keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scvet/base/cpu.h"

namespace scvet::sketch {

constexpr int kMaxLanes = 512;
constexpr std::size_t kBucketRows = 64;

// One reference set. `tokens` are table rows; genes that no query of the pass holds are counted in `size` alone. Sixteen
// tokens behind the last may be read (and are not used).
struct KernelRow {
  const std::uint16_t* tokens = nullptr;
  std::uint32_t n_tokens = 0;
  std::uint32_t n_rare = 0;  // the last of them, whose table rows are not expected in a near cache
  std::uint32_t size = 0;
};

// A block of queries, one a lane (bit). What a set must share to be of interest to a lane is the smaller of two needs:
//   Jaccard:      intersection >= slope * (|query| + |set|), slope = J / (1 + J) of the last entry of its full list
//   containment:  intersection >= contain
// slope is 0 while the list is not full; `contain` is huge where it cannot be raised; size is 0 in an unused lane.
struct KernelBlock {
  const std::byte* table = nullptr;  // row t: bit per lane, set where that query LACKS gene t; then one row of zeros
  std::uint32_t zero_row = 0;
  const float* slope = nullptr;
  const float* size = nullptr;
  const float* contain = nullptr;
};

struct KernelHit {
  std::uint32_t row = 0, lane = 0, intersection = 0;
};

// Compares at most kBucketRows rows of ascending size with a block. Writes every (row, lane) that meets its need, and
// perhaps some that miss it by rounding or because the need was taken for the smallest size of the bucket; returns how
// many. `hits` has room for lanes * n_rows.
using KernelRun = std::size_t (*)(const KernelBlock& block, const KernelRow* rows, std::size_t n_rows, KernelHit* hits);

struct Kernel {
  int lanes;
  KernelRun run;
};

// Widest first, ended by lanes = 0.
extern const Kernel kExactKernelsScalar[];
extern const Kernel kExactKernelsAvx2[];
extern const Kernel kExactKernelsAvx512[];
inline const Kernel* exact_kernels(SimdTarget target) {
  switch (target) {
    case SimdTarget::kAvx512:
      return kExactKernelsAvx512;
    case SimdTarget::kAvx2:
      return kExactKernelsAvx2;
    case SimdTarget::kScalar:
      break;
  }
  return kExactKernelsScalar;
}

}  // namespace scvet::sketch
