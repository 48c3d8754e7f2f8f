#include "forked_tasks.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"

namespace scvet::graph {
namespace {

constexpr int kPollMilliseconds = 100;  // how soon Ctrl-C is seen
enum Outcome : char { kDone = 'd', kResources = 'r', kData = 'e', kFault = 'f', kInterrupted = 'i' };

void write_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(to, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(1);  // the parent is gone, or sees the short answer
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void answer(int to, Outcome outcome, const char* bytes, std::size_t size) {
  write_all(to, reinterpret_cast<const char*>(&outcome), 1);
  write_all(to, bytes, size);
}
void answer(int to, Outcome outcome, const std::exception& error) {
  answer(to, outcome, error.what(), std::strlen(error.what()));
}

// Never returns, never unwinds into the parent's frames, runs no destructor or exit handler of the parent.
[[noreturn]] void be_child(int to, pid_t parent, std::int64_t at,
                           const std::function<std::vector<char>(std::int64_t)>& task) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  try {
    const std::vector<char> bytes = task(at);
    answer(to, kDone, bytes.data(), bytes.size());
  } catch (const Interrupted& error) {
    answer(to, kInterrupted, error);
  } catch (const ResourceError& error) {
    answer(to, kResources, error);
  } catch (const std::bad_alloc&) {
    const std::string message = "not enough memory";
    answer(to, kResources, message.data(), message.size());
  } catch (const DataError& error) {
    answer(to, kData, error);
  } catch (const std::exception& error) {
    answer(to, kFault, error);
  }
  _exit(0);
}

class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const Child& child : children_) {
      kill(child.process, SIGKILL);
      reap(child);
    }
  }

  std::size_t size() const { return children_.size(); }

  void start(std::int64_t at, const std::string& name, const std::function<std::vector<char>(std::int64_t)>& task) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) refuse(name);
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process == 0) be_child(ends[1], parent, at, task);
    close(ends[1]);
    if (process < 0) {
      close(ends[0]);
      refuse(name);
    }
    children_.push_back({process, ends[0], at, {}});
  }

  // Reads what children have to say. finished(task, exit status, bytes) for those that said all.
  template <class Finished>
  void listen(Finished finished) {
    std::vector<pollfd> ears;
    for (const Child& child : children_) ears.push_back({child.from, POLLIN, 0});
    if (poll(ears.data(), ears.size(), kPollMilliseconds) <= 0) return;
    for (std::size_t ear = ears.size(); ear-- > 0;) {
      if (ears[ear].revents == 0 || !read_some(children_[ear])) continue;
      Child child = std::move(children_[ear]);
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(ear));
      finished(child.task, reap(child), std::move(child.bytes));
    }
  }

 private:
  struct Child {
    pid_t process;
    int from;
    std::int64_t task;
    std::vector<char> bytes;
  };

  [[noreturn]] static void refuse(const std::string& name) {
    const std::string why = std::strerror(errno);
    throw ResourceError(name + ": cannot start a worker process (" + why + "); run with --threads 1, which needs none");
  }
  // Whether that was the end.
  static bool read_some(Child& child) {
    char bytes[1 << 16];
    const ssize_t size = read(child.from, bytes, sizeof bytes);
    if (size < 0) return errno != EINTR;
    child.bytes.insert(child.bytes.end(), bytes, bytes + size);
    return size == 0;
  }
  static int reap(const Child& child) {
    close(child.from);
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  std::vector<Child> children_;
};

// What the child said, or its error.
std::vector<char> result_of(const std::string& name, int status, std::vector<char> bytes) {
  if (WIFSIGNALED(status))
    throw ResourceError(name + ": the worker process was killed (signal " + std::to_string(WTERMSIG(status)) +
                        "; 9 is often the system's when memory is short); run with fewer --threads");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || bytes.empty())
    throw ResourceError(name + ": the worker process ended without a result; run with --threads 1 to see why");
  const char outcome = bytes.front();
  bytes.erase(bytes.begin());
  if (outcome == kDone) return bytes;
  const std::string message(bytes.begin(), bytes.end());
  if (outcome == kInterrupted) throw Interrupted();
  if (outcome == kResources) throw ResourceError(name + ": " + message);
  if (outcome == kData) throw DataError(message);
  throw InternalError(name + ": " + message);
}

}  // namespace

std::vector<std::vector<char>> run_forked(std::int64_t n_tasks, int n_processes,
                                          const std::function<std::vector<char>(std::int64_t)>& task,
                                          const std::function<std::string(std::int64_t)>& name) {
  std::vector<std::vector<char>> results(static_cast<std::size_t>(n_tasks));
  Children children;
  for (std::int64_t next = 0; next < n_tasks || children.size() > 0;) {
    throw_if_stopped();
    while (next < n_tasks && children.size() < static_cast<std::size_t>(std::max(1, n_processes))) {
      children.start(next, name(next), task);
      ++next;
    }
    children.listen([&](std::int64_t at, int status, std::vector<char> bytes) {
      results[static_cast<std::size_t>(at)] = result_of(name(at), status, std::move(bytes));
    });
  }
  return results;
}

}  // namespace scvet::graph
