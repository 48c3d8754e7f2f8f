#include "anndata/anndata_table.h"

#include <algorithm>

#include "scvet/base/text.h"

namespace scvet::io::anndata {
namespace {

using store::Dataset;
using store::ElementType;
using store::Group;
using store::LinkKind;
using store::Member;

// Names under which the index of a compound table goes, best first; else its first field.
constexpr const char* kIndexFields[] = {"index", "_index"};

std::string index_field(const Dataset& dataset) {
  for (const char* name : kIndexFields)
    if (dataset.type().find(name)) return name;
  return dataset.type().members.front().name;
}

Column read_field(const Dataset& dataset, const Member& member) {
  Column column;
  column.dtype = member.type.dtype;
  switch (member.type.kind) {
    case ElementType::Kind::kText:
      column.kind = Column::Kind::kString;
      column.strings = dataset.read_texts(member.name);
      break;
    case ElementType::Kind::kReal:
      column.kind = Column::Kind::kReal;
      column.reals = dataset.read_reals(member.name);
      break;
    case ElementType::Kind::kBoolean:
    case ElementType::Kind::kInteger:
      column.kind = member.type.kind == ElementType::Kind::kBoolean ? Column::Kind::kBoolean : Column::Kind::kInteger;
      column.integers = dataset.read_integers(member.name);
      break;
    default:
      throw dataset.error("field '" + member.name + "' is neither numbers nor text", "wrong_type");
  }
  return column;
}

// A user's own key may end in _categories too, so the codes must fit.
void apply_uns_categories(const Group* uns, const std::string& table, Column& column, Notes& notes) {
  const std::string key = column.name + "_categories";
  if (!uns || column.kind != Column::Kind::kInteger) return;
  try {
    if (uns->kind(key) != LinkKind::kDataset) return;
    if (!apply_categories(column, read_labels(*uns->dataset(key)), false))
      notes.add("uns/" + key + " does not fit the codes of " + table + "/" + column.name + ": read as numbers");
  } catch (const DataError& error) {
    notes.add("uns/" + key + " cannot be read (" + error.what() + "): " + table + "/" + column.name +
              " read as numbers");
  }
}

Table read_compound(const Dataset& dataset, const std::string& name, const Group* uns, Notes& notes) {
  if (dataset.type().kind != ElementType::Kind::kCompound || dataset.type().members.empty())
    throw dataset.error("expected a table (a group, or a list of records), found a plain data set", "unknown_encoding");
  if (dataset.shape().size() != 1) throw dataset.error("expected one record a row", "unknown_encoding");
  Table table;
  const std::string index = index_field(dataset);
  table.names = read_labels(dataset, index);
  if (index != kIndexFields[0] && index != kIndexFields[1]) table.index_name = index;
  for (const Member& member : dataset.type().members) {
    if (member.name == index) continue;
    try {
      Column column = read_field(dataset, member);
      column.name = member.name;
      apply_uns_categories(uns, name, column, notes);
      table.columns.push_back(std::move(column));
    } catch (const DataError& error) {
      notes.add("column '" + member.name + "' of " + name + " left out: " + error.what());
    }
  }
  return table;
}

std::string index_member(const Group& group, const std::string& name, Notes& notes) {
  std::string stated = group.text_attribute("_index").value_or("");
  if (!stated.empty() && group.has(stated)) return stated;
  for (const char* fallback : {"_index", "index"}) {
    if (!group.has(fallback)) continue;
    notes.add(name + (stated.empty() ? " names no index" : " names an index '" + stated + "' that it lacks") +
              ": took '" + fallback + "'");
    return fallback;
  }
  throw group.error(stated.empty() ? "has no index (no attribute _index, no member _index or index)"
                                   : "its index '" + stated + "' is missing",
                    "missing_index");
}

// Texts of the index; unlike a column's, a fault here is the end.
std::vector<std::string> read_index(const Group& group, const std::string& member) {
  if (group.kind(member) == LinkKind::kDataset) {
    const store::DatasetPtr dataset = group.dataset(member);
    const Encoding encoding = encoding_of(*dataset);
    if (!is_known(encoding)) throw dataset->error("the index " + describe_unknown(encoding), "unknown_encoding");
    if (dataset->shape().size() != 1) throw dataset->error("expected one name a row", "unknown_encoding");
    if (!dataset->dataset_attribute("categories")) return read_labels(*dataset);
  }
  const Column column = read_column(group, member);
  std::vector<std::string> names;
  for (std::int64_t row = 0; row < column.size(); ++row) names.push_back(column.text(row));
  return names;
}

// The columns in the order that the file states; else by name.
std::vector<std::string> column_members(const Group& group, const std::string& name, const std::string& index,
                                        Notes& notes) {
  std::vector<std::string> members = group.members();
  std::erase_if(members, [&](const std::string& member) { return member == index || member == "__categories"; });
  const auto order = group.texts_attribute("column-order");
  if (!order) return members;
  std::vector<std::string> columns;
  for (const std::string& column : *order) {
    if (column == index && column == "_index") {
      notes.add(name +
                " lists the reserved name '_index' as a column too (a converter's habit): read as the index only");
      continue;
    }
    if (column == index || std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
    columns.push_back(column);
  }
  for (const std::string& member : members)
    if (std::find(columns.begin(), columns.end(), member) == columns.end())
      notes.add(name + "/" + member + " is not in the list of columns: left out");
  return columns;
}

Table read_group(const Group& group, const std::string& name, Notes& notes) {
  const Encoding encoding = encoding_of(group);
  if (!is_known(encoding) || (!encoding.type.empty() && encoding.type != "dataframe"))
    throw group.error(is_known(encoding) ? "expected a data frame, found encoding '" + encoding.type + "'"
                                         : describe_unknown(encoding),
                      "unknown_encoding");
  Table table;
  const std::string index = index_member(group, name, notes);
  if (index != "_index") table.index_name = index;
  table.names = read_index(group, index);
  for (const std::string& member : column_members(group, name, index, notes)) {
    try {
      Column column = read_column(group, member);
      column.name = member;
      if (column.size() != table.rows())
        throw group.error("column '" + member + "' has " + std::to_string(column.size()) + " values for " +
                              std::to_string(table.rows()) + " rows",
                          "bad_lengths");
      if (member == "_index") notes.add(name + " has a column with the reserved name '_index' (a converter's habit)");
      table.columns.push_back(std::move(column));
    } catch (const DataError& error) {
      notes.add("column '" + member + "' of " + name + " left out: " + error.what());
    }
  }
  return table;
}

}  // namespace

void Notes::add(std::string line) {
  if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(std::move(line));
}

Table read_table(const Group& parent, const std::string& member, const Group* uns, Notes& notes) {
  if (parent.kind(member) == LinkKind::kDataset) return read_compound(*parent.dataset(member), member, uns, notes);
  return read_group(*parent.group(member), member, notes);
}

std::vector<std::string> used_category_keys(const Group& root, const Group& uns, const Table& obs, const Table& var) {
  std::vector<std::string> used;
  for (const auto& [member, table] : {std::pair<const char*, const Table*>{"obs", &obs}, {"var", &var}}) {
    if (root.kind(member) != LinkKind::kDataset) continue;
    for (const Column& column : table->columns)
      if (column.kind == Column::Kind::kCategorical && uns.has(column.name + "_categories"))
        used.push_back(column.name + "_categories");
  }
  return used;
}

}  // namespace scvet::io::anndata
