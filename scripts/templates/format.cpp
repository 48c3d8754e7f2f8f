// Reads @NAME@ files: say here which tool writes them and what they hold.
#include <memory>
#include <string>

#include "scvet/base/error.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

// Judges by content, never by the extension alone; a foreign or broken file is a plain false.
bool recognises(const std::string& path) { return path.ends_with(".@NAME@"); }

std::unique_ptr<CellFile> open(const std::string& path, const OpenOptions&) {
  throw DataError(path + ": reading @NAME@ files has no body yet", {.file = path, .reason = "unwritten"});
}

}  // namespace

extern const FormatRecord @NAME @_format = {
    .name = "@NAME@", .summary = "@NAME@ files", .extensions = "@NAME@", .recognises = recognises, .open = open};

}  // namespace scvet::io
