#include <filesystem>

#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/random.h"
#include "scvet/io/h5ad_writer.h"
#include "scvet/jobs/demo.h"
#include "scvet/jobs/trial.h"
#include "scvet/jobs/trial_simulate.h"
#include "scvet/trial/lock_records.h"

namespace scvet::jobs {
namespace {

void write_screen(const std::string& path, TrialSimulation& simulation) {
  io::H5adContent content;
  content.obs = &simulation.screen.obs;
  content.var = &simulation.screen.counts->var();
  content.x = simulation.screen.counts.get();
  content.obsm = simulation.embeddings;
  io::write_h5ad(path, content);
}

// What an audit of the pretraining corpus would say: a third of the perturbations were seen, in part or whole.
void write_overlap(const std::string& path, const TrialSimulation& simulation, std::uint64_t seed) {
  const Table& obs = simulation.screen.obs;
  const Column& row = *obs.find("gene_transcript");
  std::string text = "cell,exposure\n";
  for (std::int64_t cell = 0; cell < obs.rows(); ++cell) {
    const auto group = static_cast<std::uint64_t>(row.codes[static_cast<std::size_t>(cell)]);
    const bool control = row.text(cell) == "non-targeting";
    const double share = control ? 0 : group % 6 == 0 ? .3 : group % 6 == 3 ? .8 : 0;
    Stream draw(stream_key(seed, static_cast<std::uint64_t>(cell) + 1));
    text += obs.names[static_cast<std::size_t>(cell)] + (draw.unit() < share ? ",exposed\n" : ",clean\n");
  }
  write_file(path, text);
}

void write_extraction(const std::string& path, const std::string& tool, std::int64_t n_genes) {
  trial::ExtractionRecord record;
  record.checkpoint = record.vocabulary = record.tokenisation = record.normalisation = record.binning = "none";
  record.layer = record.pooling = record.pretraining_corpus = record.pretraining_snapshot = "none";
  record.precision = "float32";
  record.tool = tool;
  record.tool_version = "1";
  record.genes_matched = record.genes_total = n_genes;
  record.cells_truncated = 0;
  write_file(path, trial::extraction_json(record));
}

// The simulated arms: where they lie, and what they are.
struct DemoArm {
  const char *name, *model, *obsm;
};
constexpr DemoArm kArms[] = {{"informed", "programme-encoder", "X_informed"}, {"noise", "noise-encoder", "X_noise"}};

}  // namespace

TrialDemoResult run_trial_demo(const DemoOptions& options) {
  TrialDemoResult result;
  result.folder = options.outdir.empty() ? "results/demo-trial" : options.outdir;
  result.trial = result.folder + "/trial";
  make_folders(result.folder);
  // A demo may be repeated: its own trial of before, with the record of it, makes room.
  const std::string state = result.folder + "/state";
  std::filesystem::remove_all(result.trial);
  std::filesystem::remove_all(state);

  log_info("simulating a Perturb-seq screen");
  TrialSimulation simulation = simulate_trial({.seed = options.seed});
  const std::string screen = result.folder + "/screen.h5ad", overlap = result.folder + "/overlap.csv",
                    extraction = result.folder + "/extraction.json";
  write_screen(screen, simulation);
  write_overlap(overlap, simulation, options.seed);
  write_extraction(extraction, "scvet demo", simulation.screen.counts->info().n_genes);

  TrialCounts counts;
  counts.path = screen;
  prepare_trial(
      {.counts = counts, .embedding = {.obsm = kArms[0].obsm}, .outdir = result.folder + "/prepared", .force = true});
  const TrialPlace place{.folder = result.trial, .state_dir = state};
  for (const DemoArm& arm : kArms) {
    const TrialArm registered{.name = arm.name, .model = arm.model, .extraction = extraction};
    const TrialEmbedding embedding{.path = screen, .obsm = arm.obsm};
    log_info(std::string("arm ") + arm.name);
    if (&arm == &kArms[0])
      lock_trial({.place = place, .counts = counts, .embedding = embedding, .arm = registered, .attested_by = "demo"});
    else
      add_trial_arm({.place = place, .arm = registered, .embedding = embedding, .counts = screen});
    check_trial({.place = place, .arm = arm.name, .embedding = embedding});
    test_trial({.place = place, .arm = arm.name, .embedding = embedding});
    posthoc_trial({.place = place, .arm = arm.name, .embedding = embedding, .counts = screen, .overlap = overlap});
  }
  const TrialReportResult report = write_trial_report(result.trial, {.state_dir = state});
  result.report = report.html;
  result.arms = report.arms;
  return result;
}

}  // namespace scvet::jobs
