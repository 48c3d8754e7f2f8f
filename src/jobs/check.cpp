#include "scvet/jobs/check.h"

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "check_extra.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/jobs/paths.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

std::vector<GeneVocabulary> load_vocabularies(const CheckOptions& options) {
  std::vector<GeneVocabulary> loaded;
  for (const std::string& path : options.vocabularies) loaded.push_back(load_gene_vocabulary(path));
  return loaded;
}

void check_options(const CheckOptions& options) {
  method_needs(options.method);
  if (!options.role.empty() && options.role != "reference" && options.role != "query")
    throw UsageError("--role is reference or query; found '" + options.role + "'", {.field = "--role"});
}

// X, or what stands in its place in formats other than AnnData.
const MatrixInfo* find_x(const std::vector<MatrixInfo>& matrices) {
  for (const MatrixInfo& info : matrices)
    if (info.name != "raw/X" && !info.name.starts_with("layers/")) return &info;
  return nullptr;
}

CheckReport unreadable(CheckReport report, const std::string& why) {
  report.lines.push_back({CheckLevel::kFail, "readable", "cannot be read: " + why});
  report.confounding.cramers_v = std::numeric_limits<double>::quiet_NaN();
  report.confounding.undefined = "the file cannot be read";
  return report;
}

void look(CellFile& file, const CheckOptions& options, std::span<const GeneVocabulary> vocabularies,
          CheckReport& report) {
  report.n_cells = file.obs().rows();
  report.n_genes = file.var().rows();
  const MethodNeeds needs = method_needs(options.method);
  const std::vector<MatrixInfo> matrices = file.matrices();
  CheckSubject subject{file, options, needs, find_x(matrices)};
  std::optional<MatrixScan> scan;
  const Column* batches = file.obs().find(options.batch_key);
  const Groups groups = batches ? make_groups(*batches) : Groups{};
  if (subject.x) try {
      scan = scan_matrix(*file.open_matrix(subject.x->name), batches ? &groups : nullptr);
      subject.scan = &*scan;
    } catch (const DataError& error) {
      subject.fault = error.what();
    }
  apply_rules(subject, report);
  add_extras(subject, vocabularies, report);
  if (!scan) return;
  report.values = std::move(scan->values);
  report.values.row_sums.clear();
}

CheckReport check_one(const std::string& path, const CheckOptions& options,
                      std::span<const GeneVocabulary> vocabularies) {
  CheckReport report;
  report.path = path;
  report.name = base_name(path);
  report.sample_id = stem(path);
  try {
    const std::unique_ptr<CellFile> file =
        io::open_cells(path, {.genome = options.genome, .modality = options.modality});
    look(*file, options, vocabularies, report);
  } catch (const DataError& error) {
    return unreadable(std::move(report), error.what());
  } catch (const UsageError& error) {  // a file of several modalities or genomes, and none was chosen
    return unreadable(std::move(report), error.what());
  }
  return report;
}

std::string options_text(const CheckOptions& options) {
  return json{{"method", options.method},
              {"label_key", options.label_key},
              {"batch_key", options.batch_key},
              {"role", options.role},
              {"genome", options.genome},
              {"modality", options.modality},
              {"vocabularies", options.vocabularies}}
      .dump();
}

// A report that an earlier run wrote: only whether it failed is asked.
bool failed_before(const std::string& path) {
  const json report = json::parse(read_file(path), nullptr, false);
  return report.is_object() && report.value("failed", true);
}

}  // namespace

CheckReport check_file(const std::string& path, const CheckOptions& options) {
  check_options(options);
  return check_one(path, options, load_vocabularies(options));
}

CheckResult run_check(const TaskOptions& task, const CheckOptions& options) {
  check_options(options);
  const std::vector<GeneVocabulary> vocabularies = load_vocabularies(options);
  const TaskPlaces places = task_places(task);
  const std::vector<SampleFile> samples = sample_files(options.data, "--data");
  const std::string folder = places.results + "/check/";
  const std::string method = options.method.empty() ? "input" : method_needs(options.method).name;
  std::vector<TaskRequest> requests;
  for (const SampleFile& sample : samples) {
    TaskRequest request{.task = "check", .method = method, .input = sample.path, .options = options_text(options)};
    request.files = {sample.path};
    request.files.insert(request.files.end(), options.vocabularies.begin(), options.vocabularies.end());
    requests.push_back(std::move(request));
  }
  CheckResult result;
  result.outcomes = run_tasks(task, places, requests, [&](std::size_t at, TaskRun& run) {
    const CheckReport report = check_one(samples[at].path, options, vocabularies);
    const std::string stem = folder + samples[at].sample_id + "_check";
    write_file(stem + ".txt", check_text(report));
    write_file(stem + ".json", check_json(report));
    run.add_output(stem + ".txt");
    run.add_output(stem + ".json");
  });
  for (std::size_t at = 0; at < samples.size(); ++at) {
    const std::string& status = result.outcomes[at].status;
    if (status != "ok" && status != "unchanged") continue;
    const std::string stem = folder + samples[at].sample_id + "_check";
    const std::string text = read_file(stem + ".txt");
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (failed_before(stem + ".json")) result.failed.push_back(samples[at].sample_id);
  }
  std::fflush(stdout);
  return result;
}

}  // namespace scvet::jobs
