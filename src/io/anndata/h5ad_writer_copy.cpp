// Copies of a file with more columns in obs. Of an h5ad the objects themselves are copied by HDF5, compressed chunks
// and all; only what anndata 0.8 to 0.12 would trip over is written anew.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "anndata/h5ad_frame_changes.h"
#include "anndata/h5ad_writer_cells.h"
#include "anndata/h5ad_writer_copier.h"
#include "anndata/h5ad_writer_elements.h"
#include "anndata/h5ad_writer_legacy.h"
#include "anndata/h5ad_writer_rewrite.h"
#include "hdf5/hdf5_file.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::io {
using hdf5::Dataset;
using hdf5::Group;
using hdf5::LinkKind;

namespace {

// HDF5's own copy; false when the source cannot be copied (a broken object), the reason then is taken.
bool copy_object(const Group& from, const std::string& name, hid_t to, const std::string& as, std::string& why) {
  throw_if_stopped();
  if (H5Ocopy(from.id(), name.c_str(), to, as.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0) return true;
  why = hdf5::take_error().text;
  return false;
}

}  // namespace

void Copier::required(const Group& from, const std::string& member, hid_t parent, const std::string& name) {
  std::string why;
  if (!copy_object(from, member, parent, name, why))
    throw from.error(member + " cannot be copied: " + why, "unreadable");
}

namespace {

// h5sparse (before 0.7) says in attributes of its own what encoding-type says since.
void name_encoding(const H5adOut& out, hid_t object, const Group& from, const std::string& member) {
  if (from.kind(member) == LinkKind::kDataset) {
    const Dataset array = from.dataset(member);
    if (!array.has_attribute("encoding-type") && !array.is_null() && !array.shape().empty() && array.type().is_number())
      set_encoding(out, object, kArray);
    return;
  }
  const Group group = from.group(member);
  const auto format = group.text_attribute("h5sparse_format");
  const auto shape = group.integers_attribute("h5sparse_shape");
  if (!format || !shape || group.has_attribute("encoding-type")) return;
  set_encoding(out, object, *format == "csc" ? kCsc : kCsr);
  set_integers(out, object, "shape", *shape);
  remove_attribute(out, object, "h5sparse_format");
  remove_attribute(out, object, "h5sparse_shape");
}

}  // namespace

void Copier::matrix(const Group& from, const std::string& member, hid_t parent, const std::string& name) {
  if (from.kind(member) == LinkKind::kDataset && from.dataset(member).is_null()) {
    out_.note(member + " is empty and was left out");
    return;
  }
  required(from, member, parent, name);
  name_encoding(out_, open_object(out_, parent, name).get(), from, member);
}

void Copier::frame(const Group& from, const std::string& member, hid_t parent, const std::string& name) {
  if (from.kind(member) != LinkKind::kGroup || !is_typed_frame(from.group(member))) {
    const bool old = uns_ && !source_.has_attribute("encoding-version");
    convert_frame(out_, from, member, parent, name, old ? &*uns_ : nullptr, used_);
    out_.note((from.name() == "/" ? member : from.name() + "/" + member) +
              " is in a layout from before anndata 0.8 and was written as a typed group");
    return;
  }
  required(from, member, parent, name);
  const Group group = from.group(member);
  const Handle copy = open_object(out_, parent, name);
  for (const std::string& column : group.members()) {
    if (group.kind(column) != LinkKind::kGroup) continue;
    const Group nullable = group.group(column);
    if (nullable.text_attribute("encoding-type") != "nullable-string-array") continue;
    out_.check(H5Ldelete(copy.get(), column.c_str(), H5P_DEFAULT), column);
    convert_nullable_texts(out_, nullable, copy.get(), column);
  }
}

void Copier::obs(const std::vector<Column>& columns) {
  frame(source_, "obs", out_.root(), "obs");
  change_frame(out_, {.source = source_.file(), .frame = "obs", .columns = columns});
}

// An entry of layers, obsm and the like.
void Copier::element(const Group& from, const std::string& member, hid_t parent, const std::string& name) {
  const bool group = from.kind(member) == LinkKind::kGroup;
  if (group && from.group(member).text_attribute("encoding-type") == "dataframe")
    return frame(from, member, parent, name);
  matrix(from, member, parent, name);
}

void Copier::mapping(const std::string& member) {
  const LinkKind kind = source_.kind(member);
  if (kind == LinkKind::kDataset) {
    const Dataset table = source_.dataset(member);
    if (table.type().kind == hdf5::ElementType::Kind::kCompound)
      return convert_fields(out_, table, out_.root(), member);
    if (!table.is_null()) throw table.error("expected a group or a table", "not_a_mapping");
  }
  const Handle target = make_group(out_, out_.root(), member, kDict);
  if (kind != LinkKind::kGroup) return;
  const Group source = source_.group(member);
  for (const std::string& name : source.members()) {
    if (source.has(name))
      element(source, name, target.get(), name);
    else
      out_.note(member + "/" + name + " is a link to nothing, or out of the file, and was left out");
  }
}

// A group since 0.7; before that three objects whose names begin with "raw.".
void Copier::raw() {
  const bool together = source_.kind("raw") == LinkKind::kGroup;
  if (!together && !has("raw.X")) return;
  std::optional<Group> group;
  if (together) group.emplace(source_.group("raw"));
  const Group& from = together ? *group : source_;
  const std::string prefix = together ? "" : "raw.";
  if (!from.has(prefix + "X") || !from.has(prefix + "var")) {
    out_.note("raw lacks X or var and was left out");
    return;
  }
  const Handle target = make_group(out_, out_.root(), "raw", kRaw);
  matrix(from, prefix + "X", target.get(), "X");
  frame(from, prefix + "var", target.get(), "var");
  if (const auto shape = from.integers_attribute("shape"); together && shape)
    set_integers(out_, target.get(), "shape", *shape);
  const std::string varm = prefix + "varm";
  if (from.kind(varm) == LinkKind::kDataset) return convert_fields(out_, from.dataset(varm), target.get(), "varm");
  const Handle mapping = make_group(out_, target.get(), "varm", kDict);
  if (from.kind(varm) != LinkKind::kGroup) return;
  const Group members = from.group(varm);
  for (const std::string& name : members.members())
    if (members.has(name)) element(members, name, mapping.get(), name);
}

namespace {

// Encodings that anndata 0.8 can read. Anything else in uns would keep the whole file from opening there.
bool is_known_encoding(const std::string& type) {
  static constexpr std::array kKnown = {
      "",           "dict",      "array",       "string",           "string-array",     "csr_matrix",
      "csc_matrix", "dataframe", "categorical", "nullable-integer", "nullable-boolean", "numeric-scalar",
      "rec-array",  "bytes",     "raw",         "anndata"};
  return std::find(kKnown.begin(), kKnown.end(), type) != kKnown.end();
}

}  // namespace

void Copier::uns_members(const Group& from, hid_t to, bool top) {
  for (const std::string& name : from.members()) {
    if (top && used_.contains(name)) continue;
    const std::string label = "uns entry '" + (top ? name : from.name() + "/" + name) + "'";
    const LinkKind kind = from.kind(name);
    if (kind != LinkKind::kGroup && kind != LinkKind::kDataset) {
      out_.note(label + " is a link to nothing, or no data, and was left out");
      continue;
    }
    try {
      const bool group = kind == LinkKind::kGroup;
      const std::string type = (group ? from.group(name).text_attribute("encoding-type")
                                      : from.dataset(name).text_attribute("encoding-type"))
                                   .value_or("");
      if (group && type == "nullable-string-array") {
        convert_nullable_texts(out_, from.group(name), to, name);
        continue;
      }
      if (!is_known_encoding(type)) {
        out_.note(label + " has the encoding '" + type + "', which anndata 0.8 does not read, and was left out");
        continue;
      }
      if (group && type == "dataframe") {
        frame(from, name, to, name);
      } else if (group && (type.empty() || type == "dict") && !from.group(name).has_attribute("h5sparse_format")) {
        const Handle target = make_group(out_, to, name, kDict);
        uns_members(from.group(name), target.get(), false);
      } else {
        matrix(from, name, to, name);
      }
    } catch (const DataError& error) {
      H5Ldelete(to, name.c_str(), H5P_DEFAULT);
      hdf5::take_error();
      out_.note(label + " is broken and was left out: " + error.what());
    }
  }
}

void Copier::uns(const std::vector<UnsText>& entries) {
  const Handle target = make_group(out_, out_.root(), "uns", kDict);
  if (uns_) uns_members(*uns_, target.get(), true);
  for (const UnsText& entry : entries) {
    if (H5Lexists(target.get(), entry.key.c_str(), H5P_DEFAULT) > 0) {
      if (!is_ours(entry.key))
        throw DataError("uns of " + source_.file() + " already has '" + entry.key + "'",
                        {.file = source_.file(), .field = "uns/" + entry.key, .reason = "entry_exists"});
      out_.check(H5Ldelete(target.get(), entry.key.c_str(), H5P_DEFAULT), entry.key);
    }
    write_text(out_, target.get(), entry.key, entry.text);
  }
}

void Copier::note_others() {
  static constexpr std::array kKnown = {"X",    "obs", "var", "layers", "obsm",    "varm",    "obsp",
                                        "varp", "uns", "raw", "raw.X",  "raw.var", "raw.varm"};
  for (const std::string& name : source_.members())
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end())
      out_.note("'" + name + "' at the root is no part of an h5ad and was left out");
}

void Copier::one_of(const std::string& member, const std::string& name) {
  const Handle target = make_group(out_, out_.root(), member, kDict);
  if (source_.kind(member) != LinkKind::kGroup) return;
  const Group source = source_.group(member);
  if (source.has(name)) element(source, name, target.get(), name);
}

void refuse_same_file(const std::string& source, const std::string& target) {
  std::error_code ignored;
  if (std::filesystem::equivalent(source, target, ignored))
    throw UsageError("the copy of " + source + " would replace its source; give another name", {.file = source});
}

namespace {

// What has a row a cell: all of it, or the chosen cells.
void copy_cells(H5adOut& out, Copier& copier, CellFile& source, const Group& root, const CopyChanges& changes) {
  if (changes.cells) {
    Table obs = source.obs();
    change_table(obs, obs_change(source.path(), changes));
    write_chosen_cells(out, source, root, obs, *changes.cells);
    return;
  }
  if (root.has("X")) copier.matrix(root, "X", out.root(), "X");
  copier.frame(root, "obs", out.root(), "obs");
  change_frame(out, obs_change(source.path(), changes));
  for (const char* name : {"layers", "obsm", "obsp"}) copier.mapping(name);
}

std::vector<std::string> copy_h5ad(CellFile& file, const std::string& target, const CopyChanges& changes,
                                   const WriteOptions& options) {
  const Group source = hdf5::open_file(file.path());
  AtomicPath atomic(target);
  H5adOut out(atomic.temporary(), target, options);
  Copier copier(out, source);
  copy_cells(out, copier, file, source, changes);
  copier.frame(source, "var", out.root(), "var");
  change_frame(out, var_change(file.path(), changes));
  const bool has_raw = source.has("raw") || source.has("raw.X");
  if (!changes.drop_raw && !changes.cells)
    copier.raw();
  else if (has_raw && !changes.drop_raw)
    out.note("raw was left out of the chosen cells");
  for (const char* name : {"varm", "varp"}) copier.mapping(name);
  copier.uns(changes.uns);
  copier.note_others();
  out.close();
  atomic.commit();
  return std::move(out).notes();
}

void require_rows(const std::vector<Column>& columns, const Table& table, const std::string& name,
                  const std::string& path) {
  for (const Column& column : columns)
    if (column.size() != table.rows())
      throw InternalError("column '" + column.name + "' has " + std::to_string(column.size()) + " rows, " + name +
                          " of " + path + " has " + std::to_string(table.rows()));
}

}  // namespace

std::vector<std::string> changed_copy(CellFile& source, const std::string& target, const CopyChanges& changes,
                                      const WriteOptions& options) {
  refuse_same_file(source.path(), target);
  require_rows(changes.obs, source.obs(), "obs", source.path());
  require_rows(changes.var, source.var(), "var", source.path());
  if (std::string_view(source.format()) == "h5ad") return copy_h5ad(source, target, changes, options);
  return write_anew(source, target, changes, options);
}

std::vector<std::string> annotate_copy(CellFile& source, const std::string& target, const std::vector<Column>& columns,
                                       const std::vector<UnsText>& uns, const WriteOptions& options) {
  return changed_copy(source, target, {.obs = columns, .uns = uns}, options);
}

std::vector<std::string> annotate_copy(const std::string& source, const std::string& target,
                                       const std::vector<Column>& columns, const std::vector<UnsText>& uns,
                                       const WriteOptions& options) {
  const std::unique_ptr<CellFile> file = open_cells(source);
  return annotate_copy(*file, target, columns, uns, options);
}

}  // namespace scvet::io
