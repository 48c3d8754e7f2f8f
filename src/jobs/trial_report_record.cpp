// The record of the trial: checklist, parts, ledger, lineage, and how to verify it.
#include <cmath>

#include <fmt/format.h>

#include "scvet/base/text.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Document;
using report::Grid;

namespace {

Grid::Column code_column(std::string name) {
  return {.name = std::move(name), .numeric = false, .explanation = {}, .nowrap = false, .code = true};
}

Grid parts_grid(const TrialView& view) {
  Grid grid{.id = "parts", .caption = "Parts", .columns = {}, .rows = {}};
  grid.columns = {text_column("Part"), number_column("Rows"), number_column("Target genes")};
  for (const auto& [name, part] : {std::pair{"train", view.manifest.train}, std::pair{"val", view.manifest.val},
                                   std::pair{"test", view.manifest.test}})
    grid.rows.push_back({name, report::count_cell(part.rows), report::count_cell(part.target_genes)});
  return grid;
}

std::string seeds_text(const TrialView& view) {
  std::vector<std::string> seeds;
  for (const std::uint32_t seed : view.protocol.seeds) seeds.push_back(std::to_string(seed));
  return join(seeds, ", ");
}

std::string split_text(const TrialView& view) {
  const std::string seed = view.manifest.split_seed ? std::to_string(*view.manifest.split_seed) : "none";
  return seed + " (" + view.manifest.split_origin + ")";
}

std::string parity(const TrialView& view, const ArmView& arm) {
  for (const trial::LedgerEvent& event : view.ledger.events)
    if (event.arm == arm.name && event.event == "PREDICTED")
      return trial::data_text(event.data, "parity_max_abs_delta");
  return "";
}

std::int64_t openings(const TrialView& view, const ArmView& arm) {
  std::int64_t n = 0;
  for (const trial::LedgerEvent& event : view.ledger.events) n += event.arm == arm.name && event.event == "TEST_OPENED";
  return n;
}

Grid checklist_grid(const TrialView& view) {
  Grid grid{.id = "checklist",
            .caption = "",
            .columns = {text_column("Item"), code_column("Found"), text_column("Holds")},
            .rows = {}};
  const auto add = [&](const std::string& item, const std::string& found, bool holds) {
    grid.rows.push_back({item, found, flag_cell(holds, "yes", "no")});
  };
  add("Files, hashes and ledger agree",
      view.problems.empty() ? "no disagreement"
                            : counted(static_cast<std::int64_t>(view.problems.size()), "problem", "problems"),
      view.problems.empty());
  add("Lock id is the SHA-256 of manifest.json", view.lock_id, !view.lock_id.empty());
  add("Protocol fixed before the test", view.manifest.protocol_sha256,
      trial::protocol_hash(view.protocol) == view.manifest.protocol_sha256);
  add("Target genes in two parts", std::to_string(view.manifest.leaked_target_genes),
      view.manifest.leaked_target_genes == 0);
  add("Split seed follows from data and protocol", split_text(view), view.manifest.split_origin == "derived");
  add("Published rule of the cascade", trial::is_default_rule(view.protocol) ? "unchanged" : "changed",
      trial::is_default_rule(view.protocol));
  add("Large enough for its rules", view.manifest.underpowered ? "underpowered" : "yes", !view.manifest.underpowered);
  add("Numerics", view.manifest.numerics, !view.manifest.numerics.empty());
  for (const ArmView& arm : view.arms) {
    const bool sane = arm.history.sanity_attempts > 0 && !arm.history.sanity_sha256.empty();
    add(arm.name + ": trained twice, equal in every bit",
        sane ? counted(arm.history.sanity_attempts, "attempt", "attempts") : "not done", sane);
    const std::string delta = parity(view, arm);
    add(arm.name + ": retraining before the test equal to sanity",
        delta.empty() ? "not done" : "largest difference " + delta, delta == "0");
    const std::int64_t opened = openings(view, arm);
    add(arm.name + ": test opened at most once",
        counted(opened, "opening", "openings") + ", state " + trial::state_name(arm.state), opened <= 1);
    add(arm.name + ": frozen representation",
        arm.record && !arm.record->extraction.fine_tuned ? "stated" : "not stated",
        arm.record && !arm.record->extraction.fine_tuned);
  }
  return grid;
}

Grid ledger_grid(const TrialView& view) {
  Grid grid{.id = "ledger", .caption = "Ledger", .columns = {}, .rows = {}, .note = {}, .first_is_header = false};
  grid.columns = {number_column("Line"),
                  {.name = "Time", .nowrap = true},
                  text_column("Event"),
                  text_column("Arm"),
                  code_column("SHA-256 of the line")};
  for (const trial::LedgerEvent& event : view.ledger.events)
    grid.rows.push_back({report::count_cell(event.seq), event.time, event.event,
                         event.arm.empty() ? "the lock" : event.arm, event.hash});
  grid.note = "Each line holds the SHA-256 of the one before it.";
  return grid;
}

Grid lineage_grid(const TrialView& view) {
  Grid grid{.id = "lineage",
            .caption = "",
            .columns = {text_column("File"), code_column("SHA-256"), text_column("Made by"), text_column("From")},
            .rows = {}};
  const auto add = [&](const std::string& file, const std::string& hash, const char* by, const char* from) {
    grid.rows.push_back({file, hash.empty() ? "\xE2\x80\x93" : hash, by, from});
  };
  const trial::ManifestRecord& manifest = view.manifest;
  add("counts (" + view.data.layer + ")", view.data.counts_file_sha256, "the study", "the screen");
  add("protocol.json", manifest.protocol_sha256, "lock", "options");
  add("data.json", manifest.data_sha256, "lock", "counts");
  add("rows.tsv", manifest.rows_sha256, "lock", "counts, obs");
  add("split.tsv", manifest.split_sha256, "lock", "rows.tsv, split seed");
  add("labels.trainval.tsv", manifest.labels_trainval_sha256, "lock", "counts");
  add("labels.test.tsv", manifest.labels_test_sha256, "lock", "counts; withheld until the test");
  add("x_delta (array)", manifest.x_delta_sha256, "lock", "counts");
  add("x_unit_delta (array)", manifest.x_unit_delta_sha256, "lock", "x_delta");
  add("mag (array)", manifest.mag_sha256, "lock", "x_delta");
  add("manifest.json", view.lock_id, "lock", "all of the above");
  if (!view.ledger.fixed_sha256.empty())
    add("fixed.tsv", view.ledger.fixed_sha256, "first sanity", "x_unit_delta, mag, train labels");
  for (const ArmView& arm : view.arms) {
    const std::string folder = "arms/" + arm.name + "/";
    if (arm.record) add("embedding of " + arm.name, arm.record->embedding_digest, "the encoder", "counts");
    if (arm.record) add("z of " + arm.name + " (array)", arm.record->z_sha256, "lock or add-arm", "embedding");
    add(folder + "arm.json", arm.history.arm_sha256, "lock or add-arm", "role, extraction record, embedding");
    if (!arm.history.sanity_sha256.empty())
      add(folder + "sanity.json", arm.history.sanity_sha256, "sanity", "z, train labels, fixed.tsv");
    if (!arm.history.predictions_sha256.empty())
      add(folder + "predictions.tsv", arm.history.predictions_sha256, "final-test", "z, train labels");
    if (!arm.history.metrics_sha256.empty())
      add(folder + "metrics.json", arm.history.metrics_sha256, "final-test", "predictions.tsv, labels.test.tsv");
    if (!arm.history.outcome_sha256.empty())
      add(folder + "outcome.json", arm.history.outcome_sha256, "final-test", "metrics.json, protocol.json");
  }
  return grid;
}

void add_extraction(Document& page, const TrialView& view, const ArmView& arm) {
  if (!arm.record) return;
  const trial::ExtractionRecord& record = arm.record->extraction;
  const auto text = [](const std::optional<std::string>& value) { return value ? *value : "null"; };
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? format_count(*value) : std::string("null");
  };
  page.begin_details("Extraction record of " + arm.name, numbered_arm("extraction", view, arm));
  page.facts(
      {{"Model", arm.model()},
       {"Role", arm.history.role},
       {"Embedding", arm.record->embedding_key + ", " + counted(arm.record->dim, "dimension", "dimensions")},
       {"Checkpoint", text(record.checkpoint) + ", SHA-256 " + text(record.checkpoint_sha256)},
       {"Vocabulary", text(record.vocabulary) + ", SHA-256 " + text(record.vocabulary_sha256)},
       {"Genes matched", number(record.genes_matched) + " of " + number(record.genes_total)},
       {"Tokenisation", text(record.tokenisation)},
       {"Normalisation, binning", text(record.normalisation) + ", " + text(record.binning)},
       {"Maximum length, cells cut", number(record.max_length) + ", " + number(record.cells_truncated)},
       {"Layer, pooling, precision", text(record.layer) + ", " + text(record.pooling) + ", " + text(record.precision)},
       {"Tool", text(record.tool) + " " + text(record.tool_version)},
       {"Pretraining corpus", text(record.pretraining_corpus) + ", snapshot " + text(record.pretraining_snapshot)},
       {"Fine-tuned", record.fine_tuned ? "yes" : "no"}});
  page.end_details();
}

}  // namespace

void add_checklist(Document& page, const TrialView& view) {
  page.section("Reproducibility checklist", "checklist");
  page.table(checklist_grid(view));
  page.table(parts_grid(view));
  page.facts({{"Model seeds", seeds_text(view)},
              {"Split seed", split_text(view)},
              {"Label formula",
               "phase_c_consistent_global_nt_ad_v1; raw counts only; D1.5 not used for the outcome; no p-values"},
              {"Locked", view.manifest.created + " by scvet " + view.manifest.software_version},
              {"Attested by " + view.manifest.attested_by,
               "representation frozen; no test label seen; no tuning on the test; label rule unchanged across phases"},
              {"Supersedes", view.manifest.supersedes
                                 ? view.manifest.supersedes->lock + ": " + view.manifest.supersedes->reason
                                 : "nothing"},
              {"Ledger head", fmt::format("{} lines, {}", view.ledger.count(), view.ledger.head())}},
             "record");
  page.begin_details("Ledger, line by line", "ledger-lines");
  page.table(ledger_grid(view));
  page.end_details();
  for (const ArmView& arm : view.arms) add_extraction(page, view, arm);
}

void add_lineage(Document& page, const TrialView& view) {
  page.section("Lineage of files", "lineage");
  page.table(lineage_grid(view));
}

void add_verify(Document& page, const TrialView& view) {
  page.section("Deposit and verification", "verify");
  if (view.deposits.empty()) {
    page.paragraph(
        "Nothing was deposited. A deposit of the lock id before the test, and of the ledger head after it, at a place that "
        "keeps dates (a registry, a journal, a timestamp service) proves when this lock was fixed; it does not prove that it "
        "was the only one.");
  } else {
    Grid grid{.id = "deposits", .caption = "Deposits", .columns = {}, .rows = {}, .note = {}, .first_is_header = false};
    grid.columns = {number_column("Line"), text_column("Time"), text_column("Status"), text_column("Where"),
                    code_column("Ledger head before it")};
    for (const trial::Deposit& deposit : view.deposits)
      grid.rows.push_back({report::count_cell(deposit.seq), deposit.time, deposit.status, deposit.text, deposit.head});
    grid.note = "A deposit proves when this lock was fixed; it does not prove that it was the only one.";
    page.table(grid);
  }
  page.facts({{"Lock id", view.lock_id}, {"Counts digest", view.data.counts_digest}}, "lock-id");
  page.paragraph(
      "Anyone who has this folder checks its integrity with the first command. With the counts and the embeddings the second "
      "recomputes labels, features, split and scores, and the third trains everything again.");
  page.code("scvet trial verify --trial " + view.folder + "\nscvet trial verify --trial " + view.folder +
                " --level 2 --counts COUNTS.h5ad\nscvet trial verify --trial " + view.folder +
                " --full --counts COUNTS.h5ad",
            "verify-commands");
}

}  // namespace scvet::jobs::trial_page
