#include "scvet/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "scvet/base/progress.h"

namespace scvet {
namespace {

std::atomic<int> g_workers{0};

int available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

// Keeps the exception of the lowest task, so that the message is the same whatever the threads did.
struct FirstFailure {
  std::mutex mutex;
  std::int64_t task = -1;
  std::exception_ptr error;
  std::atomic<bool> any{false};
  void keep(std::int64_t failed) {
    const std::lock_guard lock(mutex);
    if (!error || failed < task) {
      task = failed;
      error = std::current_exception();
    }
    any = true;
  }
};

}  // namespace

void set_workers(int count) { g_workers = std::max(0, count); }

int workers() {
  const int chosen = g_workers;
  return chosen > 0 ? chosen : available_processors();
}

void parallel_for(std::int64_t n_tasks, const std::function<void(std::int64_t, int)>& body) {
  const int n_workers = static_cast<int>(std::min<std::int64_t>(workers(), n_tasks));
  std::atomic<std::int64_t> next{0};
  FirstFailure failure;
  const auto work = [&](int worker) {
    while (!failure.any) {
      const std::int64_t task = next.fetch_add(1);
      if (task >= n_tasks) return;
      try {
        throw_if_stopped();
        body(task, worker);
      } catch (...) {
        failure.keep(task);
      }
    }
  };
  if (n_workers <= 1) {
    if (n_tasks > 0) work(0);
  } else {
#ifdef SCVET_STD_THREADS
    std::vector<std::thread> threads;
    for (int worker = 1; worker < n_workers; ++worker) threads.emplace_back(work, worker);
    work(0);
    for (std::thread& thread : threads) thread.join();
#else
#pragma omp parallel for schedule(static, 1) num_threads(n_workers)
    for (int worker = 0; worker < n_workers; ++worker) work(worker);
#endif
  }
  if (failure.error) std::rethrow_exception(failure.error);
}

}  // namespace scvet
