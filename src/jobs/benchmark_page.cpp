#include "benchmark_page.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/io/format.h"
#include "scvet/io/text_table.h"
#include "scvet/jobs/benchmark.h"
#include "scvet/jobs/benchmark_report.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

// Files of `folder` whose names end in `ending`, in name order.
std::vector<std::string> files_ending(const std::string& folder, const std::string& ending) {
  std::vector<std::string> paths;
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending))
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Long tables of both groups under one clustering, and of the extras.
std::vector<std::string> score_tables(const std::string& folder, std::string& clustering) {
  std::vector<std::string> leiden, kmeans, extra;
  for (std::string& path : files_ending(folder, "_metrics_long.csv")) {
    auto& list = path.ends_with("_leiden_metrics_long.csv")  ? leiden
                 : path.ends_with("_extra_metrics_long.csv") ? extra
                                                             : kmeans;
    list.push_back(std::move(path));
  }
  if (clustering.empty()) clustering = leiden.empty() ? "kmeans" : "leiden";
  std::vector<std::string>& chosen = clustering == "leiden" ? leiden : kmeans;
  chosen.insert(chosen.end(), extra.begin(), extra.end());
  return std::move(chosen);
}

std::vector<ReportedGeometry> read_geometry(const std::string& path) {
  const io::TextTable file = io::read_text_table(path, {.name_column = "dataset_id", .header = true, .verbatim = true});
  const Column* const method = file.table.find("method");
  if (!method) return {};
  std::vector<ReportedGeometry> rows;
  for (std::int64_t row = 0; row < file.table.rows(); ++row) {
    ReportedGeometry found{file.table.names[static_cast<std::size_t>(row)], method->text(row), {}, {}};
    for (const Column& column : file.table.columns) {
      if (column.name == "failure_reason") found.failure = column.text(row);
      if (const auto number = parse_number(column.text(row))) found.values.emplace_back(column.name, *number);
    }
    rows.push_back(std::move(found));
  }
  return rows;
}

// What made the embeddings of a method, as its first file says.
std::string maker(const std::string& results, const std::string& method) {
  const std::vector<std::string> files = files_ending(results + "/embeddings/" + method, ".h5ad");
  if (files.empty()) return "files elsewhere";
  const std::vector<std::string> keys = io::open_cells(files.front())->uns_keys();
  return std::find(keys.begin(), keys.end(), "scvet_method") == keys.end() ? "another program" : "scvet embed";
}

}  // namespace

std::string refresh_benchmark_page(const std::string& results, const std::string& clustering) {
  BenchmarkReport report;
  const std::string folder = results + "/benchmark";
  std::string clusters = clustering;
  std::set<std::string> methods;
  const auto carry = [&](const std::string& path) { report.tables.push_back({base_name(path), read_file(path)}); };
  for (const std::string& path : score_tables(folder, clusters)) {
    for (ScoreRow& row : read_scores(path)) {
      methods.insert(row.method);
      report.scores.push_back(std::move(row));
    }
    carry(path);
  }
  for (const std::string& path : files_ending(results, "_geometry.csv")) {
    for (ReportedGeometry& row : read_geometry(path)) {
      methods.insert(row.method);
      report.geometry.push_back(std::move(row));
    }
    carry(path);
  }
  if (report.tables.empty()) return "";
  for (const std::string& name : methods) {
    report.methods.push_back(reported_method(name));
    report.methods.back().made_by = maker(results, name);
  }
  report.facts = {{"program", std::string("scvet ") + version()},
                  {"clusters of NMI, HOM, COM, FMI and ARI", clusters},
                  {"neighbours", "exact, Euclidean, up to 90 a cell, the cell itself first"}};
  write_benchmark_report(folder, report);
  return folder + "/report.html";
}

}  // namespace scvet::jobs
