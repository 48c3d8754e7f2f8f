#include "scvet/jobs/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "audit_copies.h"
#include "audit_data.h"
#include "audit_dictionary.h"
#include "audit_outputs.h"
#include "audit_paper.h"
#include "audit_report_input.h"
#include "audit_run.h"
#include "scvet/audit/null.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/registry.h"
#include "scvet/base/text.h"
#include "scvet/io/columnar.h"
#include "scvet/jobs/audit_report.h"
#include "scvet/jobs/run_folder.h"
#include "scvet/report/csv.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

// Every option that can change a result, and what the tables beside the inputs hold: for the record and for resuming.
std::string options_json(const AuditJobOptions& options, const CellInputOptions& reading) {
  const auto digest = [](const std::string& table) { return table.empty() ? "" : sha256_path(table); };
  const json record = {{"benchmark", options.benchmarks},
                       {"corpus", options.corpora},
                       {"engine", options.engine},
                       {"null", options.nulls},
                       {"paper", options.paper},
                       {"sensitivity", options.sensitivity},
                       {"max_copies", options.max_copies},
                       {"min_genes", options.min_genes},
                       {"thinning", options.thinning},
                       {"clear_below", options.clear_below},
                       {"fingerprint", options.fingerprint},
                       {"top_k", options.top_k},
                       {"vocabulary", options.vocabulary},
                       {"dictionary", options.dictionary},
                       {"dictionary_digest", reading.tokens ? reading.tokens->digest() : ""},
                       {"gene_metadata", digest(reading.gene_metadata)},
                       {"gene_table_digest", reading.names ? digest(reading.names->path()) : ""},
                       {"label_key", options.label_key},
                       {"donor_key", options.donor_key},
                       {"batch_key", options.batch_key},
                       {"dataset_key", options.dataset_key},
                       {"released", options.released},
                       {"organism", options.organism},
                       {"gene_key", options.gene_key},
                       {"gene_table", options.gene_table},
                       {"layer", options.layer},
                       {"genome", options.genome},
                       {"modality", options.modality},
                       {"values", options.values},
                       {"duplicate_genes", options.duplicate_genes},
                       {"write_clean", options.write_clean}};
  return record.dump();
}

void check_month(const std::string& text, const char* flag) {
  if (text.empty()) return;
  const auto month =
      text.size() == 7 && text[4] == '-' ? parse_integer(std::string_view(text).substr(5)) : std::nullopt;
  if (!month || *month < 1 || *month > 12 || !parse_integer(std::string_view(text).substr(0, 4)))
    throw UsageError(fmt::format("{} {}: expected a month as YYYY-MM, such as 2021-06", flag, text), {.field = flag});
}

std::optional<NameTable> name_table(const AuditJobOptions& options) {
  if (!options.gene_table.empty()) return NameTable::load(options.gene_table);
  return NameTable::find_default();
}

double sampled_share(const Corpora& corpora) {
  double share = 1;
  for (const auto& corpus : corpora) {
    const json extra = json::parse(corpus->card().extra_json, nullptr, false);
    if (extra.is_object() && extra.contains("sampled_share") && extra["sampled_share"].is_number())
      share = std::min(share, extra["sampled_share"].get<double>());
  }
  if (!(share > 0 && share <= 1))
    throw DataError("the corpus card's sampled_share must lie above 0 and not above 1", {.field = "sampled_share"});
  return share;
}

AuditSetup make_setup(const AuditJobOptions& options) {
  AuditSetup setup;
  setup.options = &options;
  setup.corpora = open_corpora(options.corpora);
  setup.audit.seed = options.seed;
  setup.audit.nulls = options.nulls;
  setup.audit.engine = &find_variant(sketch::engines(), options.engine, "engine");
  for (const std::string& null : options.nulls) find_variant(audit::nulls(), null, "null");
  setup.audit.max_copies = options.max_copies;
  setup.audit.neighbours = options.max_copies <= 3 ? 20 : 30;
  setup.audit.min_genes = options.min_genes;
  setup.audit.thinning = options.thinning;
  setup.audit.clear_below = options.clear_below;
  setup.audit.sampled_share = sampled_share(setup.corpora);
  for (const auto& corpus : setup.corpora) {
    if (corpus->card().cutoff.empty()) {
      setup.cutoff.clear();
      break;
    }
    setup.cutoff = std::max(setup.cutoff, corpus->card().cutoff);
  }
  return setup;
}

AuditJobResult earlier_result(const RunFolder& run) {
  AuditJobResult result;
  result.reused = true;
  const json record = json::parse(read_file(run.path("audit.json")));
  for (const json& dataset : record.at("datasets")) {
    result.names.push_back(dataset.at("name").get<std::string>());
    result.sentences.push_back(dataset.at("verdict").at("sentence").get<std::string>());
    result.exposed = result.exposed || dataset.at("verdict").at("kind") == "exposed";
    const json& line = dataset.at("paper_line");
    if (line.at("null") == "uniform") result.summaries.push_back(line.at("sentence").get<std::string>());
  }
  return result;
}

}  // namespace

std::vector<std::string> null_names() {
  std::vector<std::string> names;
  for (const audit::NullRecord* null : audit::nulls())
    if (std::string_view(null->kind) == "null") names.emplace_back(null->name);
  return names;
}

AuditJobResult run_audit(const AuditJobOptions& given) {
  const AuditJobOptions options = with_paper(given);
  const bool uniform = std::find(options.nulls.begin(), options.nulls.end(), "uniform") != options.nulls.end();
  if (uniform) log_warning(kUniformWarning);
  check_month(options.released, "--released");
  const AuditSetup setup = make_setup(options);
  const std::optional<NameTable> names = name_table(options);
  CellInputOptions reading;
  reading.gene_key = options.gene_key;
  reading.layer = options.layer;
  reading.genome = options.genome;
  reading.modality = options.modality;
  reading.organism = options.organism;
  reading.duplicate_genes = parse_duplicate_genes(options.duplicate_genes);
  reading.as_is = parse_values_as_is(options.values);
  if (names) reading.names = std::shared_ptr<const NameTable>(std::shared_ptr<void>(), &*names);
  choose_dictionary(options, setup.corpora.front()->rule(), options.corpora.front(), reading);

  std::vector<std::string> inputs = options.benchmarks;
  inputs.insert(inputs.end(), options.corpora.begin(), options.corpora.end());
  const std::string folder =
      !options.outdir.empty() ? options.outdir : "results/audit/" + stem(options.benchmarks.front());
  RunFolder run(folder, "audit", options_json(options, reading), options.seed, inputs);
  if (run.complete() && !options.force) {
    log_info(folder + " is complete and unchanged since an earlier run; --force computes it again");
    AuditJobResult result = earlier_result(run);
    result.folder = folder;
    result.report = run.path("report.html");
    return result;
  }

  std::vector<BenchmarkFile> files;
  std::deque<AuditedSet> sets;
  for (const std::string& path : options.benchmarks) {
    files.push_back(load_benchmark(path, reading, setup.corpora.front()->rule()));
    const BenchmarkFile& file = files.back();
    std::vector<std::string> notes = file.warnings;
    const std::vector<UniverseGroup> groups = match_corpora(file, setup.corpora, names ? &*names : nullptr, notes);
    for (BenchmarkSet& set : split_benchmark(file, options)) {
      sets.push_back(audit_set(setup, file, std::move(set), groups, sets.size()));
      sets.back().file = files.size() - 1;
      sets.back().report.warnings = notes;
    }
    for (const std::string& note : notes) log_warning(note);
  }

  AuditJobResult result;
  std::vector<audit::DatasetAudit> outcomes;
  std::vector<AuditedCells> cells;
  const AuditReportInput input = report_input(setup, run, sets, files, names);
  const std::string json_text = audit_json(input);
  write_file(run.path("report.html"), audit_html(input, json_text));
  write_file(run.path("audit.json"), json_text);
  std::vector<std::string> outputs = {"report.html", "audit.json", "cells.csv", "clean_cells.txt"};
  write_copies(options, run, files, sets, outputs);
  for (AuditedSet& audited : sets) {
    result.names.push_back(audited.outcome.name);
    result.sentences.push_back(audited.outcome.verdict.sentence);
    if (uniform) result.summaries.push_back(paper_sentence(paper_line(audited.outcome, true), options.engine));
    result.exposed = result.exposed || audited.outcome.verdict.kind == audit::VerdictKind::kExposed;
    outcomes.push_back(std::move(audited.outcome));
    cells.push_back(std::move(audited.cells));
  }
  const Table table = cells_table(outcomes, cells);
  write_file(run.path("cells.csv"), report::to_csv(table));
  if (io::parquet_writer_available()) {
    io::write_parquet(run.path("cells.parquet"), table);
    outputs.emplace_back("cells.parquet");
  }
  write_file(run.path("clean_cells.txt"), clean_cells_text(outcomes, cells));
  run.finish(outputs);
  result.folder = folder;
  result.report = run.path("report.html");
  result.datasets = std::move(outcomes);
  return result;
}

}  // namespace scvet::jobs
