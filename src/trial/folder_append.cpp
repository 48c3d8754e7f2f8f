// The order of writes of specification 15: data files first (by the caller), then the ledger line, the head, the mirror.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "canonical_json.h"
#include "folder_state.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"

namespace scvet::trial {
namespace fs = std::filesystem;
namespace {

void sync_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);  // some file systems refuse this for folders
  close(fd);
}

// One write on an O_APPEND descriptor, then fsync of the file and its folder.
void append_bytes(FolderState& state, const std::string& bytes) {
  const std::string file = state.path("ledger.jsonl");
  state.append_failed = true;
  const int fd = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool wrote =
      fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && fsync(fd) == 0;
  const std::string why = std::strerror(errno);
  if (fd >= 0) close(fd);
  if (!wrote) throw ResourceError("cannot append to " + file + ": " + why, {.file = file});
  sync_folder(state.folder);
  state.append_failed = false;
}

Mirror current_mirror(const FolderState& state) {
  Mirror mirror{state.lock_id,        state.data.counts_digest, state.data.design_digest,
                state.cell_sketch,    state.test_target_genes,  {},
                state.ledger.count(), state.ledger.head()};
  for (const auto& [arm, history] : state.ledger.arms) mirror.arms[arm] = history.state;
  return mirror;
}

// What tells "the same arm again" under another lock: beside the mirror, since the mirror has no place for it.
std::string arms_json(const FolderState& state) {
  Json embeddings = Json::object();
  for (const auto& [arm, history] : state.ledger.arms) {
    const std::string file = state.arm_path(arm, "arm.json");
    if (is_there(file)) embeddings[arm] = parse_arm(read_file(file), file).embedding_digest;
  }
  return canonical({{"embedding_digests", embeddings},
                    {"folder", state.folder},
                    {"protocol_sha256", state.manifest.protocol_sha256},
                    {"supersedes", state.manifest.supersedes ? state.manifest.supersedes->lock : ""}});
}

LedgerEvent next_event(const FolderState& state, const std::string& event, const std::string& arm, LedgerData data,
                       const std::string& time) {
  return {state.ledger.count() + 1, time, event, arm, state.lock_id, state.ledger.head(), std::move(data), ""};
}

void append_line(FolderState& state, LedgerEvent event, const std::string& before) {
  if (!state.writer) throw InternalError("a trial folder that is open for reading was to be written");
  if (state.append_failed)
    throw ResourceError("an earlier write to " + state.path("ledger.jsonl") + " failed; start the command again");
  const std::string line = ledger_line(event);
  append_bytes(state, before + line);
  event.hash = sha256(line);
  apply_event(state.ledger, event);
  write_head(state);
  write_mirror(state);
}

}  // namespace

std::string now(const FolderState& state) {
  if (state.options.clock) return state.options.clock();
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

void write_head(FolderState& state) {
  write_file(state.path("ledger.head"), std::to_string(state.ledger.count()) + " " + state.ledger.head() + "\n");
  state.head_count = state.ledger.count();
}

void write_mirror(FolderState& state) {
  const Mirror mirror = current_mirror(state);
  if (state.state_dir.empty()) {
    state.state_writable = false;
    return;
  }
  try {
    const std::string base = state.state_dir + "/" + state.lock_id;
    write_file(base + ".arms.json", arms_json(state));
    write_file(base + ".json", mirror_json(mirror));
    state.mirror = mirror;
  } catch (const ResourceError&) {
    state.state_writable = false;
  }
}

void append_event(FolderState& state, const std::string& event, const std::string& arm, LedgerData data,
                  const std::string& time) {
  append_line(state, next_event(state, event, arm, std::move(data), time), "");
}

void append_torn_line(FolderState& state) {
  LedgerData data{{"torn_bytes", static_cast<std::int64_t>(state.ledger.torn.size())},
                  {"torn_sha256", sha256(state.ledger.torn)}};
  append_line(state, next_event(state, "TORN_LINE", "", std::move(data), now(state)), "\n");
}

void write_opened_file(FolderState& state, const std::string& arm) {
  const std::string file = state.arm_path(arm, "test.opened");
  const std::string bytes = opened_json(opened_record(state, arm, state.ledger.head()));
  // After a crash the file may be there, empty or cut short: it is completed in place and stays the same file.
  const bool resumed = state.opened_files.contains(arm);
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC | (resumed ? 0 : O_CREAT | O_EXCL), 0644);
  if (fd < 0) throw ResourceError("cannot write " + file + ": " + std::strerror(errno), {.file = file});
  state.opened_files.insert(arm);
  const bool wrote = write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && fsync(fd) == 0;
  const std::string why = std::strerror(errno);
  close(fd);
  if (!wrote) throw ResourceError("cannot write " + file + ": " + why, {.file = file});
  sync_folder(fs::path(file).parent_path().string());
}

void append_opened(FolderState& state, const std::string& arm) {
  LedgerData data{{"labels_test_sha256", state.manifest.labels_test_sha256}};
  if (!state.state_writable || state.state_dir.empty()) data["mirror"] = std::string("none");
  append_event(state, "TEST_OPENED", arm, std::move(data), now(state));
}

namespace {

// Names that AtomicPath gives while it writes; `start` is what the target's name begins with.
void remove_temporaries_in(const std::string& folder, const std::string& start) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("." + start) && name.find(".part-") != std::string::npos) found.push_back(at->path());
  }
  for (const fs::path& path : found) fs::remove(path, error);
}

// test.opened is the opening, and its line follows here when a crash came between the two.
void complete_openings(FolderState& state) {
  for (const std::string& arm : std::set<std::string>(state.opened_files)) {
    const ArmHistory& history = state.ledger.arms.at(arm);
    if (history.opened_seq > 0 || history.state == ArmState::kTestAborted) continue;
    const std::string file = state.arm_path(arm, "test.opened");
    bool whole = true;
    try {
      parse_opened(read_file(file), file);
    } catch (const Error&) {
      whole = false;
    }
    if (!whole) write_opened_file(state, arm);
    append_opened(state, arm);
  }
}

}  // namespace

void remove_temporaries(const FolderState& state) {
  remove_temporaries_in(state.folder, "");
  std::error_code error;
  for (fs::directory_iterator at(state.path("arms"), error), end; !error && at != end; at.increment(error))
    remove_temporaries_in(at->path().string(), "");
  if (!state.state_dir.empty() && !state.lock_id.empty()) remove_temporaries_in(state.state_dir, state.lock_id);
}

void repair_after_crash(FolderState& state) {
  remove_temporaries(state);
  const bool head_behind = state.head_behind, mirror_behind = state.mirror_behind;
  if (head_behind) write_head(state);
  if (mirror_behind) write_mirror(state);
  const bool lock_torn = state.ledger.lock_torn;
  if (!state.ledger.torn.empty()) append_torn_line(state);
  if (lock_torn) append_event(state, "LOCKED", "", {{"manifest_sha256", state.lock_id}}, now(state));
  complete_openings(state);
  const auto record = [&](LedgerData data) { append_event(state, "OVERRIDE", "", std::move(data), now(state)); };
  if (state.writer->broken())
    record({{"host", state.writer->broken()->host},
            {"pid", static_cast<std::int64_t>(state.writer->broken()->pid)},
            {"what", std::string("writer_lock_broken")}});
  if (head_behind) record({{"what", std::string("head_repaired")}});
  if (mirror_behind) record({{"what", std::string("mirror_repaired")}});
  state.head_behind = state.mirror_behind = false;
}

}  // namespace scvet::trial
