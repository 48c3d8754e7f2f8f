#include "scvet/jobs/workspace_text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/jobs/task_run.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Columns side by side, two spaces between; the last is not padded.
std::string grid(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      line += row[at];
      if (at + 1 < row.size()) line += std::string(widths[at] - row[at].size() + 2, ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string dump(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

json environment_json(const std::vector<EnvironmentFact>& facts) {
  json all = json::array();
  for (const EnvironmentFact& fact : facts)
    all.push_back({{"name", fact.name}, {"value", fact.value}, {"good", fact.good}});
  return all;
}

std::string environment_text(const std::vector<EnvironmentFact>& facts) {
  std::vector<std::vector<std::string>> rows;
  for (const EnvironmentFact& fact : facts)
    rows.push_back({fact.good ? "  [OK  ]" : "  [NOTE]", fact.name, fact.value});
  return grid(rows);
}

std::int64_t count_files(const std::string& folder, const std::string& extension) {
  std::int64_t n = 0;
  std::error_code none;
  for (fs::recursive_directory_iterator at(folder, none), end; at != end; at.increment(none))
    n += at->is_regular_file() && at->path().extension() == extension;
  return n;
}

struct Info {
  TaskPlaces places;
  std::map<std::string, std::int64_t> runs;  // by status
  std::int64_t n_embeddings = 0;
};

Info gather(const std::string& named) {
  Info info;
  TaskOptions options;
  options.workspace = named;
  info.places = task_places(options);
  for (const RunSummary& run : list_runs(info.places.runs, "", 0)) ++info.runs[run.status];
  info.n_embeddings = count_files(info.places.results + "/embeddings", ".h5ad");
  return info;
}

}  // namespace

std::string init_text(const InitResult& result) {
  return "workspace " + result.workspace.root + "\nmade: " + join(result.made, ", ") + "\n" +
         environment_text(result.environment) + "next: scvet embed --method pca --data FILE.h5ad\n";
}

std::string init_json(const InitResult& result) {
  return dump({{"workspace", result.workspace.root},
               {"made", result.made},
               {"environment", environment_json(result.environment)}});
}

std::string methods_text(const std::vector<MethodRow>& rows) {
  std::vector<std::vector<std::string>> cells = {{"method", "name", "category", "gpu", "tasks", "container"}};
  for (const MethodRow& row : rows)
    cells.push_back({row.method, row.name, row.category, row.gpu ? "yes" : "no",
                     row.available ? row.tasks : "not in this version", row.container});
  return grid(cells);
}

std::string methods_json(const std::vector<MethodRow>& rows) {
  json all = json::array();
  for (const MethodRow& row : rows) {
    json tasks = json::array();
    for (const std::string& task : split(row.tasks, ',')) tasks.push_back(trim(task));
    all.push_back({{"method", row.method},
                   {"name", row.name},
                   {"category", row.category},
                   {"gpu", row.gpu},
                   {"tasks", tasks},
                   {"container", row.container},
                   {"available", row.available}});
  }
  return dump(all);
}

std::string tasks_text(const std::vector<TaskRow>& rows) {
  std::vector<std::vector<std::string>> cells = {{"task", "status", "description"}};
  for (const TaskRow& row : rows) cells.push_back({row.task, row.status, row.description});
  return grid(cells);
}

std::string tasks_json(const std::vector<TaskRow>& rows) {
  json all = json::array();
  for (const TaskRow& row : rows)
    all.push_back({{"task", row.task}, {"status", row.status}, {"description", row.description}});
  return dump(all);
}

std::string runs_text(const std::vector<RunSummary>& runs) {
  if (runs.empty()) return "no runs\n";
  std::vector<std::vector<std::string>> cells = {{"started", "task", "method", "status", "exit", "run directory"}};
  for (const RunSummary& run : runs)
    cells.push_back({run.started.substr(0, 19), run.task, run.method, run.status,
                     run.exit_code < 0 ? "" : std::to_string(run.exit_code), run.folder});
  return grid(cells);
}

std::string runs_json(const std::vector<RunSummary>& runs) {
  json all = json::array();
  for (const RunSummary& run : runs) {
    json one = {{"started", run.started}, {"finished", run.finished}, {"task", run.task},     {"method", run.method},
                {"input", run.input},     {"status", run.status},     {"run_dir", run.folder}};
    one["exit_code"] = run.exit_code < 0 ? json(nullptr) : json(run.exit_code);
    if (!run.message.empty()) one["message"] = run.message;
    all.push_back(one);
  }
  return dump(all);
}

std::string info_text(const std::string& named_workspace) {
  const Info info = gather(named_workspace);
  const TaskPlaces& places = info.places;
  std::vector<std::vector<std::string>> rows = {
      {"scvet", version()},
      {"workspace", places.workspace.found() ? places.workspace.root + " (" + places.workspace.marker + ")"
                                             : "none here: 'scvet init' makes one, and no command needs one"},
      {"results", places.results},
      {"embeddings", format_count(info.n_embeddings) + " files"},
      {"weights", places.weights},
      {"cache", places.cache},
      {"runs", places.runs}};
  for (const auto& [status, count] : info.runs) rows.push_back({"  " + status, format_count(count)});
  return grid(rows) + environment_text(environment_report(places.workspace.found() ? places.workspace.root : "."));
}

std::string info_json(const std::string& named_workspace) {
  const Info info = gather(named_workspace);
  const TaskPlaces& places = info.places;
  json all = {
      {"scvet_version", version()},
      {"results", places.results},
      {"weights", places.weights},
      {"cache", places.cache},
      {"runs_dir", places.runs},
      {"runs", info.runs},
      {"embeddings", info.n_embeddings},
      {"environment", environment_json(environment_report(places.workspace.found() ? places.workspace.root : "."))}};
  all["workspace"] = places.workspace.found() ? json(places.workspace.root) : json(nullptr);
  return dump(all);
}

}  // namespace scvet::jobs
