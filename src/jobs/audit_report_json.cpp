// audit.json. Keys are promised in docs/report.md.
#include <nlohmann/json.hpp>
#include "audit_report_parts.h"

#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using namespace audit_page;
using audit::DatasetAudit;
using Json = nlohmann::json;

Json share_json(const audit::Share& share) {
  return Json::object(
      {{"high", share.high}, {"hits", share.hits}, {"low", share.low}, {"n", share.n}, {"share", share.share}});
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json count_or_null(std::int64_t count) { return count < 0 ? Json(nullptr) : Json(count); }

Json parameters_json(const AuditReportInput& input) {
  const audit::AuditOptions& options = input.options;
  return Json::object({{"clear_below", options.clear_below},
                       {"controls", options.controls},
                       {"fingerprint", input.fingerprint},
                       {"frequency_draws", options.frequency_draws},
                       {"max_copies", options.max_copies},
                       {"min_genes", options.min_genes},
                       {"min_genes_same", options.min_genes_same},
                       {"min_lift", options.min_lift},
                       {"neighbours", audit::neighbours_used(options)},
                       {"nulls", Json(options.nulls)},
                       {"p_suspect", options.p_suspect},
                       {"paper", input.paper},
                       {"q_flag", options.q_flag},
                       {"sampled_share", options.sampled_share},
                       {"thinning", options.thinning},
                       {"top", options.top},
                       {"top_k", input.top_k > 0 ? Json(input.top_k) : Json(nullptr)},
                       {"uniform_draws", options.uniform_draws},
                       {"vocabulary", input.vocabulary}});
}

// What the paper reports for its own data; beside ours under its recipe only.
Json published_json(const AuditReportInput& input) {
  Json rows = Json::array();
  if (!input.paper) return rows;
  for (const PublishedRow& row : published_rows())
    rows.push_back(Json::object({{"benchmark", row.dataset},
                                 {"max_jstar", row.max_jstar},
                                 {"mean_jstar", row.mean_jstar},
                                 {"n", row.n},
                                 {"share_p_below_01", row.share_01},
                                 {"share_p_below_05", row.share_05},
                                 {"status", row.status}}));
  return rows;
}

Json false_positives_json(const audit::FalsePositives& control) {
  Json types = Json::array(), pairs = Json::array();
  for (const auto& type : control.types)
    types.push_back(Json::object({{"label", type.label},
                                  {"n_cells", type.n_cells},
                                  {"n_tested", type.n_tested},
                                  {"n_suspect", type.n_suspect},
                                  {"n_same_cell", type.n_same_cell},
                                  {"rare_flagged", type.rare_flagged},
                                  {"rare_tested", type.rare_tested}}));
  for (const auto& pair : control.pairs)
    pairs.push_back(Json::object({{"cell_row", pair.cell},
                                  {"flag", pair.flag},
                                  {"jaccard", pair.jaccard},
                                  {"lift", pair.lift},
                                  {"match_row", pair.match},
                                  {"p_same", pair.p_same}}));
  return Json::object({{"at_001", share_json(control.at_001)},
                       {"at_01", share_json(control.at_01)},
                       {"at_05", share_json(control.at_05)},
                       {"calibrated", control.calibrated},
                       {"flagged", share_json(control.flagged)},
                       {"n_cells", control.n_cells},
                       {"n_exact", control.n_exact},
                       {"n_same_cell", control.n_same_cell},
                       {"n_suspect", control.n_suspect},
                       {"n_tested", control.n_tested},
                       {"n_undecidable_rare", control.n_undecidable_rare},
                       {"pairs", pairs},
                       {"reason", text_or_null(control.reason)},
                       {"split", text_or_null(control.split)},
                       {"types", types}});
}

Json levels_json(const std::vector<audit::GroupSummary>& levels) {
  Json list = Json::array();
  for (const audit::GroupSummary& level : levels)
    list.push_back(Json::object({{"exposed", share_json(level.exposed)},
                                 {"level", level.level},
                                 {"mean_jstar", level.mean_jstar},
                                 {"n_cells", level.n_cells},
                                 {"n_clean", level.n_clean},
                                 {"n_exact", level.n_exact},
                                 {"n_same_cell", level.n_same_cell},
                                 {"n_suspect", level.n_suspect},
                                 {"n_undecidable_rare", level.n_undecidable_rare}}));
  return list;
}

Json hits_json(const ReportDataset& dataset, bool by_donor) {
  Json list = Json::array();
  for (const CorpusHits& hits : corpus_hits(dataset, by_donor)) {
    Json entry = Json::object({{"dataset", text_or_null(hits.dataset)},
                               {"file", text_or_null(hits.file)},
                               {"n_exact", hits.n_exact},
                               {"n_same_cell", hits.n_same_cell},
                               {"n_suspect", hits.n_suspect},
                               {"total", hits.total()}});
    if (by_donor) entry["donor"] = text_or_null(hits.donor);
    list.push_back(std::move(entry));
  }
  return list;
}

Json distribution_json(const DatasetAudit& outcome) {
  const Distribution distribution = distribution_of(outcome);
  Json jstar = Json::object({{"high", 1}, {"low", 0}}), p_same = jstar;
  for (std::size_t at = 0; at < kClasses; ++at) {
    const char* const key = style_of(static_cast<CellClass>(at)).key;
    jstar["counts"][key] = Json(distribution.jstar[at]);
    p_same["counts"][key] = Json(distribution.p_same[at]);
  }
  p_same["n_at_1"] = distribution.n_p_at_1;
  return Json::object({{"jstar", jstar}, {"p_same", p_same}});
}

Json identities_json(const DatasetAudit& outcome) {
  Json list = Json::array();
  for (const audit::IdentitySummary& test : outcome.identities)
    list.push_back(Json::object({{"benchmark_pairs", test.benchmark_pairs},
                                 {"corpus_pairs", test.corpus_pairs},
                                 {"n_matched", test.n_matched},
                                 {"name", test.name},
                                 {"proves", test.proves}}));
  return list;
}

Json fits_json(const DatasetAudit& outcome) {
  Json list = Json::array();
  for (const audit::LiftFit& fit : outcome.fits)
    list.push_back(Json::object({{"coefficients", Json(fit.coefficients)},
                                 {"mean_ln_size", fit.mean_ln_size},
                                 {"median", fit.median},
                                 {"n_cells", fit.n_cells},
                                 {"scale", fit.scale}}));
  return list;
}

Json scope_json(const ReportDataset& dataset) {
  Json universes = Json::array();
  for (const ReportUniverse& universe : dataset.universes)
    universes.push_back(Json::object({{"genes_per_cell", Json::object({{"high", universe.high_genes},
                                                                       {"low", universe.low_genes},
                                                                       {"median", universe.median_genes}})},
                                      {"group", universe.group},
                                      {"n_genes", universe.n_genes},
                                      {"n_reference", universe.n_reference}}));
  const ReportCoverage& coverage = dataset.coverage;
  return Json::object({{"coverage", Json::object({{"identifiers", text_or_null(coverage.identifiers)},
                                                  {"n_genes", count_or_null(coverage.n_genes)},
                                                  {"n_mapped", count_or_null(coverage.n_mapped)},
                                                  {"notes", Json(coverage.notes)},
                                                  {"organism", text_or_null(coverage.organism)},
                                                  {"share_cells_cut", coverage.share_cells_cut},
                                                  {"share_counts_mapped", coverage.share_counts_mapped},
                                                  {"share_entries_lost", coverage.share_entries_lost}})},
                       {"universes", universes}});
}

Json counts_json(const DatasetAudit& outcome) {
  std::int64_t exposed = 0, clean = 0, no_counts = 0;
  for (const audit::CellOutcome& cell : outcome.cells) {
    exposed += cell.exposure == audit::Exposure::kExposed;
    clean += cell.exposure == audit::Exposure::kClean;
    no_counts += cell.status == audit::CellStatus::kNoCounts;
  }
  const auto n_cells = static_cast<std::int64_t>(outcome.cells.size());
  return Json::object({{"benchmark_duplicate", outcome.n_benchmark_duplicate},
                       {"clean", clean},
                       {"crowded", outcome.n_crowded},
                       {"empty", outcome.n_empty},
                       {"exact", outcome.flagged_exact.hits},
                       {"exposed", exposed},
                       {"no_counts", no_counts},
                       {"same_cell", outcome.flagged_same_cell.hits},
                       {"suspect", outcome.flagged_suspect.hits},
                       {"too_few_genes", outcome.n_too_few},
                       {"undecidable_rare", outcome.n_undecidable_rare},
                       {"unknown", n_cells - exposed - clean}});
}

Json membership_json(const audit::MembershipShare& share) {
  return Json::object({{"donor_high", share.donor_high},
                       {"donor_low", share.donor_low},
                       {"estimate", share.estimate},
                       {"fpr", share.fpr},
                       {"high", share.high},
                       {"low", share.low},
                       {"power", share.power},
                       {"reason", text_or_null(share.reason)},
                       {"sampled", share.sampled},
                       {"thinning", share.thinning}});
}

Json sensitivity_json(const ReportDataset& dataset) {
  const audit::Sensitivity& measured = dataset.sensitivity;
  Json rows = Json::array();
  for (const audit::SensitivityRow& row : measured.rows)
    rows.push_back(Json::object({{"bias", row.bias},
                                 {"flips", row.flips},
                                 {"kind", row.kind},
                                 {"max_jstar", row.max_jstar},
                                 {"mean_jstar", row.mean_jstar},
                                 {"n_cells", row.n_cells},
                                 {"n_exact", row.n_exact},
                                 {"n_references", row.n_references},
                                 {"n_same_cell", count_or_null(row.n_same_cell)},
                                 {"note", text_or_null(row.note)},
                                 {"recall", row.recall},
                                 {"setting", row.setting},
                                 {"share", row.share},
                                 {"share_no_candidate", row.share_no_candidate},
                                 {"verdict", verdict_key(row.verdict)}}));
  return Json::object({{"all_references", measured.all_references},
                       {"group", text_or_null(measured.group)},
                       {"n_cells", measured.n_cells},
                       {"n_references", measured.n_references},
                       {"reason", text_or_null(dataset.sensitivity_reason)},
                       {"rows", rows}});
}

Json residual_json(const audit::ResidualLine& line) {
  return Json::object({{"above_95", line.above_95},
                       {"above_95_flagged", line.above_95_flagged},
                       {"above_99", line.above_99},
                       {"above_99_flagged", line.above_99_flagged},
                       {"explained", line.explained},
                       {"fitted_on", "the benchmark's unflagged cells"},
                       {"max", line.max},
                       {"mean_flagged", line.mean_flagged},
                       {"n_fitted", line.n_fitted},
                       {"n_flagged", line.n_flagged},
                       {"q95", line.q95},
                       {"q99", line.q99},
                       {"reason", text_or_null(line.reason)}});
}

Json dataset_json(const AuditReportInput& input, const ReportDataset& dataset) {
  const DatasetAudit& outcome = *dataset.outcome;
  Json json = scope_json(dataset);
  json["name"] = outcome.name;
  json["path"] = dataset.path;
  json["values"] = text_or_null(dataset.values);
  json["n_cells"] = static_cast<std::int64_t>(outcome.cells.size());
  json["warnings"] = Json(dataset.warnings);
  const audit::Verdict& verdict = outcome.verdict;
  json["verdict"] = Json::object({{"cleared_below", verdict.cleared_below},
                                  {"kind", verdict_key(verdict.kind)},
                                  {"reasons", Json(verdict.reasons)},
                                  {"sentence", verdict.sentence}});
  const ReportExpectation& expectation = dataset.expectation;
  json["expectation"] = Json::object({{"disagrees", expectation.disagrees},
                                      {"expected", text_or_null(expectation.expected)},
                                      {"found", text_or_null(expectation.found)},
                                      {"note", text_or_null(expectation.note)},
                                      {"released", text_or_null(expectation.released)}});
  json["counts"] = counts_json(outcome);
  json["shares"] = Json::object({{"exact", share_json(outcome.flagged_exact)},
                                 {"exposed", share_json(outcome.exposed)},
                                 {"same_cell", share_json(outcome.flagged_same_cell)},
                                 {"suspect", share_json(outcome.flagged_suspect)}});
  json["membership"] = membership_json(outcome.membership);
  json["plants"] = Json::array();
  for (const audit::PlantPower& plant : outcome.plants)
    json["plants"].push_back(
        Json::object({{"by_gene", plant.by_gene}, {"found", share_json(plant.found)}, {"kept", plant.kept}}));
  json["false_positives"] = false_positives_json(outcome.false_positives);
  json["identities"] = identities_json(outcome);
  json["lift_fits"] = fits_json(outcome);
  const PaperLine line = paper_line(outcome, asked_for(input, "uniform"));
  json["paper_line"] = Json::object({{"engine", input.engine},
                                     {"max_jstar", line.max_jstar},
                                     {"mean_jstar", line.mean_jstar},
                                     {"n", line.n},
                                     {"n_p", line.n_p},
                                     {"n_no_candidate", line.n_no_candidate},
                                     {"null", line.null},
                                     {"sentence", paper_sentence(line, input.engine)},
                                     {"share_no_candidate", line.share_no_candidate},
                                     {"share_p_below_01", line.share_01},
                                     {"share_p_below_05", line.share_05}});
  json["residual_line"] = residual_json(dataset.residuals);
  json["sensitivity"] = sensitivity_json(dataset);
  json["notes"] = Json(outcome.notes);
  json["engine_notes"] = Json(outcome.engine_notes);
  json["distribution"] = distribution_json(outcome);
  json["by_label"] = levels_json(outcome.by_label);
  json["by_donor"] = levels_json(outcome.by_donor);
  json["by_batch"] = levels_json(outcome.by_batch);
  json["hits_by_corpus_dataset"] = hits_json(dataset, false);
  json["hits_by_corpus_donor"] = hits_json(dataset, true);
  return json;
}

}  // namespace

std::string audit_json(const AuditReportInput& input) {
  audit_page::require_outcomes(input);
  Json json = Json::object({{"command", input.command},
                            {"engine", input.engine},
                            {"kind", "audit"},
                            {"name_table", text_or_null(input.name_table)},
                            {"parameters", parameters_json(input)},
                            {"published", published_json(input)},
                            {"scvet_version", input.version},
                            {"seed", input.options.seed},
                            {"warnings", Json(input.warnings)}});
  for (const char* const key : {"inputs", "corpora", "nulls", "datasets"}) json[key] = Json::array();
  for (const ReportInputFile& file : input.inputs)
    json["inputs"].push_back(Json::object(
        {{"format", text_or_null(file.format)}, {"path", file.path}, {"role", file.role}, {"sha256", file.sha256}}));
  for (const ReportCorpus& corpus : input.corpora) {
    Json card = Json::object();
    for (const auto& [field, value] : corpus.card) card[field] = text_or_null(value);
    json["corpora"].push_back(Json::object({{"card", card},
                                            {"cutoff", text_or_null(corpus.cutoff)},
                                            {"n_cells", corpus.n_cells},
                                            {"name", corpus.name},
                                            {"path", corpus.path}}));
  }
  for (const ReportNull& null : input.nulls)
    json["nulls"].push_back(Json::object({{"cannot", null.cannot},
                                          {"h0", null.h0},
                                          {"kind", null.kind},
                                          {"name", null.name},
                                          {"proves", null.proves},
                                          {"source", null.source}}));
  for (const ReportDataset& dataset : input.datasets) json["datasets"].push_back(dataset_json(input, dataset));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace scvet::jobs
