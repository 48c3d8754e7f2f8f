#include "scvet/io/columnar_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;

// $SCVET_PLUGINS alone where it is set, else beside the program, as './dev build' leaves it, or where it is installed.
std::vector<std::string> plugin_folders() {
  if (const char* named = std::getenv("SCVET_PLUGINS"); named && *named) return {named};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {program.string(), (program / "../lib/scvet").lexically_normal().string()};
}

struct Loaded {
  const ColumnarPlugin* plugin = nullptr;
  std::string fault;  // why there is none
};

Loaded load_from(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    return {nullptr, fmt::format("{} cannot be loaded ({})", path, why ? why : "no reason given")};
  }
  using Entry = const ColumnarPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, kColumnarPluginSymbol));
  if (!entry) return {nullptr, fmt::format("{} has no function {}", path, kColumnarPluginSymbol)};
  const ColumnarPlugin* plugin = entry();
  if (plugin->interface_number != kColumnarInterface || std::string_view(plugin->version) != version())
    return {nullptr, fmt::format("{} is of scvet {} (interface {}), this program is {} (interface {})", path,
                                 plugin->version, plugin->interface_number, version(), kColumnarInterface)};
  return {plugin, ""};
}

// Once a process; a plugin is never unloaded.
const Loaded& loaded() {
  static const Loaded result = [] {
    const std::vector<std::string> folders = plugin_folders();
    std::error_code error;
    for (const std::string& folder : folders) {
      const std::string path = (fs::path(folder) / kColumnarPluginFile).string();
      if (fs::exists(path, error)) return load_from(path);
    }
    return Loaded{nullptr, fmt::format("{} is not in {}", kColumnarPluginFile, join(folders, " or "))};
  }();
  return result;
}

const ColumnarPlugin& require_plugin(const std::string& path, const char* purpose) {
  const Loaded& result = loaded();
  if (!result.plugin)
    throw ResourceError(
        fmt::format("{}: {} needs scvet's Arrow plugin, and {}. Run './dev setup' and './dev build' (they fetch the "
                    "pyarrow wheel and build the plugin), or name its folder in SCVET_PLUGINS",
                    path, purpose, result.fault),
        {.file = path, .reason = "missing_plugin"});
  return *result.plugin;
}

std::string head_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  char head[8] = {};
  file.read(head, sizeof head);
  return {head, static_cast<std::size_t>(file.gcount())};
}

}  // namespace

bool looks_like_arrow(const std::string& path) {
  const std::string head = head_of(path);
  return head.starts_with("ARROW1") || head.starts_with("\xff\xff\xff\xff");
}

bool looks_like_parquet(const std::string& path) { return head_of(path).starts_with("PAR1"); }

std::unique_ptr<ColumnarFile> open_columnar(const std::string& path) {
  return require_plugin(path, looks_like_parquet(path) ? "reading parquet" : "reading an Arrow file").open(path);
}

bool parquet_writer_available() { return loaded().plugin != nullptr; }

void write_parquet(const std::string& path, const Table& table) {
  const ColumnarPlugin& plugin = require_plugin(path, "writing parquet");
  AtomicPath target(path);
  plugin.write_parquet(target.temporary(), table);
  target.commit();
}

}  // namespace scvet::io
