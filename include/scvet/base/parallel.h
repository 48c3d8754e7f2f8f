// The one door to threads: the only place that knows how work is split.
#pragma once

#include <cstdint>
#include <functional>

namespace scvet {

// Number of workers that parallel_for uses; 0 or less restores the default (all processors this process may use).
void set_workers(int count);
int workers();

// Runs body(task, worker) for every task in [0, n_tasks), worker in [0, workers()). Tasks are handed out in order, one
// at a time, to whichever worker is free: a body must write only to places that belong to its task, or to state of its
// worker that is later combined in a way that no order can change. The exception of the lowest failing task is
// rethrown. Ctrl-C is honoured between tasks.
void parallel_for(std::int64_t n_tasks, const std::function<void(std::int64_t task, int worker)>& body);

}  // namespace scvet
