// Talk for people: always to stderr, and to the run folder's log.txt once one is open. Results never go here.
#pragma once

#include <string>
#include <string_view>

namespace scvet {

enum class LogLevel { kQuiet, kNormal, kVerbose };

struct LogOptions {
  LogLevel level = LogLevel::kNormal;
  bool json = false;  // one JSON object a line
};

void set_log_options(const LogOptions& options);
const LogOptions& log_options();

// Copies every line to `path` as well, whatever the level; an empty path stops that.
void open_log_file(const std::string& path);

void log_info(std::string_view message);     // shown unless --quiet
void log_verbose(std::string_view message);  // shown with --verbose
void log_warning(std::string_view message);  // always shown
void log_error(std::string_view message);    // always shown

}  // namespace scvet
