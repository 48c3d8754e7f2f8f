#include "embed_external.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "child_process.h"
#include "embed_join.h"
#include "method_list.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/jobs/paths.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

using Values = std::vector<std::pair<std::string, std::string>>;

Values placeholders(const std::string& input, const std::string& output, const std::string& folder,
                    const EmbedOptions& options) {
  return {{"input", fs::absolute(input).lexically_normal().string()},
          {"output", output},
          {"run_dir", folder},
          {"seed", std::to_string(options.seed)},
          {"threads", std::to_string(workers())},
          {"batch_key", options.batch_key},
          {"label_key", options.label_key},
          {"model", options.model}};
}

// {name} becomes the value as one shell word; braces around anything else stay, as shells have braces of their own.
std::string fill(const std::string& command, const Values& values) {
  std::string filled;
  for (std::size_t at = 0; at < command.size();) {
    bool found = false;
    for (const auto& [name, value] : values) {
      const std::string marked = "{" + name + "}";
      if (command.compare(at, marked.size(), marked) != 0) continue;
      filled += shell_word(value);
      at += marked.size();
      found = true;
      break;
    }
    if (!found) filled += command[at++];
  }
  return filled;
}

std::map<std::string, std::string> environment(const Values& values) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : values) {
    std::string upper = "SCVET_";
    for (const char letter : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    all[upper] = value;
  }
  return all;
}

void record(TaskRun& run, const std::string& command, const ChildResult& result) {
  json facts = {{"command", command},
                {"seconds", result.seconds},
                {"cpu_seconds", result.cpu_seconds},
                {"peak_memory_kib", result.peak_kib},
                {"timed_out", result.timed_out}};
  facts["exit_code"] = result.exit_code;
  facts["signal"] = result.signal;
  run.add_fact("external", facts.dump());
}

void require_success(const ChildResult& result, const EmbedOptions& options, const std::string& log) {
  const std::string said =
      result.log_tail.empty() ? "; it wrote nothing" : "; its last lines:\n" + result.log_tail + "\n";
  const std::string where = " (all of it: " + log + ")";
  const std::string& name = options.external.name;
  if (result.timed_out)
    throw ResourceError(fmt::format("{}: still running after --timeout {} s and was ended{}{}", name,
                                    format_number(options.external.timeout), said, where),
                        {.field = "--timeout", .reason = "timeout"});
  if (result.exit_code == 0) return;
  const std::string how = result.signal != 0 ? fmt::format("was ended by signal {}", result.signal)
                                             : fmt::format("ended with exit code {}", result.exit_code);
  const std::string limit =
      options.external.memory_mib > 0 ? fmt::format(" under --memory-limit {} MiB", options.external.memory_mib) : "";
  throw ModelError(fmt::format("{}: the command {}{}{}{}", name, how, limit, said, where),
                   {.field = "--command", .reason = "command_failed"});
}

}  // namespace

std::string external_name(const ExternalOptions& options) {
  if (options.command.empty())
    throw UsageError("--method external needs --command '...': it reads {input} and writes {output}",
                     {.field = "--command"});
  std::string name = clean_name(options.name);
  if (name.empty())
    throw UsageError("--method external needs --name NAME: how tables and folders call it (letters, digits, _ . -)",
                     {.field = "--name"});
  for (const std::string& method : variant_names_of_methods())
    if (lower(name) == method)
      throw UsageError("--name " + name + ": a method of scvet has this name; choose another",
                       {.field = "--name", .reason = "taken"});
  if (name != options.name) log_info("--name " + options.name + " is written " + name);
  return name;
}

std::string external_options_json(const EmbedOptions& options) {
  json all = {{"command", options.external.command},
              {"output", options.external.output},
              {"batch_key", options.batch_key},
              {"label_key", options.label_key},
              {"model", options.model},
              {"command_files", json::object()}};
  // A script that changed is another program.
  for (const std::string& word : split(options.external.command, ' ')) {
    std::error_code none;
    if (fs::is_regular_file(word, none)) all["command_files"][word] = sha256_path(word);
  }
  return all.dump();
}

embed::MethodOutput run_external(TaskRun& run, const EmbedInput& input, const EmbedOptions& options) {
  const std::string folder = fs::absolute(run.folder()).lexically_normal().string();
  const std::string output = folder + "/output." + options.external.output;
  // Of an earlier try in this folder.
  for (const std::string& old : {output, output + ".names"}) fs::remove(old);
  const Values values = placeholders(input.file->path(), output, folder, options);
  ChildOptions child;
  child.command = fill(options.external.command, values);
  child.environment = environment(values);
  child.log = folder + "/log.txt";
  child.timeout = options.external.timeout;
  child.memory_mib = options.external.memory_mib;
  log_info(options.external.name + ": " + child.command);
  const ChildResult result = run_child(child);
  record(run, child.command, result);
  require_success(result, options, child.log);
  if (!fs::exists(output))
    throw DataError(
        fmt::format("{}: the command ended well but did not write {{output}} ({})", options.external.name, output),
        {.file = output, .reason = "no_output"});
  embed::MethodOutput joined = join_by_name(output, input.file->obs().names);
  for (const std::string& done : {output, output + ".names"}) fs::remove(done);
  return joined;
}

}  // namespace scvet::jobs
