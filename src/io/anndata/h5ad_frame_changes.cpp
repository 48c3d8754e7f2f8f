#include "anndata/h5ad_frame_changes.h"

#include <algorithm>

#include "hdf5/hdf5_file.h"
#include "scvet/base/error.h"

namespace scvet::io {
namespace {

using hdf5::Group;
using hdf5::LinkKind;

bool holds(std::span<const Column> columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
}

// As the reader finds it.
std::string index_of(const Group& frame) {
  if (const auto stated = frame.text_attribute("_index"); stated && frame.has(*stated)) return *stated;
  for (const char* name : {"_index", "index"})
    if (frame.has(name)) return name;
  throw frame.error("has no index: no attribute _index and no member _index or index", "no_index");
}

// An index called as a column that is to be written would be the same object: it moves to another name.
std::string free_index_name(H5adOut& out, const Group& frame, const FrameChange& change, const std::string& index) {
  if (!holds(change.columns, index)) return index;
  std::string free = "_index";
  while (frame.kind(free) != LinkKind::kMissing || holds(change.columns, free)) free += "_1";
  out.check(H5Lmove(frame.id(), index.c_str(), frame.id(), free.c_str(), H5P_DEFAULT, H5P_DEFAULT), index);
  set_text(out, frame.id(), "_index", free);
  out.note("the index of " + change.frame + ", called '" + index + "', is called '" + free +
           "' in the copy, which has a column of that name");
  return free;
}

}  // namespace

void refuse_column(const std::string& file, const std::string& frame, const std::string& name) {
  throw DataError(frame + " of " + file + " already has '" + name +
                      "'; only columns whose names begin with scvet_ are replaced: rename or drop it first",
                  {.file = file, .field = name, .reason = "column_exists"});
}

FrameChange obs_change(const std::string& source, const CopyChanges& changes) {
  return {.source = source, .frame = "obs", .columns = changes.obs, .replace_columns = changes.replace_columns};
}

FrameChange var_change(const std::string& source, const CopyChanges& changes) {
  return {.source = source,
          .frame = "var",
          .columns = changes.var,
          .replace_columns = changes.replace_columns,
          .names = changes.gene_names};
}

void change_frame(H5adOut& out, const FrameChange& change) {
  if (change.columns.empty() && change.names.empty()) return;
  const Group frame(open_object(out, out.root(), change.frame),
                    std::make_shared<hdf5::FileInfo>(hdf5::FileInfo{change.source, 0}), change.frame);
  const std::string index = free_index_name(out, frame, change, index_of(frame));
  const auto remove = [&](const std::string& name) {
    out.check(H5Ldelete(frame.id(), name.c_str(), H5P_DEFAULT), change.frame + "/" + name);
  };
  if (!change.names.empty()) {
    remove(index);
    write_texts(out, frame.id(), index, change.names);
  }
  std::vector<std::string> order = frame.texts_attribute("column-order").value_or(std::vector<std::string>{});
  for (const Column& column : change.columns) {
    if (frame.kind(column.name) != LinkKind::kMissing) {
      if (!change.replace_columns && !is_ours(column.name)) refuse_column(change.source, change.frame, column.name);
      remove(column.name);
    }
    write_column(out, frame.id(), column.name, column);
    if (std::find(order.begin(), order.end(), column.name) == order.end()) order.push_back(column.name);
  }
  set_texts(out, frame.id(), "column-order", order);
}

void change_table(Table& table, const FrameChange& change) {
  if (!change.names.empty()) table.names.assign(change.names.begin(), change.names.end());
  for (const Column& column : change.columns) {
    const auto old = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& other) { return other.name == column.name; });
    if (old == table.columns.end())
      table.columns.push_back(column);
    else if (change.replace_columns || is_ours(column.name))
      *old = column;
    else
      refuse_column(change.source, change.frame, column.name);
  }
}

}  // namespace scvet::io
