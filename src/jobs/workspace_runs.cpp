// Reading back the records of runs.
#include <algorithm>
#include <filesystem>

#include "run_record.h"
#include "scvet/jobs/workspace.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

RunSummary summarise(const fs::path& folder, const json& record) {
  RunSummary run;
  run.started = text_field(record, "started");
  run.finished = text_field(record, "finished");
  run.task = text_field(record, "task");
  run.method = text_field(record, "method");
  run.input = text_field(record, "input");
  run.status = text_field(record, "status");
  run.message = text_field(record, "message");
  run.folder = folder.string();
  if (const auto code = record.find("exit_code"); code != record.end() && code->is_number_integer())
    run.exit_code = code->get<int>();
  if (run.status == "running" && process_is_gone(record)) run.status = "lost";
  return run;
}

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> folders;
  if (!fs::is_directory(parent)) return folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent))
    if (entry.is_directory() && !entry.path().filename().string().starts_with(".")) folders.push_back(entry.path());
  return folders;
}

}  // namespace

std::vector<RunSummary> list_runs(const std::string& runs, const std::string& task, std::int64_t limit) {
  std::vector<RunSummary> all;
  for (const fs::path& of_task : folders_in(runs)) {
    if (!task.empty() && of_task.filename() != task) continue;
    for (const fs::path& folder : folders_in(of_task)) {
      const json record = read_record((folder / "run.json").string());
      if (record.is_object()) all.push_back(summarise(folder, record));
    }
  }
  // Several runs a second are common; their names then tell no order, but keep it the same each time.
  std::sort(all.begin(), all.end(), [](const RunSummary& a, const RunSummary& b) {
    return a.started != b.started ? a.started > b.started : a.folder > b.folder;
  });
  if (limit > 0 && static_cast<std::int64_t>(all.size()) > limit) all.resize(static_cast<std::size_t>(limit));
  return all;
}

}  // namespace scvet::jobs
