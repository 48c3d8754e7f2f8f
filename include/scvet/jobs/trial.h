// `scvet trial`: the stages of a locked trial, one function each. docs/trial.md says what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace scvet::jobs {

// Where the trial lies.
struct TrialPlace {
  std::string folder = {};     // --trial
  std::string state_dir = {};  // of the mirrors; "": $XDG_STATE_HOME/scvet/trials, ~/.local/state/scvet/trials
  bool break_lock = false;     // take over from a writer that is gone
};

// The counts and how their obs names rows.
struct TrialCounts {
  std::string path = {}, layer = {};  // layer "": X
  std::string row_key = "gene_transcript", target_key = "target_gene", batch_key = "gem_group";
  std::string control_label = "non-targeting";
};

struct TrialEmbedding {
  std::string path = {};        // h5ad, npy, parquet, text; "": the counts file
  std::string obsm = {};        // array of a file of cells; "": its X
  bool same_order = false;      // an array without cell names is in the counts' order
  std::string cell_names = {};  // table: the name that a cell bears in the embedding, and its own (two parties)
};

struct TrialArm {
  std::string name = {}, model = {};  // model "": the arm's name
  std::string role = "primary";       // or sensitivity
  std::string extraction = {};        // JSON with the extraction record
};

// Only for tests that must give the same bytes again: a clock that ticks one minute a line, and a fixed version.
struct TrialInjection {
  std::string clock = {};    // first time, "2026-01-01T00:00:00Z"; "": the system's
  std::string version = {};  // "": scvet's
};

struct TrialPrepareOptions {
  TrialCounts counts = {};
  TrialEmbedding embedding = {};  // both "": no z_emb
  int min_cells = 10;
  std::string outdir = {};  // "": results/trial-prepare
  std::uint64_t seed = 42;
  bool force = false;
};
struct TrialPrepareResult {
  std::string folder;
  std::int64_t n_cells = 0, n_genes = 0, n_nt = 0, n_rows = 0, n_eligible = 0, n_targets = 0;
  std::vector<std::string> findings;  // what lock would refuse or ask for
  bool already_complete = false;
};
TrialPrepareResult prepare_trial(const TrialPrepareOptions& options);

struct TrialLockOptions {
  TrialPlace place = {};
  TrialCounts counts = {};
  TrialEmbedding embedding = {};
  TrialArm arm = {};
  int min_cells = 10;
  std::string baseline = "ridge_residual";
  std::string protocol = {};                             // protocol.json with changed constants
  std::string split_seed = {}, preset = {}, split = {};  // at most one; all "": derived
  std::string supersedes = {}, reason = {};
  std::string attested_by = {};  // "": the user's name
  bool underpowered = false;
  TrialInjection injection = {};
};
struct TrialLockResult {
  std::string lock_id, protocol_sha256, counts_digest;
  std::int64_t rows[3] = {}, targets[3] = {};  // train, val, test
  std::int64_t n_excluded = 0;
  double share_zero = 0;    // of y, train and val
  double d15_spearman = 0;  // of the diagnostic label with y, train and val; NaN where there is none
  std::vector<std::string> notes;
};
TrialLockResult lock_trial(const TrialLockOptions& options);

struct TrialAddArmOptions {
  TrialPlace place = {};
  TrialArm arm = {};
  TrialEmbedding embedding = {};
  std::string counts = {};  // "": where lock found them
  TrialInjection injection = {};
};
void add_trial_arm(const TrialAddArmOptions& options);

// What a stage says when it is done.
struct TrialStageResult {
  std::string state, headline;
  std::vector<std::string> lines;
  std::string report = {};  // report.html, where one was written
};

struct TrialSanityOptions {
  TrialPlace place = {};
  std::string arm = {};  // "": the only arm
  TrialEmbedding embedding = {};
  std::string encoder = {};  // command that embeds an h5ad: {input} and {output} are put in
  int reextract = 0;         // cells to embed again with it
  TrialInjection injection = {};
};
TrialStageResult check_trial(const TrialSanityOptions& options);

struct TrialFinalTestOptions {
  TrialPlace place = {};
  std::string arm = {};
  TrialEmbedding embedding = {};
  bool resume = false;
  TrialInjection injection = {};
};
TrialStageResult test_trial(const TrialFinalTestOptions& options);

struct TrialPosthocOptions {
  TrialPlace place = {};
  std::string arm = {};
  TrialEmbedding embedding = {};
  std::string counts = {};   // "": where lock found them
  std::string overlap = {};  // cells.csv of an audit, or any table with a 0/1 column
  std::string overlap_key = "exposure";
  std::string untrained = {};  // embedding of an untrained encoder, reported only
  bool quick = false;          // leave out what reads the counts again or trains more
};
TrialStageResult posthoc_trial(const TrialPosthocOptions& options);

struct TrialVerifyOptions {
  TrialPlace place = {};
  int level = 1;      // 1 integrity, 2 recomputed from inputs, 3 trained again
  bool full = false;  // level 3, and the digest of the raw file
  std::string counts = {};
  std::vector<std::pair<std::string, std::string>> embeddings = {};  // arm and file, where they moved
};
struct TrialCheck {
  std::string what;
  bool passed = false;
  std::string detail;
};
struct TrialVerifyResult {
  std::vector<TrialCheck> checks;
  bool passed() const;
};
TrialVerifyResult verify_trial(const TrialVerifyOptions& options);

struct TrialCompareResult {
  std::string pattern;             // PARTIAL_PARTIAL
  std::vector<std::string> lines;  // a table: criterion by phase
};
// `arm` "": the primary arm of each.
TrialCompareResult compare_trials(const std::vector<std::string>& folders, const std::string& arm,
                                  const std::string& state_dir);

struct TrialDepositOptions {
  TrialPlace place = {};
  std::string text = {};     // where it was deposited, in words
  std::string receipt = {};  // file of a receipt that an external tool checked; "": self-reported
  TrialInjection injection = {};
};
TrialStageResult deposit_trial(const TrialDepositOptions& options);

// All stages for the impatient; still one test, and not pre-registered.
struct TrialRunOptions {
  TrialLockOptions lock = {};
  TrialPosthocOptions posthoc = {};
};
TrialStageResult run_trial(const TrialRunOptions& options);

// Two parties: what the organiser gives away, and the end of the commitment.
struct TrialPublishOptions {
  TrialPlace place = {};
  std::string counts = {};
  std::string outdir = {};
  bool reveal = false;  // after the last arm: write the salt and the test labels
};
TrialStageResult publish_trial(const TrialPublishOptions& options);

}  // namespace scvet::jobs
