#include "scvet/base/cpu.h"

#include <cstdlib>
#include <fstream>

#include "scvet/base/error.h"

namespace scvet {
namespace {

bool has(SimdTarget target) {
  switch (target) {
    case SimdTarget::kScalar:
      return true;
    case SimdTarget::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
             __builtin_cpu_supports("fma");
    case SimdTarget::kAvx512:
      return has(SimdTarget::kAvx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  }
  return false;
}

SimdTarget choose() {
  if (const char* forced = std::getenv("SCVET_SIMD"); forced && *forced) {
    for (const SimdTarget target : {SimdTarget::kScalar, SimdTarget::kAvx2, SimdTarget::kAvx512}) {
      if (simd_name(target) != forced) continue;
      if (!has(target)) throw UsageError("SCVET_SIMD=" + std::string(forced) + ": this processor has no " + forced);
      return target;
    }
    throw UsageError("SCVET_SIMD=" + std::string(forced) + ": expected scalar, avx2 or avx512");
  }
  return available_simd_targets().back();
}

}  // namespace

SimdTarget simd_target() {
  static const SimdTarget target = choose();
  return target;
}

std::vector<SimdTarget> available_simd_targets() {
  std::vector<SimdTarget> targets;
  for (const SimdTarget target : {SimdTarget::kScalar, SimdTarget::kAvx2, SimdTarget::kAvx512})
    if (has(target)) targets.push_back(target);
  return targets;
}

std::string simd_name(SimdTarget target) {
  switch (target) {
    case SimdTarget::kScalar:
      return "scalar";
    case SimdTarget::kAvx2:
      return "avx2";
    case SimdTarget::kAvx512:
      return "avx512";
  }
  return "unknown";
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace scvet
