// Level 1 of verify: what a folder says of itself, compared with its hashes, chain, head and mirror.
#include <algorithm>
#include <filesystem>

#include "canonical_json.h"
#include "folder_state.h"
#include "npy_digest.h"
#include "refuse.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"

namespace scvet::trial {
namespace fs = std::filesystem;
namespace {

std::string bytes_or_empty(const std::string& path) { return is_there(path) ? read_file(path) : std::string(); }

void add(FolderState& state, const std::string& reason, const std::string& message, const std::string& file) {
  state.problems.push_back({reason, message, file});
}

// Compares a file with the hash that something else holds of it.
void check_hash(FolderState& state, const std::string& file, const std::string& expected, const std::string& reason,
                const std::string& holder) {
  const std::string found = hash_or_nothing(file);
  if (found != expected)
    add(state, reason, file + ": expected SHA-256 " + expected + " (" + holder + "), found " + found, file);
}

// A file whose hash is right is read; one that was changed is judged by its hash alone.
template <typename Record, typename Parse>
void read_record(FolderState& state, const std::string& name, Record& record, Parse parse) {
  const std::string file = state.path(name);
  try {
    record = parse(read_file(file), file);
  } catch (const Error& error) {
    if (state.problems.empty()) throw;
    state.notes.push_back(name + " could not be read: " + error.what());
  }
}

void load_ledger(FolderState& state, const std::string& manifest_text) {
  const std::string file = state.path("ledger.jsonl");
  state.ledger = read_ledger(bytes_or_empty(file), sha256(manifest_text), file);
  state.lock_id = state.ledger.lock;
  state.problems.insert(state.problems.end(), state.ledger.problems.begin(), state.ledger.problems.end());
}

// Hash of line `count`, from 1; the lock id for 0; "" where there is no such line.
std::string hash_at(const Ledger& ledger, std::int64_t count) {
  if (count == 0) return ledger.lock;
  if (count < 0 || count > ledger.count()) return "";
  return ledger.events[static_cast<std::size_t>(count - 1)].hash;
}

void check_head(FolderState& state) {
  const std::string file = state.path("ledger.head"), text = bytes_or_empty(file);
  const Ledger& ledger = state.ledger;
  const std::vector<std::string> words = split(trim(text), ' ');
  std::string hash = ledger.lock;
  if (!text.empty()) {
    const auto count = parse_integer(words[0]);
    const bool good = words.size() == 2 && count && *count >= 1 && is_sha256(words[1]) &&
                      text == words[0] + " " + words[1] + "\n" && words[0] == std::to_string(*count);
    if (!good)
      return add(state, "head_mismatch", file + ": expected \"count hash\" and a line end, found something else", file);
    state.head_count = *count;
    hash = words[1];
  }
  const std::string both =
      file + " holds " + std::to_string(state.head_count) + " lines, ledger.jsonl " + std::to_string(ledger.count());
  if (state.head_count > ledger.count())
    return add(state, "ledger_truncated",
               both + ": lines of the ledger are missing; restore the folder that was there before", file);
  if (hash != hash_at(ledger, state.head_count))
    return add(state, "head_mismatch",
               file + ": expected " + hash_at(ledger, state.head_count) + " for line " +
                   std::to_string(state.head_count) + ", found " + hash,
               file);
  state.head_behind = state.head_count == ledger.count() - 1;
  if (state.head_count < ledger.count() - 1)
    add(state, "head_mismatch", both + ": a crash leaves it one line behind, not more", file);
}

bool same_states(const FolderState& state) {
  for (const auto& [arm, history] : state.ledger.arms) {
    const auto found = state.mirror->arms.find(arm);
    if (!history.torn && (found == state.mirror->arms.end() || found->second != history.state)) return false;
  }
  return std::all_of(state.mirror->arms.begin(), state.mirror->arms.end(),
                     [&](const auto& entry) { return state.ledger.arms.contains(entry.first); });
}

// Where the folder stands, compared with what the mirror saw last.
void compare_place(FolderState& state, const std::string& file) {
  const Ledger& ledger = state.ledger;
  const Mirror& mirror = *state.mirror;
  const std::string both = file + " knows " + std::to_string(mirror.ledger_count) +
                           " lines of the ledger, this folder holds " + std::to_string(ledger.count());
  if (mirror.ledger_count > ledger.count())
    return add(state, "ledger_rollback", both + ": an older or copied folder; go on in the one that was used last",
               file);
  if (mirror.ledger_head != hash_at(ledger, mirror.ledger_count))
    return add(state, "ledger_rollback", both + ", but another history: a copy of this folder was used", file);
  state.mirror_behind = mirror.ledger_count == ledger.count() - 1;
  if (mirror.ledger_count < ledger.count() - 1)
    add(state, "head_mismatch", both + ": a crash leaves it one line behind, not more", file);
}

void read_mirror(FolderState& state) {
  if (state.state_dir.empty()) return;
  const std::string file = state.state_dir + "/" + state.lock_id + ".json";
  if (!is_there(file)) {
    if (state.ledger.count() > 0)
      state.notes.push_back(
          "the state folder did not know this lock: another user or machine, or a state folder that was removed");
    return;
  }
  try {
    state.mirror = parse_mirror(read_file(file), file);
  } catch (const Error& error) {
    return add(state, "head_mismatch", std::string("the mirror cannot be read: ") + error.what(), file);
  }
  state.cell_sketch = state.mirror->cell_sketch;
  // A damaged ledger is judged by itself first.
  if (state.problems.empty()) compare_place(state, file);
}

// Once the folder's own files have proved good.
void compare_mirror(FolderState& state) {
  if (!state.mirror || !state.problems.empty()) return;
  const Mirror& mirror = *state.mirror;
  const bool same = mirror.lock == state.lock_id && mirror.counts_digest == state.data.counts_digest &&
                    mirror.design_digest == state.data.design_digest &&
                    mirror.test_target_genes == state.test_target_genes;
  const std::string file = state.state_dir + "/" + state.lock_id + ".json";
  if (!same || (!state.mirror_behind && !same_states(state)))
    add(state, "head_mismatch", file + " does not agree with this folder on digests, test genes or states", file);
}

void check_opened_file(FolderState& state, const std::string& arm, const ArmHistory& history) {
  const std::string file = state.arm_path(arm, "test.opened");
  const bool opened_line = history.opened_seq > 0;
  if (!state.opened_files.contains(arm)) {
    if (opened_line)
      add(state, "opened_file_missing",
          file + ": the ledger says in line " + std::to_string(history.opened_seq) +
              " that the test was opened, but the file is not there",
          file);
    return;
  }
  const std::string found = read_file(file);
  // Its prev is the line before its own, or, where a crash came between, an earlier one.
  const std::int64_t last = opened_line ? history.opened_seq - 1 : state.ledger.count();
  for (std::int64_t count = last; count >= 1; --count) {
    const std::string expected = opened_json(opened_record(state, arm, hash_at(state.ledger, count)));
    if (found == expected || (!opened_line && expected.starts_with(found))) return;
  }
  add(state, found.find(history.predictions_sha256) == std::string::npos ? "predictions_changed" : "ledger_chain",
      file + ": expected the lock, arm, predictions and ledger line of this test, found other content", file);
}

void check_arm(FolderState& state, const std::string& arm, const ArmHistory& history) {
  const auto check = [&](const char* name, const std::string& expected, const char* reason) {
    if (!expected.empty()) check_hash(state, state.arm_path(arm, name), expected, reason, "the ledger");
  };
  check("arm.json", history.arm_sha256, "arm_record_changed");
  check("sanity.json", history.sanity_sha256, "sanity_changed");
  check("predictions.tsv", history.predictions_sha256, "predictions_changed");
  check_opened_file(state, arm, history);
  check("metrics.json", history.metrics_sha256, "derived_changed");
  check("outcome.json", history.outcome_sha256, "derived_changed");
}

void find_opened_files(FolderState& state) {
  std::error_code error;
  for (fs::directory_iterator at(state.path("arms"), error), end; !error && at != end; at.increment(error)) {
    const std::string arm = at->path().filename().string();
    if (!is_there((at->path() / "test.opened").string())) continue;
    state.opened_files.insert(arm);
    if (!state.ledger.arms.contains(arm))
      add(state, "ledger_chain", at->path().string() + " holds a test.opened, but the ledger does not know the arm",
          at->path().string());
  }
}

void check_files(FolderState& state) {
  const ManifestRecord& manifest = state.manifest;
  const auto check = [&](const char* name, const std::string& expected, const char* reason) {
    check_hash(state, state.path(name), expected, reason, "manifest.json");
  };
  check("protocol.json", manifest.protocol_sha256, "protocol_changed");
  check("data.json", manifest.data_sha256, "data_changed");
  check("rows.tsv", manifest.rows_sha256, "rows_changed");
  check("split.tsv", manifest.split_sha256, "split_changed");
  check("labels.trainval.tsv", manifest.labels_trainval_sha256, "label_changed");
  check("labels.test.tsv", manifest.labels_test_sha256, "label_changed");
}

}  // namespace

std::vector<std::string> test_genes(const std::vector<SplitLine>& split) {
  std::set<std::string> genes;
  for (const SplitLine& row : split)
    if (row.split == "test") genes.insert(row.target_gene);
  return {genes.begin(), genes.end()};
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string hash_or_nothing(const std::string& path) { return is_there(path) ? sha256_path(path) : "nothing"; }

OpenedRecord opened_record(const FolderState& state, const std::string& arm, const std::string& prev) {
  const auto history = state.ledger.arms.find(arm);
  return {arm, state.lock_id, history == state.ledger.arms.end() ? "" : history->second.predictions_sha256, prev};
}

void load_folder(FolderState& state) {
  const std::string manifest_file = state.path("manifest.json");
  const std::string manifest_text = bytes_or_empty(manifest_file);
  load_ledger(state, manifest_text);
  const bool known = !state.state_dir.empty() && is_there(state.state_dir + "/" + state.lock_id + ".json");
  if (state.ledger.count() == 0 && state.ledger.torn.empty() && state.problems.empty() && !known)
    refuse("not_locked",
           state.folder + ": expected a trial folder with manifest.json and ledger.jsonl; run 'scvet trial lock' first",
           state.folder);
  check_head(state);
  read_mirror(state);
  if (sha256(manifest_text) != state.lock_id)
    check_hash(state, manifest_file, state.lock_id, "manifest_changed", "the lock id in the ledger");
  read_record(state, "manifest.json", state.manifest, parse_manifest);
  if (!state.manifest.protocol_sha256.empty()) check_files(state);
  read_record(state, "protocol.json", state.protocol, parse_protocol);
  read_record(state, "data.json", state.data, parse_data);
  std::vector<SplitLine> split;
  read_record(state, "split.tsv", split, parse_split);
  state.test_target_genes = test_genes(split);
  find_opened_files(state);
  if (!state.ledger.fixed_sha256.empty())
    check_hash(state, state.path("fixed.tsv"), state.ledger.fixed_sha256, "fixed_predictions_changed", "the ledger");
  for (const auto& [arm, history] : state.ledger.arms) check_arm(state, arm, history);
  compare_mirror(state);
  state.others = known_locks(state.state_dir, fs::path(state.folder).parent_path().string(), state.folder, state.notes);
  // The own mirror is compared above; a copy beside this folder under the same id stays in the list.
  std::erase_if(state.others,
                [&](const KnownLock& lock) { return lock.lock == state.lock_id && lock.folder == state.folder; });
}

void check_derived_arrays(const FolderState& state, std::vector<Problem>& problems) {
  const auto check = [&](const std::string& file, const std::string& expected, const char* holder) {
    if (!is_there(file)) return;
    const std::string found = npy_values_sha256(file);
    if (found != expected)
      problems.push_back({"derived_changed",
                          file + ": expected SHA-256 " + expected + " of its values (" + holder + "), found " + found,
                          file});
  };
  check(state.path("derived/x_delta.npy"), state.manifest.x_delta_sha256, "manifest.json");
  check(state.path("derived/x_unit_delta.npy"), state.manifest.x_unit_delta_sha256, "manifest.json");
  check(state.path("derived/mag.npy"), state.manifest.mag_sha256, "manifest.json");
  for (const auto& [arm, history] : state.ledger.arms) {
    const std::string record = state.arm_path(arm, "arm.json");
    if (history.arm_sha256.empty() || hash_or_nothing(record) != history.arm_sha256) continue;
    check(state.path("derived/z_" + arm + ".npy"), parse_arm(read_file(record), record).z_sha256, "arm.json");
  }
}

}  // namespace scvet::trial
