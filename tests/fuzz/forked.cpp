#include "forked.h"

#include <poll.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

constexpr unsigned kProcessorSeconds = 10;
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

void on_death(int) {
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
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGXFSZ, SIGUSR2})
    sigaction(number, &action, nullptr);
  __sanitizer_set_death_callback(nullptr);
}

[[noreturn]] void run_child(const std::function<void()>& body) {
  dup2(shared().report, STDERR_FILENO);
  report_signals();
  const rlimit processor = {kProcessorSeconds, kProcessorSeconds + 5};
  const rlimit file = {std::size_t{256} << 20, std::size_t{256} << 20};
  setrlimit(RLIMIT_CPU, &processor);
  setrlimit(RLIMIT_FSIZE, &file);
  body();
  if (shared().n_counters) std::memcpy(shared().counters, __start___sancov_cntrs, shared().n_counters);
  _exit(0);
}

long resident_bytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/statm");
  long total = 0, resident = 0;
  status >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// The child's wait status; `too_large` when it had to be stopped for its memory.
int wait_for(pid_t child, bool& too_large) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd ended = {handle, POLLIN, 0};
  while (handle >= 0 && poll(&ended, 1, kPollMs) == 0) {
    if (too_large || resident_bytes(child) <= kMostResidentBytes) continue;
    too_large = true;
    kill(child, SIGUSR2);
  }
  if (handle >= 0) close(handle);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

std::string read_report() {
  std::string text(static_cast<std::size_t>(lseek(shared().report, 0, SEEK_END)), '\0');
  if (pread(shared().report, text.data(), text.size(), 0) < 0) text.clear();
  return text;
}

// A frame of the sanitizer, of libc, or of this file. `frame` reads "#2 0x1234 in name(arguments) place".
bool is_runtime(std::string_view frame) {
  for (const char* module : {"libc.so", "libstdc++.so", "libgcc_s.so"})
    if (frame.find(module) != std::string_view::npos) return true;
  const std::size_t start = frame.find(" in ");
  if (start == std::string_view::npos) return false;
  const std::string_view name = frame.substr(start + 4, frame.find_first_of("( ", start + 4) - start - 4);
  for (const char* word : {"interceptor", "asan_", "sanitizer", "operator", "on_death", "fuzzer::"})
    if (name.find(word) != std::string_view::npos) return true;
  return name == "malloc" || name == "calloc" || name == "realloc" || name == "free" || name == "raise" ||
         name == "abort";
}

// Whether the innermost frame that is no part of the runtime lies in libhdf5. A report without one is taken for ours.
bool died_in_library(std::string_view report) {
  std::size_t at = report.find("#0 ");
  while (at != std::string_view::npos && at < report.size()) {
    const std::string_view frame = report.substr(at, report.find('\n', at) - at);
    if (frame.find('#') == std::string_view::npos) return false;
    if (frame.find("libhdf5") != std::string_view::npos) return true;
    if (!is_runtime(frame)) return false;
    at += frame.size() + 1;
  }
  return false;
}

struct Tally {
  std::size_t runs = 0, library = 0;
  ~Tally() {
    if (runs) std::fprintf(stderr, "%zu inputs in child processes, %zu ended inside libhdf5\n", runs, library);
  }
};
Tally g_tally;

}  // namespace

void run_forked(const std::function<void()>& body) {
  ++g_tally.runs;
  if (ftruncate(shared().report, 0) != 0 || lseek(shared().report, 0, SEEK_SET) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::abort();
  }
  if (child == 0) run_child(body);
  bool too_large = false;
  const int status = wait_for(child, too_large);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    for (std::size_t edge = 0; edge < shared().n_counters; ++edge)
      __start___sancov_cntrs[edge] = std::max(__start___sancov_cntrs[edge], shared().counters[edge]);
    return;
  }
  const std::string report = read_report();
  if (!too_large && died_in_library(report)) {
    ++g_tally.library;
    return;
  }
  std::fprintf(stderr, "the child ended with wait status %d%s, not inside libhdf5\n%s\n", status,
               too_large ? " (too much memory)" : "", report.c_str());
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
