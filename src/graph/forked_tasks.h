// Tasks for libraries that are not safe among threads: each in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace scvet::graph {

// The bytes that task(at) returns, for at in [0, n_tasks), from child processes, at most `n_processes` at a time, begun in
// ascending order. A child is a copy of this process as it is now; it must start no threads, so neither parallel_for nor
// OpenMP. An Error that a task throws is rethrown here as what it was (its facts are lost); a child that dies or cannot be
// started is a ResourceError that begins with name(at). Whatever ends this call (an error, Ctrl-C), no child outlives it.
std::vector<std::vector<char>> run_forked(std::int64_t n_tasks, int n_processes,
                                          const std::function<std::vector<char>(std::int64_t)>& task,
                                          const std::function<std::string(std::int64_t)>& name);

}  // namespace scvet::graph
