// What the report is told of the run: files, corpora, tests, data sets.
#include "audit_report_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "audit_paper.h"
#include "scvet/audit/null.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"

namespace scvet::jobs {
namespace {

ReportCorpus corpus_facts(const sketch::Corpus& corpus) {
  const sketch::CorpusCard& card = corpus.card();
  ReportCorpus facts;
  facts.name = card.name.empty() ? stem(corpus.path()) : card.name;
  facts.path = corpus.path();
  facts.n_cells = corpus.n_cells();
  facts.cutoff = card.cutoff;
  facts.card = {{"name", card.name},
                {"version", card.version},
                {"cut-off", card.cutoff},
                {"sources", join(card.sources, "; ")},
                {"inclusion", join(card.inclusion, "; ")},
                {"exclusions", join(card.exclusions, "; ")},
                {"files", fmt::format("{}", corpus.sources().size())},
                {"panels", fmt::format("{}", corpus.panels().size())},
                {"content digest", corpus.digest()}};
  return facts;
}

std::vector<ReportNull> used_nulls(const AuditJobOptions& options) {
  std::vector<ReportNull> used;
  for (const audit::NullRecord* record : audit::nulls())
    if (std::string_view(record->kind) == "identity" ||
        std::find(options.nulls.begin(), options.nulls.end(), record->name) != options.nulls.end())
      used.push_back(null_text(*record));
  return used;
}

// The command as to be typed again, without the flags that change where and how fast it runs but not what it finds:
// a report is the same bytes for any of these.
std::string repeatable_command() {
  static const std::set<std::string> kSwitches = {"--quiet", "--verbose", "--log-json", "--force"};
  static const std::set<std::string> kWithValue = {"--outdir", "--threads"};
  std::string command = "scvet";
  const std::vector<std::string>& arguments = command_line();
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string flag = arguments[at].substr(0, arguments[at].find('='));
    if (kSwitches.contains(flag)) continue;
    if (kWithValue.contains(flag)) {
      if (flag == arguments[at]) ++at;
      continue;
    }
    command += " " + arguments[at];
  }
  return command;
}

}  // namespace

AuditReportInput report_input(const AuditSetup& setup, const RunFolder& run, std::deque<AuditedSet>& sets,
                              const std::vector<BenchmarkFile>& files, const std::optional<NameTable>& names) {
  const AuditJobOptions& options = *setup.options;
  AuditReportInput input;
  input.command = repeatable_command();
  input.version = version();
  const sketch::FingerprintRule& rule = setup.corpora.front()->rule();
  input.fingerprint = rule.kind();
  input.top_k = rule.vocabulary ? rule.top_k : 0;
  input.vocabulary = rule.vocabulary ? rule.vocabulary->name() : "universe (no dictionary)";
  input.engine = options.engine;
  input.paper = options.paper;
  input.options = setup.audit;
  if (audit::asks_for(input.options, "uniform")) input.warnings.emplace_back(kUniformWarning);
  input.nulls = used_nulls(options);
  for (std::size_t number = 0; number < run.inputs().size(); ++number) {
    const bool benchmark = number < files.size();
    input.inputs.push_back({benchmark ? "benchmark" : "corpus", run.inputs()[number].first, run.inputs()[number].second,
                            benchmark ? files[number].input->facts().format : "corpus"});
  }
  for (const auto& corpus : setup.corpora) input.corpora.push_back(corpus_facts(*corpus));
  bool table_used = false;
  for (AuditedSet& audited : sets) {
    ReportDataset dataset = std::move(audited.report);
    dataset.outcome = &audited.outcome;
    dataset.cell_names = audited.cells.names;
    dataset.annotations = audited.set.annotations;
    dataset.label_key = audited.set.annotations.label.empty() ? "" : options.label_key;
    dataset.donor_key = audited.set.annotations.donor.empty() ? "" : options.donor_key;
    dataset.batch_key = audited.set.annotations.batch.empty() ? "" : options.batch_key;
    dataset.origins = audited.cells.match;
    table_used = table_used || dataset.coverage.identifiers == "name_table";
    input.datasets.push_back(std::move(dataset));
  }
  if (names && table_used) input.name_table = names->path() + " (" + names->source() + ")";
  return input;
}

}  // namespace scvet::jobs
