#include "anndata/h5ad_writer_legacy.h"

#include <algorithm>

#include "scvet/base/error.h"

namespace scvet::io {
namespace {

using hdf5::Dataset;
using hdf5::ElementType;
using hdf5::Group;
using hdf5::LinkKind;

// Reads a data set, or one field of it, as it is stored and writes it unchanged as an array. A field that is itself an
// array (a compound obsm) becomes further dimensions.
void copy_numbers(H5adOut& out, const Dataset& source, const std::string& field, hid_t parent,
                  const std::string& name) {
  const Handle file_type(H5Dget_type(source.id()));
  Handle element(H5Tcopy(file_type.get()));
  if (!field.empty()) {
    const int index = H5Tget_member_index(file_type.get(), field.c_str());
    if (index < 0) throw source.error("field '" + field + "' not found", "missing_field");
    element = Handle(H5Tget_member_type(file_type.get(), static_cast<unsigned>(index)));
  }
  std::vector<hsize_t> shape;
  for (const std::int64_t extent : source.shape()) shape.push_back(static_cast<hsize_t>(extent));
  if (shape.empty()) shape.push_back(1);  // a scalar category table is a table of one
  if (H5Tget_class(element.get()) == H5T_ARRAY) {
    std::vector<hsize_t> inner(static_cast<std::size_t>(H5Tget_array_ndims(element.get())));
    H5Tget_array_dims2(element.get(), inner.data());
    shape.insert(shape.end(), inner.begin(), inner.end());
  }
  const Handle memory(H5Tget_native_type(element.get(), H5T_DIR_ASCEND));
  Handle record(H5Tcopy(memory.get()));
  if (!field.empty()) {
    record = Handle(H5Tcreate(H5T_COMPOUND, H5Tget_size(memory.get())));
    H5Tinsert(record.get(), field.c_str(), 0, memory.get());
  }
  std::vector<char> values(static_cast<std::size_t>(source.size()) * H5Tget_size(memory.get()));
  if (source.size() > 0 && H5Dread(source.id(), record.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw source.error("cannot be read: " + hdf5::take_error().text, "unreadable");
  const bool array = H5Tget_class(element.get()) == H5T_ARRAY;
  const Handle stored(array ? H5Tget_super(element.get()) : H5Tcopy(element.get()));
  const Handle plain(array ? H5Tget_super(memory.get()) : H5Tcopy(memory.get()));
  write_array(out, parent, name, stored.get(), plain.get(), shape, values.data());
}

void copy_plain(H5adOut& out, const Dataset& source, const ElementType& type, const std::string& field, hid_t parent,
                const std::string& name) {
  if (type.kind == ElementType::Kind::kText)
    write_texts(out, parent, name, source.read_texts(field));
  else
    copy_numbers(out, source, field, parent, name);
}

void write_coded(H5adOut& out, std::span<const std::int64_t> codes, const Dataset& categories, bool ordered,
                 hid_t parent, const std::string& name) {
  const Handle group = write_codes(out, parent, name, codes, categories.size(), ordered);
  copy_plain(out, categories, categories.type(), {}, group.get(), "categories");
}

bool codes_fit(std::span<const std::int64_t> codes, std::int64_t n_categories) {
  return std::all_of(codes.begin(), codes.end(), [&](std::int64_t code) { return code >= -1 && code < n_categories; });
}

bool is_ordered(const Dataset& categories) {
  const auto ordered = categories.integers_attribute("ordered");
  return ordered && !ordered->empty() && ordered->front() != 0;
}

// The category table of a column before 0.8: a reference, or else the data set of its name in __categories.
std::optional<Dataset> old_categories(const Group& frame, const Dataset& column, const std::string& name) {
  if (auto categories = column.dataset_attribute("categories")) return categories;
  if (!column.has_attribute("categories") || !frame.has("__categories")) return std::nullopt;
  const Group tables = frame.group("__categories");
  if (tables.kind(name) != LinkKind::kDataset) return std::nullopt;
  return tables.dataset(name);
}

void convert_member(H5adOut& out, const Group& frame, const std::string& member, hid_t parent,
                    const std::string& name) {
  if (frame.kind(member) == LinkKind::kGroup) {
    const Group group = frame.group(member);
    if (group.text_attribute("encoding-type") == "nullable-string-array")
      return convert_nullable_texts(out, group, parent, name);
    return out.check(H5Ocopy(frame.id(), member.c_str(), parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), name);
  }
  const Dataset column = frame.dataset(member);
  if (const auto categories = old_categories(frame, column, member)) {
    const std::vector<std::int64_t> codes = column.read_integers();
    if (!codes_fit(codes, categories->size()))
      throw column.error("codes beyond its " + std::to_string(categories->size()) + " categories", "bad_codes");
    return write_coded(out, codes, *categories, is_ordered(*categories), parent, name);
  }
  copy_plain(out, column, column.type(), {}, parent, name);
}

// Column names of a frame stored as a group, the index left out.
std::vector<std::string> group_columns(const Group& frame, const std::string& index) {
  std::vector<std::string> names;
  if (const auto order = frame.texts_attribute("column-order")) names = *order;
  if (!frame.has_attribute("column-order")) names = frame.members();
  std::erase_if(names,
                [&](const std::string& name) { return name == index || name == "__categories" || !frame.has(name); });
  return names;
}

std::string group_index(const Group& frame) {
  if (const auto name = frame.text_attribute("_index"); name && frame.has(*name)) return *name;
  for (const char* name : {"_index", "index"})
    if (frame.has(name)) return name;
  throw frame.error("has no index: no attribute _index and no member _index or index", "no_index");
}

void convert_group(H5adOut& out, const Group& frame, hid_t target, const std::string& label) {
  const std::string index = group_index(frame);
  std::vector<std::string> order;
  for (const std::string& column : group_columns(frame, index)) {
    order.push_back(column_name(out, label, column, index, order));
    convert_member(out, frame, column, target, order.back());
  }
  convert_member(out, frame, index, target, index);
  set_text(out, target, "_index", index);
  set_texts(out, target, "column-order", order);
}

void convert_compound(H5adOut& out, const Dataset& frame, hid_t target, const std::string& label, const Group* uns,
                      std::set<std::string>& used) {
  const auto& members = frame.type().members;
  if (members.empty()) throw frame.error("expected a table, found " + frame.type().dtype, "not_a_table");
  const std::string index = members.front().name;  // as anndata has it
  std::vector<std::string> order;
  for (const hdf5::Member& member : members) {
    if (member.name == index) continue;
    const std::string name = column_name(out, label, member.name, index, order);
    order.push_back(name);
    const std::string key = member.name + "_categories";
    const bool whole = member.type.kind == ElementType::Kind::kInteger;
    if (whole && uns && uns->kind(key) == LinkKind::kDataset) {
      const Dataset categories = uns->dataset(key);
      const std::vector<std::int64_t> codes = frame.read_integers(member.name);
      // A user's own key may end in _categories too: codes that do not fit say so.
      if (codes_fit(codes, categories.size())) {
        used.insert(key);
        write_coded(out, codes, categories, false, target, name);
        continue;
      }
    }
    copy_plain(out, frame, member.type, member.name, target, name);
  }
  if (members.front().type.kind == ElementType::Kind::kText) {
    write_texts(out, target, index, frame.read_texts(index));
  } else {
    std::vector<std::string> names;
    for (const std::int64_t value : frame.read_integers(index)) names.push_back(std::to_string(value));
    write_texts(out, target, index, names);
  }
  set_text(out, target, "_index", index);
  set_texts(out, target, "column-order", order);
}

}  // namespace

bool is_typed_frame(const Group& group) {
  return group.text_attribute("encoding-type") == "dataframe" &&
         group.text_attribute("encoding-version").value_or("0.1.0") != "0.1.0" && !group.has("__categories");
}

void convert_frame(H5adOut& out, const Group& source, const std::string& member, hid_t parent, const std::string& name,
                   const Group* uns, std::set<std::string>& used) {
  const Handle target = make_group(out, parent, name, kFrame);
  if (source.kind(member) == LinkKind::kGroup)
    convert_group(out, source.group(member), target.get(), member);
  else
    convert_compound(out, source.dataset(member), target.get(), member, uns, used);
}

void convert_fields(H5adOut& out, const Dataset& source, hid_t parent, const std::string& name) {
  const Handle target = make_group(out, parent, name, kDict);
  for (const hdf5::Member& member : source.type().members)
    copy_plain(out, source, member.type, member.name, target.get(), member.name);
}

void convert_nullable_texts(H5adOut& out, const Group& column, hid_t parent, const std::string& name) {
  Column texts = string_column(name, column.dataset("values").read_texts());
  for (const std::int64_t missing : column.dataset("mask").read_integers()) texts.missing.push_back(missing != 0);
  if (texts.missing.size() != texts.strings.size()) throw column.error("values and mask differ in length", "bad_mask");
  const bool any = std::find(texts.missing.begin(), texts.missing.end(), 1) != texts.missing.end();
  write_column(out, parent, name, texts);
  out.note("nullable strings " + column.name() + " were written as " + (any ? "a categorical" : "texts") +
           ", which every version reads");
}

}  // namespace scvet::io
