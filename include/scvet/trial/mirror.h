// What a user's state folder knows of the locks made or used here, and what may be said of a lock because of it.
// Specification 16. Files: <lock id>.json (the mirror) and <lock id>.arms.json (what decides "the same arm again").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/trial/ledger.h"

namespace scvet::trial {

struct Mirror {
  std::string lock, counts_digest, design_digest;
  std::vector<std::string> cell_sketch, test_target_genes;  // both ascending
  std::map<std::string, ArmState> arms;
  std::int64_t ledger_count = 0;
  std::string ledger_head;
  bool operator==(const Mirror&) const = default;
};
std::string mirror_json(const Mirror& mirror);
Mirror parse_mirror(std::string_view text, const std::string& where);

// `given` where it is not empty, else $XDG_STATE_HOME/scvet/trials, else ~/.local/state/scvet/trials; "" where there is
// no home either.
std::string state_folder(const std::string& given);

// One lock that the mirror or a folder beside this one tells of.
struct KnownLock {
  std::string lock, protocol_sha256, supersedes, folder;  // "" where not known
  std::string counts_digest, design_digest;
  std::vector<std::string> cell_sketch, test_target_genes;
  std::map<std::string, ArmState> arms;
  std::map<std::string, std::string> embedding_digests;  // by arm
};
// Every lock of the state folder and of the folders in `parent` (both may be ""), one entry a lock, each arm with its
// most advanced state, by lock id. Files that cannot be read are named in `unreadable`.
std::vector<KnownLock> known_locks(const std::string& state_dir, const std::string& parent,
                                   const std::string& own_folder, std::vector<std::string>& unreadable);
// The same counts digest, or half of the smaller cell sketch shared and a test gene in common.
bool same_data(const KnownLock& a, const KnownLock& b);

}  // namespace scvet::trial
