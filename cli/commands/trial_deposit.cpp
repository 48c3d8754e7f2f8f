#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialDepositOptions>();
  add_place_flags(app, options->place);
  app.add_option("--text", options->text, "where it was deposited, in words: registry, URL, date")->required();
  app.add_option(
      "--receipt", options->receipt,
      "file of a timestamp token or signature that an external tool checked: its digest is recorded, and the "
      "status is 'receipt checked' in place of 'self-reported'");
  add_injection_flags(app, options->injection);
  app.footer(
      std::string("Records where the lock id (before the test) or the ledger head (after it) was deposited. It shows "
                  "when a lock was\nfixed, not that it was the only one.\n"
                  "Example:\n"
                  "  scvet trial deposit --trial trials/rpe1 --text 'OSF registration, 2026-11-30'\n") +
      kTrialExits);
  return [options] { print_stage(jobs::deposit_trial(*options)); };
}

}  // namespace

extern const CommandRecord trial_deposit_command = {"trial deposit",
                                                    "record where lock id or ledger head was deposited", add};

}  // namespace scvet::cli
