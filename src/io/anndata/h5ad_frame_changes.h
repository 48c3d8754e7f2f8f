// Columns and index of a frame that has been written, put in another's place.
#pragma once

#include <span>
#include <string>

#include "anndata/h5ad_writer_elements.h"
#include "scvet/data/table.h"

namespace scvet::io {

// Columns that belong to us, whoever wrote the file.
inline bool is_ours(const std::string& name) { return name.starts_with("scvet_"); }

// DataError: a column that is not ours is there already.
[[noreturn]] void refuse_column(const std::string& file, const std::string& frame, const std::string& name);

struct FrameChange {
  std::string source;  // the file that is copied, for messages
  std::string frame;   // "obs" or "var", at the root
  std::span<const Column> columns;
  bool replace_columns = false;             // also those that are not ours
  std::span<const std::string> names = {};  // the index; empty: stays
};

// What `changes` has for obs and var of the file `source`.
FrameChange obs_change(const std::string& source, const CopyChanges& changes);
FrameChange var_change(const std::string& source, const CopyChanges& changes);

// `change.frame` must be a typed frame with an index.
void change_frame(H5adOut& out, const FrameChange& change);

// The same for a table in memory.
void change_table(Table& table, const FrameChange& change);

}  // namespace scvet::io
