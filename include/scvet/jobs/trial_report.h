// The report of a trial folder: one self-contained HTML page, the same as Markdown, criteria.tsv and a Methods paragraph.
// A function of the folder's files and of what the state folder discloses about it; docs/trial.md says how to read it.
#pragma once

#include <string>
#include <vector>

namespace scvet::jobs {

struct TrialReportOptions {
  std::string state_dir = {};  // as for the stages: "" is the user's
  std::string outdir = {};     // "": the trial folder itself
};

// One of the three questions of specification 23.
struct TrialAnswer {
  std::string question, answer;  // yes, no, not decided
  std::string numbers;           // the numbers that decided it
};

struct TrialArmSummary {
  std::string arm, model, role, state;
  std::string category;  // "" where there is none: not tested, aborted, or a sensitivity arm
  std::string headline;  // prefixes, flags, category, what is disclosed
  std::string sentence;  // the verdict for a reviewer, with its boundary
  std::vector<TrialAnswer> answers;
};

struct TrialReportResult {
  std::string html, markdown, methods, criteria;  // paths
  std::vector<TrialArmSummary> arms;              // in the order of registration
};

// Of one arm; "" where there is none of that name. The second reads the folder, in any state, and writes nothing.
std::string headline_of(const TrialReportResult& report, const std::string& arm);
std::string read_headline(const std::string& folder, const std::string& state_dir, const std::string& arm);

// Writes report.html, report.md, methods.md and criteria.tsv. Same files and disclosures, same bytes. The labels of the
// test part are read through the guard of the folder, for arms whose test is done; nothing of them is shown before.
// LockError not_locked where the folder holds no lock.
TrialReportResult write_trial_report(const std::string& folder, const TrialReportOptions& options);

}  // namespace scvet::jobs
