#include "forked.h"

#include <fcntl.h>
#include <hdf5.h>
#include <poll.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>

#include "scvet/base/error.h"

// Coverage counters of this program, one byte an edge (clang's inline 8-bit counters).
extern "C" __attribute__((weak)) std::uint8_t __start___sancov_cntrs[];
extern "C" __attribute__((weak)) std::uint8_t __stop___sancov_cntrs[];

// One allocation above 1 GiB ends the process with a report: memory is not to be taken on a file's word alone.
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=1024:allocator_may_return_null=0"; }

namespace scvet::fuzz {
namespace {

constexpr int kProcessorSeconds = 10, kRunsAChild = 500;
constexpr long kMostResidentBytes = 1500L << 20;
constexpr int kPollMs = 50;

// Shared with the child: its coverage comes back in memory, its stderr (the sanitizer's report) in a file.
struct Shared {
  std::size_t n_counters = 0;
  std::uint8_t* counters = nullptr;
  int report = -1;
};

const Shared& shared() {
  static const Shared made = [] {
    Shared parts;
    if (__start___sancov_cntrs)
      parts.n_counters = static_cast<std::size_t>(__stop___sancov_cntrs - __start___sancov_cntrs);
    void* const memory = mmap(nullptr, parts.n_counters + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    parts.report = memfd_create("report", MFD_CLOEXEC);
    if (memory == MAP_FAILED || parts.report < 0) {
      std::perror("shared memory");
      std::abort();
    }
    parts.counters = static_cast<std::uint8_t*>(memory);
    return parts;
  }();
  return made;
}

void on_death(int number) {
  dprintf(STDERR_FILENO, "signal %d\n", number);
  __sanitizer_print_stack_trace();
  _exit(77);
}

// Signals are reported by on_death on a stack of its own, not by libFuzzer, whose handlers the fork inherited.
void report_signals() {
  static std::array<char, 1 << 18> stack;
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = on_death;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF, SIGXFSZ, SIGUSR2})
    sigaction(number, &action, nullptr);
  __sanitizer_set_death_callback(nullptr);
}

// The child runs `body` once for each byte that it is sent, and answers with a byte.
[[noreturn]] void run_child(const std::function<void()>& body, int requests, int answers) {
  dup2(shared().report, STDERR_FILENO);
  report_signals();
  const rlimit file = {std::size_t{256} << 20, std::size_t{256} << 20};
  setrlimit(RLIMIT_FSIZE, &file);
  const itimerval limit = {{0, 0}, {kProcessorSeconds, 0}}, none{};
  char byte = 0;
  while (read(requests, &byte, 1) == 1) {
    if (shared().n_counters) std::memset(__start___sancov_cntrs, 0, shared().n_counters);
    setitimer(ITIMER_PROF, &limit, nullptr);
    body();
    setitimer(ITIMER_PROF, &none, nullptr);
    if (shared().n_counters) std::memcpy(shared().counters, __start___sancov_cntrs, shared().n_counters);
    if (write(answers, &byte, 1) != 1) break;
  }
  _exit(0);
}

long resident_bytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/statm");
  long total = 0, resident = 0;
  status >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// A child that parses one input after another, until it dies or has done enough: whatever libhdf5 leaks goes with it.
class Child {
 public:
  ~Child() { stop(); }
  bool usable() const { return process_ > 0 && runs_ < kRunsAChild; }
  void start(const std::function<void()>& body) {
    stop();
    int requests[2], answers[2];
    if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) std::abort();
    std::fflush(nullptr);
    process_ = fork();
    if (process_ < 0) {
      std::perror("fork");
      std::abort();
    }
    if (process_ == 0) {
      close(requests[1]);
      close(answers[0]);
      run_child(body, requests[0], answers[1]);
    }
    close(requests[0]);
    close(answers[1]);
    requests_ = requests[1];
    answers_ = answers[0];
    runs_ = 0;
  }

  // True when the child lived through one more input; else it is gone, with `status` as its wait status.
  bool run(int& status, bool& too_large) {
    ++runs_;
    char byte = 1;
    if (write(requests_, &byte, 1) == 1 && answer(too_large)) return true;
    status = stop();
    return false;
  }

  int stop() {
    if (process_ <= 0) return 0;
    close(requests_);
    close(answers_);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  bool answer(bool& too_large) {
    pollfd waited = {answers_, POLLIN, 0};
    while (true) {
      const int ready = poll(&waited, 1, kPollMs);  // also interrupted by libFuzzer's own timer
      if (ready > 0) break;
      if (too_large || resident_bytes(process_) <= kMostResidentBytes) continue;
      too_large = true;
      kill(process_, SIGUSR2);
    }
    char byte = 0;
    ssize_t got = 0;
    while ((got = read(answers_, &byte, 1)) < 0 && errno == EINTR) {
    }
    return got == 1;  // nothing: the child closed its end by dying
  }

  pid_t process_ = -1;
  int requests_ = -1, answers_ = -1, runs_ = 0;
};

std::string read_report() {
  std::string text(static_cast<std::size_t>(lseek(shared().report, 0, SEEK_END)), '\0');
  if (pread(shared().report, text.data(), text.size(), 0) < 0) text.clear();
  return text;
}

// A frame of the sanitizer, of libc, or of this file. `frame` reads "#2 0x1234 in name(arguments) place".
bool is_runtime(std::string_view frame) {
  for (const char* word : {"libc.so", "libstdc++.so", "libgcc_s.so", "::on_death(", "/sysdeps/"})
    if (frame.find(word) != std::string_view::npos) return true;
  const std::size_t start = frame.find(" in ");
  if (start == std::string_view::npos) return false;
  const std::string_view name = frame.substr(start + 4, frame.find_first_of("( ", start + 4) - start - 4);
  for (const char* word : {"interceptor", "__asan", "__sanitizer", "operator", "fuzzer::"})
    if (name.find(word) != std::string_view::npos) return true;
  // Interceptors bear the names of libc's functions.
  const bool plain = name.find("::") == std::string_view::npos;
  return plain && (name.ends_with("alloc") || name == "free" || name == "raise" || name == "abort" ||
                   name.starts_with("mem") || name.starts_with("str"));
}

// Whether the innermost frame of the stack at `at` that is no part of the runtime lies in libhdf5.
bool in_library(std::string_view report, std::size_t at) {
  while (at != std::string_view::npos && at < report.size()) {
    const std::string_view frame = report.substr(at, report.find('\n', at) - at);
    if (frame.find('#') == std::string_view::npos) return false;
    if (frame.find("libhdf5") != std::string_view::npos) return true;
    if (!is_runtime(frame)) return false;
    at += frame.size() + 1;
  }
  return false;
}

// Whether the call of ours that led into libhdf5 gave it memory to read from or write to. Calls that give none cannot
// have said a wrong size, and a wild address of the library's may lie in or near any block of ours, freed or not.
bool gave_memory(std::string_view report) {
  std::string_view outermost;
  for (std::size_t at = report.find("#0 "); at < report.size();) {
    const std::string_view frame = report.substr(at, report.find('\n', at) - at);
    if (frame.find('#') == std::string_view::npos) break;
    if (frame.find("libhdf5") != std::string_view::npos)
      outermost = frame;
    else if (!is_runtime(frame))
      break;
    at += frame.size() + 1;
  }
  return outermost.find("read") != std::string_view::npos || outermost.find("write") != std::string_view::npos;
}

// A report without a stack is taken for ours, and so is memory of ours that libhdf5 writes past: we said its size.
bool died_in_library(std::string_view report) {
  if (!in_library(report, report.find("#0 "))) return false;
  if (!gave_memory(report)) return true;
  const std::size_t owner = report.find("allocated by thread");
  return owner == std::string_view::npos || in_library(report, report.find("#0 ", owner));
}

struct Tally {
  std::size_t runs = 0, library = 0;
  ~Tally() {
    if (runs) std::fprintf(stderr, "%zu inputs in child processes, %zu ended inside libhdf5\n", runs, library);
  }
};
Tally g_tally;

}  // namespace

namespace {

// One input in the child, begun anew where it is gone. Empty when it lived, else how it ended.
std::string run_once(Child& child, const std::function<void()>& body) {
  if (!child.usable()) child.start(body);
  if (ftruncate(shared().report, 0) != 0 || lseek(shared().report, 0, SEEK_SET) != 0) std::abort();
  bool too_large = false;
  int status = 0;
  if (child.run(status, too_large)) {
    for (std::size_t edge = 0; edge < shared().n_counters; ++edge)
      __start___sancov_cntrs[edge] = std::max(__start___sancov_cntrs[edge], shared().counters[edge]);
    return {};
  }
  return "wait status " + std::to_string(status) + (too_large ? ", too much memory\n" : "\n") + read_report();
}

}  // namespace

void run_forked(const std::function<void()>& body) {
  // Here, so that children share it: the library's start, and the memory that they answer in.
  static const bool started = H5open() >= 0 && std::signal(SIGPIPE, SIG_IGN) != SIG_ERR && shared().report >= 0;
  static Child child;
  if (!started) std::abort();
  ++g_tally.runs;
  std::string report = run_once(child, body);
  // A signal from outside may meet the sanitizer's own code, whose stack cannot be read: then the input is run again.
  for (int again = 0; again < 5 && report.find("<empty stack>") != std::string::npos; ++again)
    report = run_once(child, body);
  if (report.empty()) return;
  if (died_in_library(report)) {
    ++g_tally.library;
    if (std::getenv("SCVET_FUZZ_SHOW")) std::fprintf(stderr, "ended inside libhdf5: %s\n", report.c_str());
    return;
  }
  std::fprintf(stderr, "the child ended, not inside libhdf5: %s\n", report.c_str());
  std::abort();
}

void expect_own_errors(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.exit_code() != 70) return;
    std::fprintf(stderr, "an internal error is no answer to bad input: %s\n", error.what());
    std::abort();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "not an error of scvet: %s\n", error.what());
    std::abort();
  }
}

}  // namespace scvet::fuzz
