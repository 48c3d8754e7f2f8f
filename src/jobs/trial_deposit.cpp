#include <fmt/format.h>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "trial_common.h"

namespace scvet::jobs {

TrialStageResult deposit_trial(const TrialDepositOptions& options) {
  if (options.text.empty())
    throw UsageError(
        "say with --text where it was deposited (add --receipt FILE for a token that a tool of yours checked)",
        {.field = "text"});
  trial::TrialFolder folder =
      trial::TrialFolder::open_for_writing(options.place.folder, folder_options(options.place, options.injection));
  const std::string head = folder.ledger().head();
  if (options.receipt.empty())
    folder.deposit("self-reported", options.text);
  else
    folder.deposit("receipt checked", options.text, sha256_path(options.receipt));
  TrialStageResult result;
  result.headline = "deposit recorded";
  result.lines = {"lock id      " + folder.lock_id(), "ledger head  " + head};
  result.state = folder.deposits().back().status;
  return result;
}

}  // namespace scvet::jobs
