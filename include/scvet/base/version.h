#pragma once

namespace scvet {
const char* version();  // "0.1.0"
}
