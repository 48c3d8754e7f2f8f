// Runs a parse in a child process, so that a fault inside libhdf5 is told apart from one of ours.
#pragma once

#include <functional>

namespace scvet::fuzz {

// Runs `body` in a child with limits on processor time and memory. A child serves many calls, so `body` must be the same
// at every call and find its input in a file. The child's coverage is added to this process's.
// Our own fault (see docs/fuzzing.md for the rule) aborts this process, which libFuzzer records as a crash; a death or
// hang inside libhdf5 is counted, and the count is printed at exit.
void run_forked(const std::function<void()>& body);

// Runs `body`; scvet's own errors are its answer to bad input, anything else that is thrown aborts.
void expect_own_errors(const std::function<void()>& body);

}  // namespace scvet::fuzz
