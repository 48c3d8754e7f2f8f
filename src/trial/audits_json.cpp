#include "scvet/trial/audits.h"

#include "analysis_json.h"

namespace scvet::trial {
namespace {

Json by_name(const std::map<std::string, double>& values) {
  Json found = Json::object();
  for (const auto& [name, value] : values) found[name] = real_json(value);
  return found;
}

Json cell_count_json(const CellCountAudit& audit) {
  Json residual = Json::object(), groups = Json::array();
  for (const auto& [name, each] : audit.residual)
    residual[name] = {{"rho_n", real_json(each.rho_n)}, {"rho_n_given_norm", real_json(each.rho_n_given_norm)}};
  for (const CellCountAudit::Group& group : audit.groups)
    groups.push_back({{"name", group.name},
                      {"rows", group.rows},
                      {"r2", by_name(group.r2)},
                      {"mb", real_json(group.mb)},
                      {"mg", real_json(group.mg)},
                      {"sm", real_json(group.sm)}});
  return {{"rows", audit.rows},
          {"rho", by_name(audit.rho)},
          {"residual", residual},
          {"tertiles", {{"bounds", {real_json(audit.q1), real_json(audit.q2)}}, {"groups", groups}}}};
}

Json null_rows_json(const NullRowAudit& audit) {
  const auto kind = [](const NullRowAudit::Kind& each) {
    return Json{{"mean", real_json(each.mean)}, {"q95", real_json(each.q95)}, {"rho_n", real_json(each.rho_n)}};
  };
  return {{"count", audit.count},
          {"replicate_seed", audit.seed},
          {"matched", kind(audit.matched)},
          {"ungrouped", kind(audit.ungrouped)},
          {"batch_difference", real_json(audit.batch_difference)},
          {"real_below_q95", real_json(audit.real_below_q95)},
          {"real_rows", audit.real_rows}};
}

Json stratum_json(const StratumResult& result) {
  Json r2 = nullptr;
  if (!result.scores.empty()) {
    r2 = Json::object();
    for (const PredictorSummary& each : result.scores) r2[each.name] = real_json(each.r2.mean);
  }
  const auto delta = [&](double Deltas::*mean) {
    return result.deltas ? real_json((*result.deltas).*mean) : Json(nullptr);
  };
  return {{"unit", result.unit},
          {"stratum", stratum_name(result.stratum)},
          {"rows", result.rows},
          {"genes", result.genes},
          {"too_few", result.too_few},
          {"note", result.note},
          {"r2", r2},
          {"mb", delta(&Deltas::mean_mb)},
          {"mg", delta(&Deltas::mean_mg)},
          {"gb", delta(&Deltas::mean_gb)},
          {"sm", delta(&Deltas::mean_sm)},
          {"a1", optional_json(result.a1, intervals_json)},
          {"a1g", optional_json(result.a1g, intervals_json)},
          {"sensitivity_category",
           optional_json(result.sensitivity_category, [](Category each) { return Json(category_name(each)); })}};
}

Json overlap_json(const OverlapAudit& audit) {
  Json strata = Json::array();
  for (const StratumResult& each : audit.strata) strata.push_back(stratum_json(each));
  return {{"source", audit.source},
          {"nontargeting",
           {{"exposed", audit.nontargeting.exposed},
            {"clean", audit.nontargeting.clean},
            {"unknown", audit.nontargeting.unknown},
            {"share", real_json(audit.nontargeting.share())}}},
          {"nontargeting_touches_all", audit.nontargeting_touches_all},
          {"strata", strata}};
}

Json embedding_json(const EmbeddingFlags& flags) {
  return {{"constant_within_row", {{"ratio", real_json(flags.within_row_ratio)}, {"flag", flags.constant_within_row}}},
          {"same_counts_different_embedding",
           {{"groups", flags.groups},
            {"cells", flags.cells},
            {"differing", flags.differing},
            {"flag", flags.same_counts_different_embedding}}},
          {"reextract", optional_json(flags.reextract, [](const EmbeddingFlags::Reextract& each) {
             return Json{{"cells", each.cells}, {"largest", real_json(each.largest)}, {"flag", each.flag}};
           })}};
}

}  // namespace

std::string audits_json(const Audits& audits) {
  Json clipped = Json::object();
  for (const Part part : kParts) {
    const Clipped& each = audits.clipped[static_cast<std::size_t>(part)];
    clipped[part_name(part)] = {{"rows", each.rows}, {"clipped", each.clipped}, {"share", real_json(each.share())}};
  }
  return canonical({{"schema", "scvet-trial-audits-1"},
                    {"arm", audits.arm},
                    {"lock", audits.lock},
                    {"cell_count", cell_count_json(audits.cell_count)},
                    {"null_rows", optional_json(audits.null_rows, null_rows_json)},
                    {"overlap", optional_json(audits.overlap, overlap_json)},
                    {"split_half", optional_json(audits.split_half,
                                                 [](const SplitHalf& each) {
                                                   return Json{{"r", real_json(each.r)},
                                                               {"ceiling", real_json(each.ceiling)},
                                                               {"replicates", each.replicates}};
                                                 })},
                    {"clipped", clipped},
                    {"embedding", optional_json(audits.embedding, embedding_json)}});
}

}  // namespace scvet::trial
