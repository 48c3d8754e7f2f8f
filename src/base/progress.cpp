#include "scvet/base/progress.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"

namespace scvet {
namespace {

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

bool on_terminal() {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  return terminal && !log_options().json;
}

// The second Ctrl-C ends the program at once: whatever was not committed is under a temporary name.
void on_signal(int) {
  if (g_stop.exchange(true)) _exit(130);
}

std::mutex g_draw;

}  // namespace

ProgressScope::ProgressScope(std::string label, std::int64_t total)
    : label_(std::move(label)), total_(std::max<std::int64_t>(total, 1)), started_ms_(now_ms()) {
  last_shown_ms_ = started_ms_;
}

ProgressScope::~ProgressScope() {
  if (drawn_ && on_terminal()) std::fprintf(stderr, "\r\033[K");
}

void ProgressScope::advance(std::int64_t steps) {
  done_ += steps;
  if (log_options().level == LogLevel::kQuiet) return;
  const std::int64_t interval = on_terminal() ? 100 : 30000;
  std::int64_t last = last_shown_ms_;
  const std::int64_t now = now_ms();
  if (now - last >= interval && last_shown_ms_.compare_exchange_strong(last, now)) show(false);
}

void ProgressScope::show(bool) {
  const std::lock_guard lock(g_draw);
  const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  const double elapsed = static_cast<double>(now_ms() - started_ms_) / 1000.0;
  const double left = share > 0 ? elapsed * (1 - share) / share : 0;
  char line[160];
  std::snprintf(line, sizeof line, "%s: %3.0f %% (%.0f s, about %.0f s left)", label_.c_str(), 100 * share, elapsed,
                left);
  if (on_terminal()) {
    std::fprintf(stderr, "\r\033[K%s", line);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    log_info(line);
  }
}

void install_stop_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void request_stop() noexcept { g_stop = true; }
bool stop_requested() noexcept { return g_stop; }
void throw_if_stopped() {
  if (g_stop) throw Interrupted();
}

}  // namespace scvet
