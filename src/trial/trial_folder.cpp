#include "scvet/trial/trial_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "canonical_json.h"
#include "folder_state.h"
#include "refuse.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"
#include "scvet/base/version.h"

namespace scvet::trial {
namespace fs = std::filesystem;
namespace {

std::unique_ptr<FolderState> new_state(const std::string& folder, const FolderOptions& options) {
  auto state = std::make_unique<FolderState>();
  std::string absolute = fs::absolute(folder).lexically_normal().string();
  while (absolute.size() > 1 && absolute.back() == '/') absolute.pop_back();
  state->folder = absolute;
  state->options = options;
  state->state_dir = state_folder(options.state_dir);
  return state;
}

std::string user_name() {
  const passwd* user = getpwuid(getuid());
  if (user && user->pw_name) return user->pw_name;
  const char* name = std::getenv("USER");
  return name ? name : "unknown";
}

void require_new(const FolderState& state) {
  const auto there = [&](const char* name) { return is_there(state.path(name)); };
  std::error_code ignored;
  if (there("ledger.jsonl") && fs::file_size(state.path("ledger.jsonl"), ignored) > 0)
    throw UsageError(state.folder + " holds a locked trial already; give another folder with --trial",
                     {.file = state.folder});
  if (there("arms") || there("fixed.tsv"))
    throw UsageError(
        state.folder + " holds the rest of another trial (arms or fixed.tsv); give an empty folder with --trial",
        {.file = state.folder});
}

PartSize part_size(const std::vector<SplitLine>& split, const std::string& part) {
  PartSize size;
  std::set<std::string> genes;
  for (const SplitLine& row : split)
    if (row.split == part) {
      ++size.rows;
      genes.insert(row.target_gene);
    }
  size.target_genes = static_cast<std::int64_t>(genes.size());
  return size;
}

// Target genes with rows in more than one part.
std::int64_t leaked_genes(const std::vector<SplitLine>& split) {
  std::map<std::string, std::set<std::string>> parts;
  for (const SplitLine& row : split) parts[row.target_gene].insert(row.split);
  std::int64_t leaked = 0;
  for (const auto& [gene, of_gene] : parts) leaked += of_gene.size() > 1;
  return leaked;
}

void check_contents(const LockContents& contents) {
  std::map<std::string, std::string> part_of_row;
  for (const SplitLine& row : contents.split) part_of_row[row.row_id] = row.split;
  const auto check = [&](const std::vector<LabelLine>& labels, bool test) {
    for (const LabelLine& label : labels) {
      const auto found = part_of_row.find(label.row_id);
      if (found == part_of_row.end() || (found->second == "test") != test)
        throw InternalError("the label of row '" + label.row_id + "' would go into the file of the other part");
      part_of_row.erase(found);
    }
  };
  check(contents.labels_trainval, false);
  check(contents.labels_test, true);
  if (!part_of_row.empty()) throw InternalError("row '" + part_of_row.begin()->first + "' has no label");
  if (contents.supersedes && (!is_sha256(contents.supersedes->lock) || contents.supersedes->reason.empty()))
    throw UsageError("--supersedes takes a lock id (64 hexadecimal digits), and --reason a text",
                     {.field = "supersedes"});
}

KnownLock own_lock(const FolderState& state) {
  KnownLock own;
  own.lock = state.lock_id;
  own.counts_digest = state.data.counts_digest;
  own.design_digest = state.data.design_digest;
  own.cell_sketch = state.cell_sketch;
  own.test_target_genes = state.test_target_genes;
  return own;
}

ManifestRecord make_manifest(const FolderState& state, const LockContents& contents) {
  ManifestRecord manifest;
  manifest.protocol_sha256 = hash_or_nothing(state.path("protocol.json"));
  manifest.data_sha256 = hash_or_nothing(state.path("data.json"));
  manifest.rows_sha256 = hash_or_nothing(state.path("rows.tsv"));
  manifest.split_sha256 = hash_or_nothing(state.path("split.tsv"));
  manifest.labels_trainval_sha256 = hash_or_nothing(state.path("labels.trainval.tsv"));
  manifest.labels_test_sha256 = hash_or_nothing(state.path("labels.test.tsv"));
  manifest.x_delta_sha256 = contents.x_delta_sha256;
  manifest.x_unit_delta_sha256 = contents.x_unit_delta_sha256;
  manifest.mag_sha256 = contents.mag_sha256;
  manifest.split_origin = contents.split_origin;
  manifest.split_seed = contents.split_seed;
  manifest.train = part_size(contents.split, "train");
  manifest.val = part_size(contents.split, "val");
  manifest.test = part_size(contents.split, "test");
  manifest.leaked_target_genes = leaked_genes(contents.split);
  manifest.numerics = contents.numerics;
  manifest.underpowered = contents.underpowered;
  manifest.supersedes = contents.supersedes;
  manifest.software_version = state.options.software_version.empty() ? version() : state.options.software_version;
  manifest.attested_by = state.options.attested_by.empty() ? user_name() : state.options.attested_by;
  const KnownLock own = own_lock(state);
  for (const KnownLock& other : state.others) manifest.prior_locks_on_this_data += same_data(own, other);
  return manifest;
}

// Whether the state folder knows the lock of a manifest that has lost its ledger.
void refuse_lost_ledger(const FolderState& state) {
  if (!is_there(state.path("manifest.json")) || state.state_dir.empty()) return;
  const std::string file = state.state_dir + "/" + hash_or_nothing(state.path("manifest.json")) + ".json";
  if (is_there(file))
    refuse("ledger_rollback",
           file + " knows the lock in " + state.folder + ", but its ledger is gone; give another folder", state.folder);
}

}  // namespace

TrialFolder::TrialFolder(std::unique_ptr<FolderState> state) : state_(std::move(state)) {}
TrialFolder::~TrialFolder() = default;
TrialFolder::TrialFolder(TrialFolder&&) noexcept = default;
TrialFolder& TrialFolder::operator=(TrialFolder&&) noexcept = default;

TrialFolder TrialFolder::create(const std::string& folder, const LockContents& contents, const FolderOptions& options) {
  auto owned = new_state(folder, options);
  FolderState& state = *owned;
  check_contents(contents);
  require_new(state);
  refuse_lost_ledger(state);
  make_folders(state.folder);
  state.writer = std::make_unique<WriterLock>(state.folder, options.break_lock);
  require_new(state);
  remove_temporaries(state);
  state.protocol = contents.protocol;
  state.data = contents.data;
  state.cell_sketch = contents.cell_sketch;
  state.test_target_genes = test_genes(contents.split);
  state.others = known_locks(state.state_dir, fs::path(state.folder).parent_path().string(), state.folder, state.notes);
  write_file(state.path("protocol.json"), protocol_json(contents.protocol));
  write_file(state.path("data.json"), data_json(contents.data));
  write_file(state.path("rows.tsv"), rows_tsv(contents.rows));
  write_file(state.path("split.tsv"), split_tsv(contents.split));
  write_file(state.path("labels.trainval.tsv"), labels_tsv(contents.labels_trainval));
  write_file(state.path("labels.test.tsv"), labels_tsv(contents.labels_test));
  state.manifest = make_manifest(state, contents);
  state.manifest.created = now(state);
  const std::string manifest = manifest_json(state.manifest);
  write_file(state.path("manifest.json"), manifest);
  state.lock_id = state.ledger.lock = sha256(manifest);
  append_event(state, "LOCKED", "", {{"manifest_sha256", state.lock_id}}, state.manifest.created);
  if (state.writer->broken())
    append_event(state, "OVERRIDE", "",
                 {{"host", state.writer->broken()->host},
                  {"pid", static_cast<std::int64_t>(state.writer->broken()->pid)},
                  {"what", std::string("writer_lock_broken")}},
                 now(state));
  return TrialFolder(std::move(owned));
}

TrialFolder TrialFolder::open(const std::string& folder, const FolderOptions& options) {
  auto state = new_state(folder, options);
  load_folder(*state);
  return TrialFolder(std::move(state));
}

TrialFolder TrialFolder::open_for_writing(const std::string& folder, const FolderOptions& options) {
  auto state = new_state(folder, options);
  if (!is_there(state->path("manifest.json")) && !is_there(state->path("ledger.jsonl")))
    refuse("not_locked", state->folder + ": expected a trial folder with manifest.json; run 'scvet trial lock' first",
           state->folder);
  state->writer = std::make_unique<WriterLock>(state->folder, options.break_lock);
  load_folder(*state);
  TrialFolder trial(std::move(state));
  trial.require_intact();
  repair_after_crash(*trial.state_);
  return trial;
}

const std::vector<Problem>& TrialFolder::problems() const { return state_->problems; }

void TrialFolder::require_intact() const {
  if (state_->problems.empty()) return;
  const Problem& problem = state_->problems.front();
  refuse(problem.reason, problem.message, problem.file);
}

void TrialFolder::check_derived() { check_derived_arrays(*state_, state_->problems); }

const std::string& TrialFolder::folder() const { return state_->folder; }
std::string TrialFolder::path(const std::string& name) const { return state_->path(name); }
std::string TrialFolder::arm_path(const std::string& arm, const std::string& name) const {
  return state_->arm_path(arm, name);
}
std::string TrialFolder::derived_path(const std::string& name) const { return state_->path("derived/" + name); }
const std::string& TrialFolder::lock_id() const { return state_->lock_id; }
const Protocol& TrialFolder::protocol() const { return state_->protocol; }
const DataRecord& TrialFolder::data() const { return state_->data; }
const ManifestRecord& TrialFolder::manifest() const { return state_->manifest; }
const Ledger& TrialFolder::ledger() const { return state_->ledger; }
const std::vector<KnownLock>& TrialFolder::others() const { return state_->others; }
std::vector<std::string> TrialFolder::arms() const { return state_->ledger.arm_order; }

ArmState TrialFolder::state(const std::string& arm) const {
  ArmState state = ArmState::kUnknown;
  const auto history = state_->ledger.arms.find(arm);
  if (history != state_->ledger.arms.end()) state = history->second.state;
  if (state_->opened_files.contains(arm)) state = std::max(state, ArmState::kTestOpened);
  if (state_->mirror && state_->mirror->arms.contains(arm)) state = std::max(state, state_->mirror->arms.at(arm));
  return state;
}

const ArmHistory& TrialFolder::history(const std::string& arm) const {
  const auto history = state_->ledger.arms.find(arm);
  if (history == state_->ledger.arms.end())
    refuse("arm_unknown", "no arm '" + arm + "' in " + folder() + "; register it with 'scvet trial add-arm'", folder(),
           arm);
  return history->second;
}

namespace {

// The bytes of a file whose hash the ledger or the manifest holds.
std::string checked_bytes(const std::string& file, const std::string& expected, const char* reason) {
  std::string bytes = is_there(file) ? read_file(file) : std::string();
  if (sha256(bytes) != expected)
    refuse(reason, file + ": expected SHA-256 " + expected + ", found " + (is_there(file) ? sha256(bytes) : "nothing"),
           file);
  return bytes;
}

}  // namespace

std::vector<RowLine> TrialFolder::rows() const {
  return parse_rows(checked_bytes(path("rows.tsv"), manifest().rows_sha256, "rows_changed"), path("rows.tsv"));
}

std::vector<SplitLine> TrialFolder::split() const {
  return parse_split(checked_bytes(path("split.tsv"), manifest().split_sha256, "split_changed"), path("split.tsv"));
}

std::vector<LabelLine> TrialFolder::labels_trainval() const {
  const std::string file = path("labels.trainval.tsv");
  return parse_labels(checked_bytes(file, manifest().labels_trainval_sha256, "label_changed"), file);
}

std::vector<LabelLine> TrialFolder::labels_test(const std::string& arm) const {
  if (!is_opened(state(arm)))
    refuse(
        "before_test_done",
        "the labels of the test part are shown after TEST_OPENED only; arm '" + arm + "' is " + state_name(state(arm)),
        path("labels.test.tsv"), arm);
  const std::string file = path("labels.test.tsv");
  return parse_labels(checked_bytes(file, manifest().labels_test_sha256, "label_changed"), file);
}

ArmRecord TrialFolder::arm(const std::string& name) const {
  return parse_arm(checked_bytes(arm_path(name, "arm.json"), history(name).arm_sha256, "arm_record_changed"),
                   arm_path(name, "arm.json"));
}

std::string TrialFolder::fixed() const {
  if (ledger().fixed_sha256.empty()) return "";
  return checked_bytes(path("fixed.tsv"), ledger().fixed_sha256, "fixed_predictions_changed");
}

std::string TrialFolder::sanity_bytes(const std::string& arm) const {
  if (history(arm).sanity_sha256.empty())
    refuse("sanity_missing", "arm '" + arm + "' has no recorded sanity run; run 'scvet trial sanity' first", folder(),
           arm);
  return checked_bytes(arm_path(arm, "sanity.json"), history(arm).sanity_sha256, "sanity_changed");
}

SanityRecord TrialFolder::sanity(const std::string& arm) const {
  return parse_sanity(sanity_bytes(arm), arm_path(arm, "sanity.json"));
}

PredictionsTable TrialFolder::predictions(const std::string& arm) const {
  const std::string file = arm_path(arm, "predictions.tsv");
  return parse_predictions(checked_bytes(file, history(arm).predictions_sha256, "predictions_changed"), file);
}

PartScores TrialFolder::metrics(const std::string& arm) const {
  require_state(arm, Step::kAfterDone);
  const std::string file = arm_path(arm, "metrics.json");
  return parse_metrics(checked_bytes(file, history(arm).metrics_sha256, "derived_changed"), file);
}

OutcomeRecord TrialFolder::outcome(const std::string& arm) const {
  require_state(arm, Step::kAfterDone);
  const std::string file = arm_path(arm, "outcome.json");
  return parse_outcome(checked_bytes(file, history(arm).outcome_sha256, "derived_changed"), file);
}

}  // namespace scvet::trial
