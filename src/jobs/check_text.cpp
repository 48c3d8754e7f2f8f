// A report as the peer lays it out, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scvet/base/version.h"
#include "scvet/jobs/check.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

std::int64_t count(const std::vector<CheckLine>& lines, CheckLevel level) {
  return std::count_if(lines.begin(), lines.end(), [&](const CheckLine& line) { return line.level == level; });
}

std::string plural(std::int64_t n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

std::string verdict(const CheckReport& report) {
  if (report.failed()) return "not ready for embed: see the problems";
  return count(report.lines, CheckLevel::kWarn) > 0 ? "ready for embed, but read the warnings" : "ready for embed";
}

json number(double value) { return std::isfinite(value) ? json(value) : json(); }

json lines_json(const std::vector<CheckLine>& lines) {
  json list = json::array();
  for (const CheckLine& line : lines)
    list.push_back({{"level", check_level_name(line.level)}, {"test", line.test}, {"text", line.text}});
  return list;
}

json values_json(const CheckReport& report) {
  const ValueSummary& values = report.values;
  return {{"state", value_state_name(values.state)},
          {"why", values.why},
          {"stored", values.stored},
          {"nonzero", values.n_nonzero},
          {"nan", values.n_nan},
          {"infinite", values.n_infinite},
          {"negative", values.n_negative},
          {"fractional", values.n_fractional},
          {"sum", number(values.sum)},
          {"max", number(values.max)},
          {"empty_cells", values.n_zero_rows}};
}

json vocabularies_json(const CheckReport& report) {
  json list = json::array();
  for (const VocabularyShare& share : report.vocabularies)
    list.push_back({{"name", share.name},
                    {"gene_ids", share.gene_ids},
                    {"n_vocabulary", share.n_vocabulary},
                    {"n_known", share.n_known},
                    {"n_genes", share.n_genes},
                    {"share_of_counts", number(share.share_counts)},
                    {"unknown_first", share.unknown}});
  return list;
}

json methods_json(const CheckReport& report) {
  json list = json::array();
  for (const MethodEstimate& method : report.methods)
    list.push_back({{"name", method.name},
                    {"label", method.label},
                    {"gene_ids", method.gene_ids},
                    {"estimated_bytes", number(method.bytes)},
                    {"estimated_seconds", number(method.seconds)}});
  return list;
}

}  // namespace

const char* check_level_name(CheckLevel level) {
  switch (level) {
    case CheckLevel::kOk:
      return "OK";
    case CheckLevel::kInfo:
      return "INFO";
    case CheckLevel::kWarn:
      return "WARN";
    case CheckLevel::kFail:
      return "FAIL";
  }
  return "FAIL";
}

bool CheckReport::failed() const { return count(lines, CheckLevel::kFail) + count(ours, CheckLevel::kFail) > 0; }

std::string check_text(const CheckReport& report) {
  std::string text = fmt::format("== {} ==\n", report.name);
  for (const CheckLine& line : report.lines)
    text += fmt::format("  [{:<4}] {}\n", check_level_name(line.level), line.text);
  text += fmt::format("  {} ok, {}, {}\n", count(report.lines, CheckLevel::kOk),
                      plural(count(report.lines, CheckLevel::kWarn), "warning"),
                      plural(count(report.lines, CheckLevel::kFail), "problem"));
  text += "  " + verdict(report) + "\n";
  for (const std::string& limitation : report.limitations) text += "    " + limitation + "\n";
  if (report.ours.empty()) return text;
  text += fmt::format("  + scvet adds: {}, {}\n", plural(count(report.ours, CheckLevel::kWarn), "warning"),
                      plural(count(report.ours, CheckLevel::kFail), "problem"));
  for (const CheckLine& line : report.ours)
    text += fmt::format("  + [{:<4}] {}\n", check_level_name(line.level), line.text);
  return text;
}

std::string check_json(const CheckReport& report) {
  const Confounding& confounding = report.confounding;
  const json object = {{"scvet_version", version()},
                       {"file", report.path},
                       {"n_cells", report.n_cells},
                       {"n_genes", report.n_genes},
                       {"verdict", verdict(report)},
                       {"failed", report.failed()},
                       {"lines", lines_json(report.lines)},
                       {"limitations", report.limitations},
                       {"scvet", lines_json(report.ours)},
                       {"values", values_json(report)},
                       {"genes",
                        {{"index", report.gene_names},
                         {"symbols_from", report.symbols_from},
                         {"ensembl_ids_from", report.ensembl_from},
                         {"organism", report.organism}}},
                       {"confounding",
                        {{"cramers_v", number(confounding.cramers_v)},
                         {"undefined", confounding.undefined},
                         {"labels_in_one_batch", confounding.single_batch},
                         {"cells_of_those", confounding.n_single_batch_cells},
                         {"cells", confounding.n_cells}}},
                       {"vocabularies", vocabularies_json(report)},
                       {"methods", methods_json(report)}};
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace scvet::jobs
