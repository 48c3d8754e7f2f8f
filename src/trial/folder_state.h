// What an open trial folder knows, shared by the sources of TrialFolder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/trial/trial_folder.h"
#include "writer_lock.h"

namespace scvet::trial {

struct FolderState {
  std::string folder;
  FolderOptions options;
  std::string state_dir;
  bool state_writable = true;

  std::string lock_id;
  Protocol protocol;
  DataRecord data;
  ManifestRecord manifest;
  Ledger ledger;
  std::int64_t head_count = 0;   // of ledger.head; 0 where it is missing
  std::optional<Mirror> mirror;  // as read or last written
  std::vector<std::string> cell_sketch, test_target_genes;
  std::set<std::string> opened_files;  // arms that have a test.opened
  bool head_behind = false, mirror_behind = false;

  std::vector<Problem> problems;
  std::vector<std::string> notes;
  std::vector<KnownLock> others;
  std::unique_ptr<WriterLock> writer;
  bool append_failed = false;

  std::string path(const std::string& name) const { return folder + "/" + name; }
  std::string arm_path(const std::string& arm, const std::string& name) const {
    return folder + "/arms/" + arm + "/" + name;
  }
};

std::vector<std::string> test_genes(const std::vector<SplitLine>& split);  // ascending, each once

// folder_integrity.cpp: level 1. Fills everything from `lock_id` to `problems`.
void load_folder(FolderState& state);
void check_derived_arrays(const FolderState& state, std::vector<Problem>& problems);
// The content that test.opened must have; prev is the caller's.
OpenedRecord opened_record(const FolderState& state, const std::string& arm, const std::string& prev);
bool is_there(const std::string& path);                // false also where nobody may look
std::string hash_or_nothing(const std::string& path);  // "nothing" where there is no such file

// folder_append.cpp: the only writer of ledger.jsonl, ledger.head and the mirror, in the order of specification 15.
std::string now(const FolderState& state);
void append_event(FolderState& state, const std::string& event, const std::string& arm, LedgerData data,
                  const std::string& time);
void append_torn_line(FolderState& state);
void write_head(FolderState& state);
void write_mirror(FolderState& state);
void remove_temporaries(const FolderState& state);  // of a process that died: they are no part of the folder
void repair_after_crash(FolderState& state);
void write_opened_file(FolderState& state, const std::string& arm);
void append_opened(FolderState& state, const std::string& arm);

}  // namespace scvet::trial
