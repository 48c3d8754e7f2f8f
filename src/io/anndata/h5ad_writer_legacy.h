// Frames of anndata before 0.8 (compound tables, __categories) and columns that few readers know, written as typed
// groups that every version from 0.8 on reads.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "anndata/h5ad_writer_elements.h"
#include "hdf5/hdf5_file.h"

namespace scvet::io {

// True for a group that anndata 0.8 wrote or later: its columns can stay as they are.
bool is_typed_frame(const hdf5::Group& group);

// Writes the frame `member` of `source` (a group or a compound data set) as a typed group `name` of `parent`.
// `uns` holds "<column>_categories" of compound tables; the keys that were used are added to `used`.
void convert_frame(H5adOut& out, const hdf5::Group& source, const std::string& member, hid_t parent,
                   const std::string& name, const hdf5::Group* uns, std::set<std::string>& used);

// A compound obsm or varm: one array a field.
void convert_fields(H5adOut& out, const hdf5::Dataset& source, hid_t parent, const std::string& name);

// Nullable strings (anndata 0.11 and later) as texts or, where some are missing, as a categorical.
void convert_nullable_texts(H5adOut& out, const hdf5::Group& column, hid_t parent, const std::string& name);

}  // namespace scvet::io
