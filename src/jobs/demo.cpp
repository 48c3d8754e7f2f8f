#include "scvet/jobs/demo.h"

#include <algorithm>
#include <map>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/io/h5ad_writer.h"
#include "scvet/jobs/audit.h"
#include "scvet/jobs/corpus.h"
#include "scvet/jobs/simulate.h"

namespace scvet::jobs {
namespace {

void write_simulated(const std::string& path, SimulatedFile& file) {
  io::H5adContent content;
  content.obs = &file.obs;
  content.var = &file.counts->var();
  content.x = file.counts.get();
  io::write_h5ad(path, content);
}

const std::map<std::string, std::string>& meanings() {
  static const std::map<std::string, std::string> kMeanings = {
      {"exact", "copies of corpus cells"},
      {"thinned", "copies that kept 60 % of their molecules"},
      {"stranger", "other cells of the corpus' own types and donors"},
      {"rare", "other cells of a type that is rare in the corpus"},
      {"unrelated", "cells of types that the corpus lacks"}};
  return kMeanings;
}

std::vector<DemoRow> compare(const Simulation& truth, const AuditJobResult& audit, const std::string& corpus_path) {
  const auto corpus = sketch::Corpus::open(corpus_path);
  std::vector<DemoRow> rows;
  for (const char* planted : {"exact", "thinned", "stranger", "rare", "unrelated"})
    rows.push_back({planted, meanings().at(planted)});
  const std::vector<audit::CellOutcome>& cells = audit.datasets.front().cells;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    DemoRow& row = *std::find_if(rows.begin(), rows.end(),
                                 [&](const DemoRow& candidate) { return candidate.planted == truth.planted[cell]; });
    const audit::CellOutcome& outcome = cells[cell];
    ++row.n_cells;
    row.n_exact += outcome.exact;
    row.n_same_cell += outcome.same_cell;
    row.n_suspect += outcome.suspect;
    row.n_undecidable += outcome.status == audit::CellStatus::kUndecidableRare;
    row.n_right_cell += !truth.source_cell[cell].empty() && outcome.best.row >= 0 &&
                        corpus->origin(outcome.best.row).cell == truth.source_cell[cell];
  }
  return rows;
}

}  // namespace

DemoResult run_demo(const DemoOptions& options) {
  DemoResult result;
  result.folder = options.outdir.empty() ? "results/demo" : options.outdir;
  make_folders(result.folder);
  log_info("simulating two studies and a benchmark with planted copies");
  Simulation truth = simulate({.seed = options.seed});
  CorpusBuildOptions build;
  for (SimulatedFile& file : truth.corpus) {
    build.inputs.push_back(result.folder + "/" + file.name + ".h5ad");
    write_simulated(build.inputs.back(), file);
  }
  const std::string benchmark = result.folder + "/benchmark.h5ad";
  write_simulated(benchmark, truth.benchmark);

  build.out = result.folder + "/demo.corpus";
  build.name = "scvet demo corpus (simulated)";
  build.cutoff = "2021-06";
  build.force = true;
  build_corpus(build);

  AuditJobOptions audit;
  audit.benchmarks = {benchmark};
  audit.corpora = {build.out};
  audit.outdir = result.folder + "/audit";
  audit.seed = options.seed;
  audit.released = "2023-02";
  audit.force = true;
  const AuditJobResult audited = run_audit(audit);
  result.report = audited.report;
  result.verdict = audited.sentences.front();
  result.rows = compare(truth, audited, build.out);
  return result;
}

}  // namespace scvet::jobs
