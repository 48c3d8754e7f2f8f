// Refusals of specification 17: a LockError with its stable word in the facts and at the end of the message.
#pragma once

#include <string>

#include "scvet/base/error.h"

namespace scvet::trial {

[[noreturn]] inline void refuse(const std::string& reason, const std::string& message, const std::string& file = {},
                                const std::string& field = {}) {
  throw LockError(message + " (reason=" + reason + ")", {.file = file, .field = field, .reason = reason});
}

}  // namespace scvet::trial
