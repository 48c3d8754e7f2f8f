#include "child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr auto kGrace = std::chrono::seconds(2);  // between asking to end and ending
constexpr std::size_t kTailLines = 12;
constexpr std::uintmax_t kTailBytes = 8192;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

// In the child between fork and exec: nothing but system calls, as other threads may have held locks.
[[noreturn]] void become(const char* command, char* const* environment, int log, std::int64_t memory_mib,
                         const sigset_t& signals) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // where we are killed outright
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (memory_mib > 0) {
    const auto bytes = static_cast<rlim_t>(memory_mib) << 20;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  const char* const arguments[] = {"/bin/sh", "-c", command, nullptr};
  execve("/bin/sh", const_cast<char* const*>(arguments), environment);
  _exit(127);
}

pid_t start(const ChildOptions& options) {
  const int log = open(options.log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (log < 0) throw ResourceError("cannot write " + options.log + ": " + std::strerror(errno), {.file = options.log});
  const std::vector<std::string> entries = environment_with(options.environment);
  std::vector<char*> environment;
  for (const std::string& entry : entries) environment.push_back(const_cast<char*>(entry.c_str()));
  environment.push_back(nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  const pid_t child = fork();
  if (child == 0) become(options.command.c_str(), environment.data(), log, options.memory_mib, signals);
  const int error = errno;
  close(log);
  if (child < 0) throw ResourceError(std::string("no process can be started: ") + std::strerror(error));
  setpgid(child, child);  // here as well, so that it holds whoever runs first
  return child;
}

// Ends whatever is left of the group; the leader is asked first where it still runs.
void end_group(pid_t child, bool& running, int& status, rusage& usage) {
  kill(-child, SIGTERM);
  const auto deadline = Clock::now() + kGrace;
  while (running && Clock::now() < deadline) {
    if (wait4(child, &status, WNOHANG, &usage) == child) running = false;
    if (running) std::this_thread::sleep_for(kPoll);
  }
  kill(-child, SIGKILL);
  if (running && wait4(child, &status, 0, &usage) == child) running = false;
}

std::string tail_of(const std::string& path, std::uintmax_t from) {
  std::ifstream file(path, std::ios::binary);
  const std::uintmax_t size = std::filesystem::file_size(path);
  file.seekg(static_cast<std::streamoff>(std::max(from, size > kTailBytes ? size - kTailBytes : 0)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.size() > kTailLines) lines.erase(lines.begin(), lines.end() - kTailLines);
  return join(lines, "\n");
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ChildResult run_child(const ChildOptions& options) {
  std::error_code none;
  const std::uintmax_t log_start =
      std::filesystem::exists(options.log) ? std::filesystem::file_size(options.log, none) : 0;
  const auto begun = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  const pid_t child = start(options);
  ChildResult result;
  bool running = true;
  int status = 0;
  rusage usage{};
  while (running && !stop_requested() && !result.timed_out) {
    if (wait4(child, &status, WNOHANG, &usage) == child)
      running = false;
    else if (options.timeout > 0 && elapsed() > options.timeout)
      result.timed_out = true;
    else
      std::this_thread::sleep_for(kPoll);
  }
  result.seconds = elapsed();
  end_group(child, running, status, usage);
  throw_if_stopped();
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.peak_kib = usage.ru_maxrss;
  result.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  result.log_tail = tail_of(options.log, log_start);
  return result;
}

std::string shell_word(const std::string& text) {
  const char* const kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace scvet::jobs
