// A command is one file in cli/commands/ that ends with one CommandRecord. It parses, calls one function of jobs, and
// prints; it computes nothing.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace scvet::cli {

// Flags that every command takes.
struct CommonFlags {
  std::string outdir;  // --outdir; "" = the command's own default
  std::uint64_t seed = 42;
  int threads = 0;  // 0 = all processors
  bool quiet = false, verbose = false, log_json = false, force = false;
};

struct CommandRecord {
  const char* name;     // "inspect", "corpus build"
  const char* summary;  // one line
  // Adds the command's own flags to `app` and returns what to run after parsing. The returned function may read
  // `common`, which outlives it. Long help goes into app.footer(): examples, outputs, exit codes.
  std::function<void()> (*add)(CLI::App& app, const CommonFlags& common);
};
std::span<const CommandRecord* const> commands();

}  // namespace scvet::cli
