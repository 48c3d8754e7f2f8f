// The report of trial folders in every state and of every category, made of the worked example's numbers.
#include "scvet/jobs/trial_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/report/page.h"
#include "unit/jobs/trial_report_sample.h"
#include "unit/trial/trial_folder_fixture.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using trial::ArmState;
using trial::reason_of;
using trial::TrialFolder;

struct Texts {
  TrialReportResult result;
  std::string html, markdown, methods, criteria;
  // What the report itself writes: the page before the code of the chart libraries.
  std::string own() const { return html.substr(0, html.find("<script>")); }
  json data() const {
    const std::string mark = "id=\"scvet-data\">";
    const std::size_t from = html.find(mark) + mark.size();
    return json::parse(html.substr(from, html.find("</script>", from) - from));
  }
};

class TrialReport : public trial::TrialFolderTest {
 protected:
  Texts report() {
    Texts texts;
    texts.result = write_trial_report(folder(), {.state_dir = state_dir()});
    texts.html = read_file(texts.result.html);
    texts.markdown = read_file(texts.result.markdown);
    texts.methods = read_file(texts.result.methods);
    texts.criteria = read_file(texts.result.criteria);
    return texts;
  }
  void finish(TrialFolder& folder, const SampleR2& r2, const std::string& arm = "demo") {
    trial::ReferenceResults results = results_;
    set_scores(results, r2, folder.protocol());
    trial::go_on(folder, results, arm, ArmState::kTestDone);
  }
};

struct CategoryCase {
  const char* category;
  SampleR2 r2;
  std::vector<const char*> answers, words;
};
const std::vector<CategoryCase>& category_cases() {
  static const std::vector<CategoryCase> kCases = {
      {"STRONG_EXTERNAL_REPLICATION",
       {.mag = .6, .baseline = .7, .model = .8, .gaussian = .6, .shuffle = .6},
       {"yes", "yes", "yes"},
       {"better than the strong expression baseline", "5 of 5 seeds reach 0.020"}},
      {"PARTIAL_EXTERNAL_REPLICATION",
       {.mag = .6, .baseline = .8, .model = .805, .gaussian = .6, .shuffle = .6},
       {"yes", "not decided", "not decided"},
       {"carries signal that random numbers", "is below the bound"}},
      {"CAPACITY_ONLY_OR_AMBIGUOUS",
       {.mag = .6, .baseline = .7, .model = .74, .gaussian = .72, .shuffle = .6},
       {"not decided", "yes", "not decided"},
       {"Random numbers of demo&#39;s shape already beat the expression baseline"}},
      {"NO_EXTERNAL_REPLICATION",
       {.mag = .6, .baseline = .8, .model = .7, .gaussian = .75, .shuffle = .6},
       {"no", "no", "no"},
       {"predicts neither better than the expression baseline"}},
      {"INVALID",
       {.mag = .6, .baseline = .7, .model = .8, .gaussian = .7, .shuffle = .795},
       {"no", "yes", "yes"},
       {"cannot tell the representation from its own shuffled rows"}}};
  return kCases;
}

TEST_F(TrialReport, EveryCategoryHasItsAnswersItsSentenceAndItsBoundary) {
  for (const CategoryCase& one : category_cases()) {
    std::filesystem::remove_all(folder());
    std::filesystem::remove_all(state_dir());
    TrialFolder trial = create();
    finish(trial, one.r2);
    const Texts texts = report();
    ASSERT_EQ(texts.result.arms.size(), 1u);
    const TrialArmSummary& arm = texts.result.arms[0];
    EXPECT_EQ(arm.category, one.category);
    EXPECT_THAT(arm.headline, HasSubstr(one.category));
    for (std::size_t at = 0; at < 3; ++at) EXPECT_EQ(arm.answers[at].answer, one.answers[at]) << one.category << at;
    for (const char* const word : one.words) EXPECT_THAT(html_escape(arm.sentence), HasSubstr(word));
    EXPECT_THAT(arm.sentence, HasSubstr("is no test of significance"));
    EXPECT_THAT(texts.html, HasSubstr(html_escape(arm.sentence)));
    EXPECT_THAT(texts.html, HasSubstr(html_escape(arm.headline)));
    EXPECT_EQ(texts.data()["arms"][0]["category"], one.category);
    EXPECT_THAT(texts.methods, HasSubstr(std::string("outcome ") + one.category));
  }
}

TEST_F(TrialReport, PartialClaimsNoSignalThatItsControlsDoNotShow) {
  struct PartialCase {
    SampleR2 r2;
    const char *words, *answer;
  };
  for (const PartialCase& one : std::vector<PartialCase>{
           {{.mag = .5, .baseline = .8, .model = .7, .gaussian = .6, .shuffle = .73},
            "predict better than the right ones",
            "no"},
           {{.mag = .5, .baseline = .8, .model = .7, .gaussian = .68, .shuffle = .6},
            "by less than the bound",
            "not decided"},
           {{.mag = .5, .baseline = .7, .model = .705, .gaussian = .706, .shuffle = .6}, "cannot be credited", "no"}}) {
    std::filesystem::remove_all(folder());
    std::filesystem::remove_all(state_dir());
    TrialFolder trial = create();
    finish(trial, one.r2);
    const TrialArmSummary arm = report().result.arms[0];
    EXPECT_EQ(arm.category, "PARTIAL_EXTERNAL_REPLICATION");
    EXPECT_EQ(arm.answers[0].answer, one.answer);
    EXPECT_THAT(arm.sentence, HasSubstr(one.words));
    EXPECT_THAT(arm.sentence, Not(HasSubstr("carries signal that")));
  }
}

TEST_F(TrialReport, SectionsStandInTheOrderOfTheSpecification) {
  TrialFolder trial = create();
  finish(trial, category_cases()[0].r2);
  write_sample_analyses(folder(), "demo");
  const std::string html = report().html;
  std::size_t last = 0;
  for (const char* const id : {"answers", "construct", "boundary", "criteria", "seeds", "arms", "intervals", "ranking",
                               "margins", "calibration", "cell-number", "overlap", "reported-only", "checklist",
                               "lineage", "limits", "methods", "verify"}) {
    const std::size_t found = html.find("<h2 id=\"" + std::string(id) + "\">");
    ASSERT_NE(found, std::string::npos) << id;
    EXPECT_GT(found, last) << id;
    last = found;
  }
}

TEST_F(TrialReport, NoLabelOfATestRowIsShownBeforeTheTestIsDone) {
  TrialFolder trial = create();
  std::vector<std::string> withheld;
  for (const trial::LabelLine& line : contents_.labels_test) withheld.push_back(trial::real_text(line.y));
  for (const ArmState state :
       {ArmState::kRegistered, ArmState::kSanityPassed, ArmState::kPredicted, ArmState::kTestOpened}) {
    trial::go_on(trial, results_, "demo", state);
    const Texts texts = report();
    for (const std::string& y : withheld)
      for (const std::string* const text : {&texts.html, &texts.markdown, &texts.methods, &texts.criteria})
        EXPECT_EQ(text->find(y.substr(0, 8)), std::string::npos) << trial::state_name(state);
    EXPECT_THAT(texts.own(), HasSubstr("their labels are withheld"));
    EXPECT_THAT(texts.result.arms[0].headline, HasSubstr(trial::state_name(state)));
    for (const TrialAnswer& answer : texts.result.arms[0].answers) EXPECT_EQ(answer.answer, "not decided");
    EXPECT_EQ(std::count(texts.criteria.begin(), texts.criteria.end(), '\n'), 1);
  }
  trial.record_done("demo", results_.metrics, results_.outcome);
  EXPECT_THAT(report().own(), Not(HasSubstr("their labels are withheld")));
}

TEST_F(TrialReport, AnUnreadableTestFileDoesNotMatterBeforeTheTest) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kRegistered);
  const std::string before = report().html;
  write_file(folder() + "/labels.test.tsv", "row_id\ty\n");  // a changed file is a problem by its hash alone
  const Texts after = report();
  EXPECT_THAT(after.own(), HasSubstr("This folder does not fit its own record"));
  EXPECT_THAT(after.own(), HasSubstr("label_changed"));
  EXPECT_THAT(before, Not(HasSubstr("This folder does not fit its own record")));
}

TEST_F(TrialReport, AnAbortedTestIsFinalAndNotANegativeResult) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kTestOpened);
  trial.record_aborted("demo", "R2 of MODEL is not finite");
  const Texts texts = report();
  EXPECT_EQ(texts.result.arms[0].category, "");
  EXPECT_THAT(texts.result.arms[0].sentence, HasSubstr("R2 of MODEL is not finite"));
  EXPECT_THAT(texts.result.arms[0].sentence, HasSubstr("not a negative result"));
  EXPECT_THAT(texts.result.arms[0].headline, HasSubstr("TEST_ABORTED"));
  for (const TrialAnswer& answer : texts.result.arms[0].answers) EXPECT_EQ(answer.answer, "not decided");
}

TEST_F(TrialReport, PrefixesStandInTheirOrderAndAreExplained) {
  contents_.split_origin = "custom";
  contents_.split_seed = 7;
  contents_.protocol.baseline = trial::BaselineForm::kRidgeDirect;
  contents_.protocol.cascade.mb_mean = .03;
  TrialFolder trial = create();
  trial.mark_run();
  finish(trial, {.mag = .65, .baseline = .7, .model = .8, .gaussian = .6, .shuffle = .6});
  const Texts texts = report();
  const std::string& line = texts.result.arms[0].headline;
  std::size_t last = 0;
  for (const char* const word :
       {"UNDERPOWERED", "NOT PRE-REGISTERED", "SPLIT SEED custom", "BASELINE=ridge_direct", "CUSTOM", "FLAGS",
        ": CUSTOM; arm 1 of 1", "prior openings 0", "locks on this data 1", "deposit none"}) {
    const std::size_t found = line.find(word, last);
    ASSERT_NE(found, std::string::npos) << word << " in " << line;
    last = found;
  }
  EXPECT_THAT(texts.result.arms[0].sentence, HasSubstr("its own rules would say STRONG_EXTERNAL_REPLICATION"));
  EXPECT_THAT(texts.own(), HasSubstr("UNDERPOWERED: the lock was made although"));
  EXPECT_THAT(texts.own(), HasSubstr("NOT PRE-REGISTERED: all stages ran in one go"));
  EXPECT_THAT(texts.own(), HasSubstr("thresholds, order or seeds of the cascade were changed"));
  EXPECT_THAT(texts.methods, HasSubstr("changed (custom) rules"));
}

TEST_F(TrialReport, EveryFlagIsInTheHeadlineWithItsSentence) {
  struct FlagCase {
    const char* flag;
    SampleR2 r2;
  };
  for (const FlagCase& one : std::vector<FlagCase>{
           {"shuffle_above_model", {.mag = .6, .baseline = .7, .model = .75, .gaussian = .6, .shuffle = .8}},
           {"gaussian_below_anchor", {.mag = .65, .baseline = .7, .model = .8, .gaussian = .6, .shuffle = .6}},
           {"partial_below_baseline", {.mag = .5, .baseline = .8, .model = .7, .gaussian = .6, .shuffle = .6}},
           {"baseline_below_anchor", {.mag = .75, .baseline = .7, .model = .8, .gaussian = .65, .shuffle = .6}},
           {"near_threshold", {.mag = .5, .baseline = .7, .model = .7205, .gaussian = .6, .shuffle = .6}}}) {
    std::filesystem::remove_all(folder());
    std::filesystem::remove_all(state_dir());
    TrialFolder trial = create();
    finish(trial, one.r2);
    const Texts texts = report();
    EXPECT_THAT(texts.result.arms[0].headline, HasSubstr(one.flag));
    EXPECT_THAT(texts.own(), HasSubstr(std::string("Flag ") + one.flag + ": "));
  }
}

TEST_F(TrialReport, ABaselineBelowMagnitudeIsNoStrongOne) {
  TrialFolder trial = create();
  finish(trial, {.mag = .75, .baseline = .7, .model = .8, .gaussian = .65, .shuffle = .6});
  const TrialArmSummary arm = report().result.arms[0];
  EXPECT_EQ(arm.category, "STRONG_EXTERNAL_REPLICATION");
  EXPECT_EQ(arm.answers[1].answer, "not decided");
  EXPECT_THAT(arm.answers[1].numbers, HasSubstr("below magnitude alone"));
}

TEST_F(TrialReport, SensitivityArmsStandApartWithoutACategory) {
  TrialFolder trial = create();
  finish(trial, category_cases()[1].r2);
  trial::ArmRecord second = results_.arm;
  second.arm = "other";
  second.role = "sensitivity";
  second.embedding_digest = std::string(64, 'c');
  trial.register_arm(second, false);
  finish(trial, category_cases()[4].r2, "other");
  const Texts texts = report();
  EXPECT_EQ(texts.result.arms[1].category, "");
  EXPECT_THAT(texts.result.arms[1].headline, HasSubstr("SENSITIVITY"));
  EXPECT_THAT(texts.result.arms[1].sentence, HasSubstr("bears no category"));
  const std::size_t apart = texts.html.find("<h2 id=\"sensitivity-arms\">");
  ASSERT_NE(apart, std::string::npos);
  EXPECT_GT(texts.html.find("id=\"verdict-2\""), apart);
  EXPECT_LT(texts.html.find("id=\"verdict-1\""), apart);
  EXPECT_THAT(texts.criteria, HasSubstr("\tother\tdemo\tsensitivity\t\tinvalid\tINVALID\t"));
}

TEST_F(TrialReport, CriteriaTableHasOneRowAnArmAndCriterionWithExactNumbers) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kTestDone);
  const Texts texts = report();
  const std::vector<std::string> lines = split(texts.criteria, '\n');
  ASSERT_EQ(lines.size(), 10u);  // header, eight criteria, and what follows the last newline
  const std::vector<std::string> row = split(lines[2], '\t');
  ASSERT_EQ(row.size(), 12u);
  EXPECT_EQ(row[0], trial.lock_id());
  EXPECT_EQ(row[2], "demo");
  EXPECT_EQ(row[5], "PARTIAL_EXTERNAL_REPLICATION");
  EXPECT_EQ(row[6], "mb_mean");
  EXPECT_EQ(row[8], "-0.0138849543472928");
  EXPECT_EQ(row[9], ">=");
  EXPECT_EQ(row[10], "0.02");
  EXPECT_EQ(row[11], "0");
  EXPECT_THAT(texts.own(), HasSubstr("data-value=\"-0.0138849543472928\""));
}

TEST_F(TrialReport, TheSameFolderGivesTheSameBytes) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kTestDone);
  write_sample_analyses(folder(), "demo");
  const Texts once = report(), again = report();
  EXPECT_EQ(once.html, again.html);
  EXPECT_EQ(once.markdown, again.markdown);
  EXPECT_EQ(once.methods, again.methods);
  EXPECT_LT(once.html.size(), 2u << 20);
}

TEST_F(TrialReport, AnalysesAreShownAndWhatIsAbsentIsSaidInWords) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kTestDone);
  const std::string without = report().own();
  for (const char* const word :
       {"Not computed: scvet trial posthoc", "Not audited.", "no intervals by target gene were computed"})
    EXPECT_THAT(without, HasSubstr(word));
  write_sample_analyses(folder(), "demo");
  const Texts texts = report();
  for (const char* const word : {"-0.0301 to +0.0055", "-0.0422 to +0.0101", "2,000 replicates", "Null rows", "too few",
                                 "1 % or more of them exposed", "PCA of the expression change", "Luck of the split",
                                 "not asked for", "upper estimate", "Clean: no exposed cell", "constant_within_row"})
    EXPECT_THAT(texts.own(), HasSubstr(word)) << word;
  EXPECT_THAT(texts.methods, HasSubstr("95 % bootstrap interval of Model - Baseline -0.0301 to +0.0055 by row"));
}

TEST_F(TrialReport, UndefinedNumbersAreDashes) {
  TrialFolder trial = create();
  trial::ReferenceResults results = results_;
  for (auto& [seed, score] : results.metrics.at("GAUSSIAN")) score.spearman = std::nan("");
  trial::go_on(trial, results, "demo", ArmState::kTestDone);
  write_sample_analyses(folder(), "demo");
  const Texts texts = report();
  const std::regex undefined("[^a-z](nan|inf)[^a-z]");
  EXPECT_FALSE(std::regex_search(texts.own(), undefined));
  EXPECT_FALSE(std::regex_search(texts.markdown, undefined));
  EXPECT_THAT(texts.own(), HasSubstr("\xE2\x80\x93</td>"));
}

TEST_F(TrialReport, NamesFromFilesCannotBecomeMarkup) {
  trial::ArmRecord& record = results_.arm;
  record.model = "</script><b>model</b>";
  record.extraction.checkpoint = "\"><img src=x>";
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kTestDone);
  const Texts texts = report();
  EXPECT_THAT(texts.own(), Not(HasSubstr("<b>model")));
  EXPECT_THAT(texts.own(), Not(HasSubstr("<img")));
  EXPECT_THAT(texts.markdown.substr(0, texts.markdown.find("## Methods paragraph")), Not(HasSubstr("<b>model")));
  EXPECT_EQ(texts.data()["arms"][0]["model"], record.model);
}

TEST_F(TrialReport, HeadingsNeverSkipALevelAndNothingIsAskedOfAnyServer) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kTestDone);
  write_sample_analyses(folder(), "demo");
  const std::string body = report().own();
  int last = 1;
  const std::regex heading("<h([1-6])[ >]");
  for (auto at = std::sregex_iterator(body.begin(), body.end(), heading); at != std::sregex_iterator(); ++at) {
    const int level = std::stoi((*at)[1]);
    EXPECT_LE(level, last + 1);
    last = level;
  }
  EXPECT_FALSE(std::regex_search(body, std::regex("(src|action|poster)=|<(link|iframe|object|embed)|@import|url\\(")));
}

TEST_F(TrialReport, DepositsAndTheirStatusAreShown) {
  TrialFolder trial = create();
  trial::go_on(trial, results_, "demo", ArmState::kRegistered);
  trial.deposit("self-reported", "registry entry 12");
  trial::go_on(trial, results_, "demo", ArmState::kTestDone);
  const Texts texts = report();
  EXPECT_THAT(texts.result.arms[0].headline, HasSubstr("deposit self-reported"));
  EXPECT_THAT(texts.own(), HasSubstr("registry entry 12"));
  EXPECT_THAT(texts.own(), HasSubstr("it does not prove that it was the only one"));
}

TEST_F(TrialReport, AFolderWithoutALockIsRefused) {
  EXPECT_REASON(write_trial_report(folder(), {.state_dir = state_dir()}), "not_locked");
}

}  // namespace
}  // namespace scvet::jobs
