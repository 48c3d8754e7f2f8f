// Changed copies of formats other than h5ad.
#pragma once

#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::io {

// What the reader gives, with `changes`, written anew as h5ad. Returns the writer's notes.
std::vector<std::string> write_anew(CellFile& source, const std::string& target, const CopyChanges& changes,
                                    const WriteOptions& options);

}  // namespace scvet::io
