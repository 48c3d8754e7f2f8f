// trial_steps FOLDER STATE_DIR: takes a trial of the worked example's numbers from wherever it is to TEST_DONE, as a
// user would after a crash, and prints the state it found. Killed at every write by tests/cli/test_trial_folder_kill.py.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "kill/reference_trial.h"
#include "scvet/base/error.h"

namespace {

using namespace scvet;
using namespace scvet::trial;

// How many events there are, for a clock that goes on where the last program stopped.
int minutes_so_far(const std::string& folder) {
  const std::string file = folder + "/ledger.jsonl";
  int lines = 0;
  if (std::filesystem::exists(file))
    for (const char byte : read_file(file)) lines += byte == '\n';
  return lines;
}

void run(const std::string& folder, const std::string& state_dir) {
  const std::string reference = SCVET_REFERENCE_DIR;
  const ReferenceResults results = reference_results(reference);
  int minute = minutes_so_far(folder);
  FolderOptions options = reference_options(state_dir, minute);
  options.break_lock = std::getenv("BREAK_LOCK") != nullptr;
  const std::string ledger = folder + "/ledger.jsonl";
  const bool locked = std::filesystem::exists(ledger) && std::filesystem::file_size(ledger) > 0;
  TrialFolder trial = locked ? TrialFolder::open_for_writing(folder, options)
                             : TrialFolder::create(folder, reference_contents(reference), options);
  std::printf("%s\n", state_name(trial.state("demo")));
  if (trial.arms().empty() || trial.state("demo") != ArmState::kTestDone || trial.history("demo").torn)
    go_on(trial, results, "demo", ArmState::kTestDone);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  try {
    run(words[1], words[2]);
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
