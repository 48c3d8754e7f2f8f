// Progress of long work and the wish to stop it. On a terminal a bar; in a log a line each 30 s; nothing when quiet.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace scvet {

// Work of `total` steps called `label`. Advance from any thread.
class ProgressScope {
 public:
  ProgressScope(std::string label, std::int64_t total);
  ~ProgressScope();
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;
  void advance(std::int64_t steps = 1);

 private:
  void show(bool final);
  std::string label_;
  std::int64_t total_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> last_shown_ms_{0};
  std::int64_t started_ms_;
  bool drawn_ = false;
};

// SIGINT and SIGTERM set the flag; loops of long work call throw_if_stopped() once per tile.
void install_stop_handler();
void request_stop() noexcept;
bool stop_requested() noexcept;
void throw_if_stopped();  // throws Interrupted

}  // namespace scvet
