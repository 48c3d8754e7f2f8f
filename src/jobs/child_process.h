// A command line run by /bin/sh in a process group of its own, with limits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace scvet::jobs {

struct ChildOptions {
  std::string command;
  std::string log;                                 // stdout and stderr are appended here
  std::map<std::string, std::string> environment;  // added to that of this process
  double timeout = 0;                              // seconds; 0: none
  std::int64_t memory_mib = 0;                     // address space of each process; 0: no limit
};

struct ChildResult {
  int exit_code = 0;  // of the shell; -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  double seconds = 0;
  double cpu_seconds = 0;
  std::int64_t peak_kib = 0;  // the largest of its processes
  std::string log_tail;       // the last lines that it wrote
};

// Starts in the current folder. Waits; every process of the group is gone on return. Throws Interrupted after Ctrl-C
// (they are killed first), ResourceError when no process can be started.
ChildResult run_child(const ChildOptions& options);

// For a shell: as it is where no character is special, else in single quotes.
std::string shell_word(const std::string& text);

}  // namespace scvet::jobs
