#include "scvet/base/log.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>

namespace scvet {
namespace {

std::mutex g_mutex;
LogOptions g_options;
std::FILE* g_file = nullptr;

std::string timestamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void write(std::string_view level, std::string_view message, bool shown) {
  const std::lock_guard lock(g_mutex);
  if (g_file) {
    std::fprintf(g_file, "%s %.*s %.*s\n", timestamp().c_str(), static_cast<int>(level.size()), level.data(),
                 static_cast<int>(message.size()), message.data());
    std::fflush(g_file);
  }
  if (!shown) return;
  if (g_options.json) {
    const nlohmann::json line = {{"time", timestamp()}, {"level", level}, {"message", message}};
    std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else if (level == "info" || level == "verbose") {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
  } else {
    std::fprintf(stderr, "scvet: %.*s: %.*s\n", static_cast<int>(level.size()), level.data(),
                 static_cast<int>(message.size()), message.data());
  }
}

}  // namespace

void set_log_options(const LogOptions& options) { g_options = options; }
const LogOptions& log_options() { return g_options; }

void open_log_file(const std::string& path) {
  const std::lock_guard lock(g_mutex);
  if (g_file) std::fclose(g_file);
  g_file = path.empty() ? nullptr : std::fopen(path.c_str(), "a");
}

void log_info(std::string_view message) { write("info", message, g_options.level != LogLevel::kQuiet); }
void log_verbose(std::string_view message) { write("verbose", message, g_options.level == LogLevel::kVerbose); }
void log_warning(std::string_view message) { write("warning", message, true); }
void log_error(std::string_view message) { write("error", message, true); }

}  // namespace scvet
