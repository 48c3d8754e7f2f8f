#include "prepare_ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/text.h"
#include "scvet/base/version.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

json caps_json(const PrepareOptions& options) {
  json caps = json::array();
  for (const CellCap& cap : options.max_per) caps.push_back({{"column", cap.column}, {"most", cap.most}});
  return caps;
}

json genes_json(const PreparedFile& file) {
  const GeneChoice& genes = file.genes;
  return {{"n", file.n_genes},
          {"symbols_from", genes.symbol_from},
          {"ensembl_ids_from", genes.ensembl_from},
          {"symbols_empty_or_ensembl", genes.n_unusable},
          {"symbols_only_ending_in_version", genes.n_versioned},
          {"named_by_symbol", genes.n_symbol},
          {"named_by_ensembl_id", genes.n_ensembl},
          {"no_fallback", genes.n_no_fallback},
          {"index_changed", genes.n_changed},
          {"gene_symbol", column_fate_name(file.gene_symbol)},
          {"ensembl_id", column_fate_name(file.ensembl_id)}};
}

json obs_json(const PreparedFile& file) {
  return {{"n", file.n_cells},
          {"barcode", column_fate_name(file.obs.barcode)},
          {"batch_id", column_fate_name(file.obs.batch)},
          {"batches", file.obs.batches},
          {"cells_without_batch", file.obs.n_batch_missing}};
}

}  // namespace

bool PreparedFile::nothing_changed() const {
  const auto same = [](ColumnFate fate) { return fate == ColumnFate::kSame || fate == ColumnFate::kAbsent; };
  return genes.n_changed == 0 && same(gene_symbol) && same(ensembl_id) && same(obs.barcode) && same(obs.batch) &&
         !raw_dropped && !draw;
}

json prepare_options_json(const PrepareOptions& options) {
  return {{"symbol_key", options.symbol_key},
          {"symbol_key_given", options.symbol_key_given},
          {"keep_versioned", options.keep_versioned},
          {"batch_from", options.batch_from},
          {"batch_from_given", options.batch_from_given},
          {"label_key", options.label_key},
          {"overwrite_obs", options.overwrite_obs},
          {"genome", options.genome},
          {"modality", options.modality},
          {"subsample", options.subsample},
          {"max_per", caps_json(options)}};
}

json draw_json(const CellDraw& draw, const PrepareOptions& options, std::int64_t n_cells) {
  json strata = json::array();
  for (const DrawStratum& stratum : draw.strata)
    strata.push_back({{"label", stratum.label}, {"before", stratum.before}, {"after", stratum.after}});
  return {{"seed", options.seed},
          {"subsample", options.subsample},
          {"max_per", caps_json(options)},
          {"stratified_by", draw.stratified_by},
          {"cells_before", n_cells},
          {"cells_after", draw.cells.size()},
          {"strata", strata}};
}

json ledger_json(const PreparedFile& file, const PrepareOptions& options) {
  json ledger = {{"scvet_version", version()},
                 {"source", {{"path", file.source}, {"format", file.format}, {"sha256", file.sha256_before}}},
                 {"output", {{"path", file.target}, {"sha256", file.sha256_after}}},
                 {"options", prepare_options_json(options)},
                 {"genes", genes_json(file)},
                 {"obs", obs_json(file)},
                 {"raw", file.raw_dropped ? "dropped" : "absent"},
                 {"X",
                  {{"matrix", file.matrix},
                   {"copied_as_stored", !file.x_before.empty()},
                   {"stored_sha256_before", file.x_before.empty() ? json() : json(file.x_before)},
                   {"stored_sha256_after", file.x_after.empty() ? json() : json(file.x_after)},
                   {"first_cells", file.values},
                   {"why", file.values_why}}},
                 {"nothing_changed", file.nothing_changed()},
                 {"notes", file.notes}};
  ledger["subsample"] = file.draw ? draw_json(*file.draw, options, file.n_cells) : json();
  return ledger;
}

std::vector<std::string> ledger_lines(const PreparedFile& file, const PrepareOptions& options) {
  const GeneChoice& genes = file.genes;
  std::vector<std::string> lines = {
      fmt::format("{} -> {}: {} cells x {} genes", file.source, file.target, format_count(file.n_cells),
                  format_count(file.n_genes)),
      fmt::format("gene names: {} symbols are empty or Ensembl ids; {} only end in .N and were {}",
                  format_count(genes.n_unusable), format_count(genes.n_versioned),
                  options.keep_versioned ? "kept (--keep-versioned)" : "not taken (--keep-versioned keeps them)"),
      fmt::format(
          "genes named by symbol {}, by Ensembl id {}, kept for want of an id (no_fallback) {}; {} names differ "
          "from the old index",
          format_count(genes.n_symbol), format_count(genes.n_ensembl), format_count(genes.n_no_fallback),
          format_count(genes.n_changed)),
      fmt::format("var: gene_symbol {}, ensembl_id {}; obs: barcode {}, batch_id {}{}; raw {}",
                  column_fate_name(file.gene_symbol), column_fate_name(file.ensembl_id),
                  column_fate_name(file.obs.barcode), column_fate_name(file.obs.batch),
                  file.obs.batches.empty() ? "" : fmt::format(" ({} batches)", file.obs.batches.size()),
                  file.raw_dropped ? "dropped" : "absent")};
  if (!file.x_before.empty()) lines.push_back("X: the stored bytes are the same before and after");
  if (file.draw)
    lines.push_back(fmt::format(
        "drew {} of {} cells (seed {}{}{}); X has their values, its other cells are not in the "
        "output",
        format_count(static_cast<std::int64_t>(file.draw->cells.size())), format_count(file.n_cells), options.seed,
        file.draw->stratified_by.empty() ? "" : ", stratified by ", file.draw->stratified_by));
  if (file.nothing_changed()) lines.push_back("nothing changed: the file was prepared already");
  for (const std::string& note : file.notes) lines.push_back("note: " + note);
  return lines;
}

}  // namespace scvet::jobs
