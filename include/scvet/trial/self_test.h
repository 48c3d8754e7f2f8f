// The golden self-test: what a trial computes depends on nothing but its inputs, or the trial does not start.
#pragma once

#include <string>

namespace scvet::trial {

inline constexpr const char* kGoldenHash = "13860be296968d96c286b182662827a55e102b0120a8275f3dd60a0cd7689ced";

// SHA-256 over random numbers, logarithms, a network and both forms of ridge, computed here and now (milliseconds).
std::string golden_hash();

// "trial-numerics-1:" and golden_hash(), computed once a process.
const std::string& numerics_id();

// LockError, reason numerics_differ, where golden_hash() is not kGoldenHash.
void require_golden();

}  // namespace scvet::trial
