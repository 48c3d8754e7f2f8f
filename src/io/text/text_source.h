// Text where tables stand: plain, gzipped, or the one file of a zip archive.
#pragma once

#include <memory>
#include <string>

#include "scvet/base/text_file.h"

namespace scvet::io {

// DataError when it cannot be opened, or is a zip archive that holds several files or none. Files that an operating
// system adds (names that start with a dot, __MACOSX) do not count.
std::unique_ptr<TextFile> open_text(const std::string& path);

}  // namespace scvet::io
