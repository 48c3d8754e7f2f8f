// `scvet trial prepare`: what a lock would be made of, without any label.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/npy.h"
#include "scvet/jobs/run_folder.h"
#include "scvet/trial/label_audits.h"
#include "scvet/trial/lock_tables.h"
#include "scvet/trial/protocol.h"
#include "scvet/trial/screen.h"
#include "scvet/trial/split.h"
#include "trial_inputs.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

std::string options_text(const TrialPrepareOptions& options) {
  return json{{"layer", options.counts.layer},
              {"row_key", options.counts.row_key},
              {"target_key", options.counts.target_key},
              {"batch_key", options.counts.batch_key},
              {"control_label", options.counts.control_label},
              {"min_cells", options.min_cells},
              {"obsm", options.embedding.obsm},
              {"same_order", options.embedding.same_order}}
      .dump();
}

// Pseudo-row, row that it copies, cells matched by batch, cells drawn from all.
std::string null_rows_text(const trial::Design& design, const std::vector<std::int64_t>& eligible) {
  std::string text = "null_row\tcopied_row\tmatched_cells\tungrouped_cells\n";
  const auto names = [&](const std::vector<std::int64_t>& places) {
    std::vector<std::string> found;
    for (const std::int64_t place : places) found.push_back(design.cell_names[static_cast<std::size_t>(place)]);
    return join(found, ",");
  };
  int number = 0;
  for (const trial::NullRow& row : trial::draw_null_rows(design, eligible))
    text += fmt::format("null_{:03d}\t{}\t{}\t{}\n", ++number, design.rows[static_cast<std::size_t>(row.like)].id,
                        names(row.matched), names(row.ungrouped));
  return text;
}

// What lock would refuse, as far as it can be told without labels.
std::vector<std::string> look_ahead(const trial::Screen& scan, const trial::Design& design, int min_cells) {
  const std::vector<std::string> genes = sorted_distinct(targets_of(design, scan.eligible));
  trial::Protocol protocol;
  protocol.min_cells = min_cells;
  const trial::PartSizes parts =
      trial::part_sizes(static_cast<std::int64_t>(genes.size()), trial::split_fractions(protocol));
  std::vector<std::string> findings = {
      fmt::format("parts by target gene: train {}, val {}, test {}", parts.train, parts.val, parts.test)};
  if (parts.test < 50)
    findings.push_back(fmt::format("lock will ask for --underpowered: {} test target genes, 50 needed", parts.test));
  if (scan.n_genes < 1000)
    findings.push_back(fmt::format("lock will ask for --underpowered: {} genes, 1,000 needed", scan.n_genes));
  const double rows = static_cast<double>(scan.eligible.size()) * 0.15;
  if (rows < 100)
    findings.push_back(fmt::format("lock will ask for --underpowered: about {:.0f} test rows, 100 needed", rows));
  return findings;
}

TrialPrepareResult summary(const std::string& folder, const json& facts) {
  TrialPrepareResult result;
  result.folder = folder;
  result.n_cells = facts.at("cells");
  result.n_genes = facts.at("genes");
  result.n_nt = facts.at("control_cells");
  result.n_rows = facts.at("rows");
  result.n_eligible = facts.at("eligible_rows");
  result.n_targets = facts.at("target_genes");
  result.findings = facts.at("findings").get<std::vector<std::string>>();
  return result;
}

}  // namespace

TrialPrepareResult prepare_trial(const TrialPrepareOptions& options) {
  const std::string outdir = options.outdir.empty() ? "results/trial-prepare" : options.outdir;
  const bool embedded = !options.embedding.path.empty() || !options.embedding.obsm.empty();
  TrialScreenFile screen = open_screen(options.counts);
  std::vector<std::string> inputs = {options.counts.path};
  if (!options.embedding.path.empty()) inputs.push_back(options.embedding.path);
  RunFolder run(outdir, "trial prepare", options_text(options), options.seed, inputs);
  if (run.complete() && !options.force) {
    TrialPrepareResult result = summary(outdir, json::parse(read_file(run.path("prepare.json"))));
    result.already_complete = true;
    return result;
  }
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design,
                                                {.min_cells = options.min_cells, .labels = false}, options.counts.path);
  const auto n_rows = static_cast<std::int64_t>(scan.eligible.size());
  const trial::Features features = trial::make_features(scan.x_delta, n_rows, scan.n_genes);
  std::set<std::string> targets;
  for (const trial::DesignRow& row : screen.design.rows) targets.insert(row.target);
  json facts = {{"cells", screen.design.cell_names.size()},
                {"genes", scan.n_genes},
                {"control_cells", screen.design.nt_cells.size()},
                {"rows", screen.design.rows.size()},
                {"eligible_rows", n_rows},
                {"target_genes", targets.size()},
                {"layer", screen.layer},
                {"counts_digest", scan.counts_digest},
                {"design_digest", screen.design.digest},
                {"findings", look_ahead(scan, screen.design, options.min_cells)}};
  std::vector<std::string> outputs = {"rows.tsv",         "genes.txt", "x_delta.npy",
                                      "x_unit_delta.npy", "mag.npy",   "null_rows.tsv"};
  write_file(run.path("rows.tsv"), trial::rows_tsv(row_lines(screen.design, scan, options.min_cells)));
  write_file(run.path("genes.txt"), join(screen.counts->var().names, "\n") + "\n");
  io::write_npy(run.path("x_delta.npy"), scan.x_delta.data(), n_rows, scan.n_genes);
  io::write_npy(run.path("x_unit_delta.npy"), features.x_unit_delta.data(), n_rows, scan.n_genes);
  io::write_npy(run.path("mag.npy"), features.mag.data(), n_rows, 4);
  write_file(run.path("null_rows.tsv"), null_rows_text(screen.design, scan.eligible));
  if (embedded) {
    const TrialEmbeddingPass pass =
        read_trial_embedding(options.embedding, options.counts.path, screen.design, scan.eligible, scan.record_hash);
    io::write_npy(run.path("z_emb.npy"), pass.z.data(), n_rows, pass.n_dims);
    facts["embedding"] = {{"digest", pass.digest}, {"dimensions", pass.n_dims}, {"cells_not_in_counts", pass.n_extra}};
    outputs.push_back("z_emb.npy");
  }
  write_file(run.path("prepare.json"), facts.dump(2) + "\n");
  outputs.push_back("prepare.json");
  run.finish(outputs);
  return summary(outdir, facts);
}

}  // namespace scvet::jobs
