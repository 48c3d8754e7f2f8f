// Which SIMD target kernels use. The best that the machine has, unless the environment variable SCVET_SIMD forces
// another (scalar, avx2, avx512). Forcing one that the machine lacks is a UsageError.
#pragma once

#include <string>
#include <vector>

namespace scvet {

enum class SimdTarget { kScalar, kAvx2, kAvx512 };

SimdTarget simd_target();
std::vector<SimdTarget> available_simd_targets();  // for tests: every target that this machine can run
std::string simd_name(SimdTarget target);
std::string cpu_model();

}  // namespace scvet
