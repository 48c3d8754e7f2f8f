// Included by tests that read columnar files: the plugin lies in the build folder, a test program below it.
#pragma once

#include <cstdlib>

#include "scvet/io/columnar.h"

namespace scvet::io {

// SCVET_PLUGIN_DIR is relative to the project's root, where the tests run; the environment may name another.
inline const bool kPluginNamed = setenv("SCVET_PLUGINS", SCVET_PLUGIN_DIR, 0) == 0;

}  // namespace scvet::io

#define SKIP_WITHOUT_ARROW \
  if (!scvet::io::parquet_writer_available()) GTEST_SKIP() << "built without the Arrow plugin (SCVET_WITH_ARROW)"
