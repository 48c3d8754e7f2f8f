#include "scvet/base/version.h"

namespace scvet {
const char* version() { return SCVET_VERSION; }
}  // namespace scvet
