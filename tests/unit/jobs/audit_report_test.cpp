#include "scvet/jobs/audit_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>

#include "audit_report_parts.h"
#include "scvet/base/error.h"
#include "unit/jobs/audit_report_sample.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const AuditSample& made() {
  static const AuditSample sample = audit_sample();
  return sample;
}
const std::string& page() {
  static const std::string html = audit_html(made().input, audit_json(made().input));
  return html;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return "";
  return text.substr(start + from.size(), text.find(to, start + from.size()) - start - from.size());
}

// What the report itself writes: the page before the code of the chart libraries.
std::string own_part(const std::string& html) { return html.substr(0, html.find("<script>")); }

std::vector<json> chart_specs(const std::string& html) {
  std::vector<json> specs;
  const std::string mark = "class=\"chart-spec\" data-for=\"";
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1))
    specs.push_back(json::parse(between(html.substr(at), ">", "</script>")));
  return specs;
}

TEST(AuditReport, SectionsStandInTheirOrder) {
  std::size_t last = 0;
  for (const char* const id : {"verdicts", "expected", "false-positives", "power", "flagged", "similarity", "shares",
                               "levels", "corpus-hits", "tests", "compared", "methods", "limits", "repeat"}) {
    const std::size_t at = page().find("<h2 id=\"" + std::string(id) + "\">");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, last) << id;
    last = at;
  }
}

TEST(AuditReport, HeadingsNeverSkipALevel) {
  int last = 1;
  const std::string body = own_part(page());
  const std::regex heading("<h([1-6])[ >]");
  for (auto at = std::sregex_iterator(body.begin(), body.end(), heading); at != std::sregex_iterator(); ++at) {
    const int level = std::stoi((*at)[1]);
    EXPECT_LE(level, last + 1);
    last = level;
  }
}

TEST(AuditReport, PageCarriesTheObjectOfAuditJson) {
  const json in_page = json::parse(between(page(), "id=\"scvet-data\">", "</script>"));
  EXPECT_EQ(in_page, json::parse(audit_json(made().input)));
}

TEST(AuditReport, SensitivityMarksAFlippedVerdictAndSaysWhereNothingWasMeasured) {
  const std::string section = between(page(), "<h2 id=\"sensitivity\">", "<h2 id=\"compared\">");
  EXPECT_THAT(section, HasSubstr("engine lsh"));
  EXPECT_THAT(section, HasSubstr("Undecided (flips)"));
  EXPECT_THAT(section, HasSubstr("not defined"));
  EXPECT_THAT(section, HasSubstr("500 cells against 4,000 of 4,800 references"));
  EXPECT_THAT(section, HasSubstr("lung_without: not measured (measured for the first data set only)"));
  const json rows = json::parse(audit_json(made().input))["datasets"][0]["sensitivity"]["rows"];
  EXPECT_EQ(rows[1]["setting"], "lsh");
  EXPECT_TRUE(rows[1]["n_same_cell"].is_null());
  EXPECT_EQ(rows[1]["flips"], true);
}

TEST(AuditReport, UnderThePaperRecipeTheWarningAndTheReportedValuesStandBesideOurs) {
  AuditSample sample = audit_sample();
  sample.input.paper = true;
  sample.input.engine = "lsh";
  sample.input.options.nulls = {"uniform"};
  sample.input.warnings.emplace_back(kUniformWarning);
  for (audit::CellOutcome& cell : sample.outcomes[0]->cells) {
    cell.p_uniform = .001;
    cell.uniform = {.04, .002, .06};
  }
  sample.outcomes[0]->notes = {"same_cell was not asked for"};
  const std::string html = audit_html(sample.input, audit_json(sample.input));
  EXPECT_THAT(html, HasSubstr("its p never shows membership"));
  EXPECT_THAT(html, HasSubstr("id=\"table-published\""));
  EXPECT_THAT(html, HasSubstr("id=\"table-drawn-nulls\""));
  EXPECT_THAT(html, HasSubstr("Not tested: same_cell was not asked for."));
  EXPECT_THAT(audit_page::methods_text(sample.input), HasSubstr("1,000 uniform random gene sets"));
  EXPECT_THAT(audit_page::methods_text(sample.input), testing::Not(HasSubstr("same_cell test ranks")));
  const json line = json::parse(audit_json(sample.input))["datasets"][0]["paper_line"];
  EXPECT_EQ(line["null"], "uniform");
  EXPECT_EQ(line["engine"], "lsh");
  EXPECT_EQ(line["share_p_below_01"], 1);
  EXPECT_THAT(page(), testing::Not(HasSubstr("id=\"table-published\"")));
}

TEST(AuditReport, TheOrderedListOfJMarksTheGapAndOtherBenchmarkCells) {
  EXPECT_THAT(page(), testing::ContainsRegex("Ordered J</dt><dd>1.000 \\| 0.339"));
  EXPECT_THAT(page(), HasSubstr("* another benchmark cell"));
}

TEST(AuditReport, SameInputIsSameBytes) {
  const AuditSample again = audit_sample();
  EXPECT_EQ(audit_html(again.input, audit_json(again.input)), page());
  EXPECT_EQ(audit_json(again.input), audit_json(made().input));
}

TEST(AuditReport, JsonCountsAgreeWithTheCells) {
  const json data = json::parse(audit_json(made().input));
  ASSERT_EQ(data["datasets"].size(), 2u);
  for (std::size_t number = 0; number < 2; ++number) {
    const json& dataset = data["datasets"][number];
    const auto& cells = made().outcomes[number]->cells;
    EXPECT_EQ(dataset["n_cells"], cells.size());
    double in_bins = 0;
    for (const auto& [name, counts] : dataset["distribution"]["jstar"]["counts"].items())
      for (const json& count : counts) in_bins += count.get<double>();
    EXPECT_EQ(in_bins, static_cast<double>(cells.size()));
    const json& counts = dataset["counts"];
    EXPECT_EQ(counts["exposed"].get<int>() + counts["clean"].get<int>() + counts["unknown"].get<int>(),
              static_cast<int>(cells.size()));
  }
  EXPECT_EQ(data["datasets"][0]["verdict"]["kind"], "exposed");
  EXPECT_TRUE(data["datasets"][0]["verdict"]["cleared_below"].is_null());
  EXPECT_EQ(data["datasets"][1]["verdict"]["cleared_below"], .0021);
}

TEST(AuditReport, VerdictIsSaidInWordsBesideItsSymbol) {
  const std::string verdicts = between(page(), "<h2 id=\"verdicts\">", "<h2 id=\"false-positives\">");
  EXPECT_THAT(verdicts, HasSubstr("\xE2\x96\xB2</span><div><h3>Exposed: pbmc_with_copies</h3>"));
  EXPECT_THAT(verdicts, HasSubstr("\xE2\x9C\x93</span><div><h3>Cleared below 0.21 %: lung_without</h3>"));
  EXPECT_THAT(verdicts, HasSubstr("disagrees"));
}

TEST(AuditReport, EveryChartStaysUnderItsPointLimitAndHoldsItsData) {
  if (!report::has_charts()) GTEST_SKIP() << "built without the chart libraries (npm ci in report/)";
  const std::vector<json> specs = chart_specs(page());
  EXPECT_GE(specs.size(), 10u);
  for (const json& spec : specs) {
    if (!spec.contains("data")) continue;
    const std::size_t n_rows = spec["data"]["values"].size();
    EXPECT_GT(n_rows, 0u);
    EXPECT_LE(n_rows, 5000u);
  }
}

TEST(AuditReport, ManyCellsAreThinnedAndThePageSaysSo) {
  AuditSample sample = audit_sample();
  auto& cells = sample.outcomes[0]->cells;
  const std::vector<audit::CellOutcome> once = cells;
  for (int repeat = 0; repeat < 3; ++repeat) cells.insert(cells.end(), once.begin(), once.end());
  const std::string html = audit_html(sample.input, audit_json(sample.input));
  EXPECT_NE(html.find("of 8,000 cells are drawn"), std::string::npos);
  if (!report::has_charts()) GTEST_SKIP() << "built without the chart libraries (npm ci in report/)";
  for (const json& spec : chart_specs(html)) {
    if (spec.contains("data")) {
      EXPECT_LE(spec["data"]["values"].size(), 5000u);
    }
  }
}

TEST(AuditReport, EvidenceIsCappedAndTheRestIsNamed) {
  EXPECT_NE(
      page().find("129 cells are flagged; 100 are listed here (exact matches first), the other 29 are in cells.csv."),
      std::string::npos);
  EXPECT_NE(page().find("id=\"cell-1-100\""), std::string::npos);
  EXPECT_EQ(page().find("id=\"cell-1-101\""), std::string::npos);
}

TEST(AuditReport, UncalibratedDataAreSaidToBeSoBeforeTheFlags) {
  AuditSample sample = audit_sample();
  EXPECT_EQ(page().find("Not calibrated on your data"), std::string::npos);
  sample.outcomes[0]->false_positives.calibrated = false;
  const std::string html = audit_html(sample.input, audit_json(sample.input));
  const std::size_t at = html.find("Not calibrated on your data");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, html.find("<h2 id=\"flagged\">"));
  EXPECT_NE(html.find("Not calibrated on your data", html.find("<h2 id=\"flagged\">")), std::string::npos);
}

TEST(AuditReport, NamesFromFilesCannotBecomeMarkup) {
  AuditSample sample = audit_sample();
  sample.outcomes[0]->name = "<img src=x onerror=alert(1)>";
  sample.input.datasets[0].cell_names[0] = "</script><b>";
  sample.input.datasets[0].annotations.label_levels[0] = "\"><i>";
  const std::string html = own_part(audit_html(sample.input, audit_json(sample.input)));
  for (const char* const markup : {"<img", "</script><b>", "\"><i>"})
    EXPECT_EQ(html.find(markup), std::string::npos) << markup;
}

TEST(AuditReport, EmptyDataSetStillGivesAPage) {
  AuditSample sample = audit_sample();
  audit::DatasetAudit empty;
  empty.name = "empty";
  sample.input.datasets = {ReportDataset{}};
  sample.input.datasets[0].outcome = &empty;
  EXPECT_THAT(own_part(audit_html(sample.input, audit_json(sample.input))), HasSubstr("Undecided: empty"));
  EXPECT_TRUE(json::accept(audit_json(sample.input)));
}

TEST(AuditReport, MissingOutcomeIsAnInternalError) {
  AuditReportInput input;
  input.datasets.resize(1);
  EXPECT_THROW(audit_html(input, "{}"), InternalError);
  EXPECT_THROW(audit_json(input), InternalError);
}

TEST(AuditReport, MethodsTextNamesEveryParameter) {
  const std::string text = audit_page::methods_text(made().input);
  for (const char* const fact :
       {"scvet 0.1.0", "3,500 cells", "demo (4,800 cells; cut-off 2023-06)", "engine exact", "k = 30", "q <= 0.05",
        "p_same <= 0.001", "lift >= 3", "2,874 genes", "seed 42", "at most 5.0 %"})
    EXPECT_THAT(text, HasSubstr(fact));
}

TEST(AuditReport, LimitsNameWhatASameCellHitCannotShow) {
  const std::string limits = testing::PrintToString(audit_page::limit_texts(made().input));
  for (const char* const word :
       {"several barcodes", "index hopping", "doublets", "re-sequenced", "rare type", "used or remembered"})
    EXPECT_THAT(limits, HasSubstr(word));
}

TEST(AuditReport, CorpusHitsCountEachFlaggedCellOnceLargestFirst) {
  const auto hits = audit_page::corpus_hits(made().input.datasets[0], false);
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_GE(hits[0].total(), hits[1].total());
  EXPECT_EQ(hits[0].total() + hits[1].total(), 129);
  EXPECT_EQ(hits[0].n_exact + hits[1].n_exact, 49);
  EXPECT_EQ(hits[0].n_suspect + hits[1].n_suspect, 0);
  EXPECT_EQ(audit_page::corpus_hits(made().input.datasets[0], true).size(), 4u);
}

TEST(AuditReport, EvidenceComparesRanksCountsAndSides) {
  const std::vector<std::string> genes = {"A", "B", "C", "D", "E"};
  const sketch::CellSet query{{2, 0, 1}, {9, 5, 1}}, reference{{0, 2, 4}, {5, 3, 2}};
  const CellEvidence evidence = make_evidence(7, query, 11, reference, genes);
  EXPECT_EQ(evidence.cell, 7);
  EXPECT_EQ(evidence.reference_row, 11);
  EXPECT_EQ(evidence.n_query, 3);
  EXPECT_EQ(evidence.n_shared, 2);
  EXPECT_EQ(evidence.n_counted, 2);
  EXPECT_EQ(evidence.n_equal_counts, 1);
  EXPECT_THAT(evidence.top_query, testing::ElementsAre("C", "A", "B"));
  ASSERT_EQ(evidence.genes.size(), 2u);
  EXPECT_EQ(evidence.genes[0].gene, "C");
  EXPECT_EQ(evidence.genes[0].rank_reference, 2);
  EXPECT_EQ(evidence.genes[0].count_reference, 3);
  ASSERT_EQ(evidence.differing.size(), 2u);
  EXPECT_EQ(evidence.differing[0].gene, "B");
  EXPECT_EQ(evidence.differing[1].gene, "E");
  EXPECT_EQ(evidence.differing[1].count_query, -1);
}

TEST(AuditReport, EvidenceWithoutCountsSaysNothingOfCounts) {
  const std::vector<std::string> genes = {"A", "B"};
  const CellEvidence evidence = make_evidence(0, {{0, 1}, {}}, 0, {{1, 0}, {3, 1}}, genes);
  EXPECT_EQ(evidence.n_shared, 2);
  EXPECT_EQ(evidence.n_counted, 0);
}

TEST(AuditReport, EvidenceGoesToExactCellsFirst) {
  audit::DatasetAudit outcome;
  outcome.cells.resize(5);
  outcome.cells[0].suspect = true;
  outcome.cells[1].same_cell = outcome.cells[1].suspect = true;
  outcome.cells[3].exact = true;
  EXPECT_THAT(evidence_cells(outcome), testing::ElementsAre(3, 1, 0));
  EXPECT_THAT(evidence_cells(outcome, 2), testing::ElementsAre(3, 1));
}

}  // namespace
}  // namespace scvet::jobs
