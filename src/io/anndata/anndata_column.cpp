// Columns of AnnData tables.
#include <algorithm>
#include <cmath>

#include "anndata/anndata_table.h"
#include "scvet/base/text.h"

namespace scvet::io::anndata {
namespace {

using store::Dataset;
using store::DatasetPtr;
using store::ElementType;
using store::Group;
using store::LinkKind;

struct KnownEncoding {
  const char* type;
  const char* versions;  // first two numbers, comma-separated
};
// What anndata 0.7 to 0.13 write.
constexpr KnownEncoding kKnown[] = {
    {"anndata", "0.1"},
    {"raw", "0.1"},
    {"dict", "0.1"},
    {"dataframe", "0.1,0.2"},
    {"array", "0.2"},
    {"string-array", "0.2"},
    {"string", "0.2"},
    {"numeric-scalar", "0.2"},
    {"categorical", "0.2"},
    {"nullable-integer", "0.1"},
    {"nullable-boolean", "0.1"},
    {"nullable-string-array", "0.1"},
    {"csr_matrix", "0.1"},
    {"csc_matrix", "0.1"},
    {"null", "0.1"},
    {"rec-array", "0.2"},
};

// A number as Python prints it, so that a category 1.0 is called 1.0.
std::string label(double value) {
  std::string text = format_number(value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string capitalised(const std::string& dtype) {  // int64 -> Int64, uint8 -> UInt8
  return dtype.starts_with("uint") ? "UI" + dtype.substr(2) : "I" + dtype.substr(1);
}

// A plain data set of numbers or texts.
Column read_plain(const Dataset& dataset) {
  if (dataset.shape().size() > 1)
    throw dataset.error("expected one value a row, found " + std::to_string(dataset.shape().size()) + " dimensions",
                        "wrong_type");
  Column column;
  column.dtype = dataset.type().dtype;
  switch (dataset.type().kind) {
    case ElementType::Kind::kText:
      column.kind = Column::Kind::kString;
      column.strings = dataset.read_texts();
      return column;
    case ElementType::Kind::kReal:
      column.kind = Column::Kind::kReal;
      column.reals = dataset.read_reals();
      return column;
    case ElementType::Kind::kBoolean:
    case ElementType::Kind::kInteger:
      column.kind =
          dataset.type().kind == ElementType::Kind::kBoolean ? Column::Kind::kBoolean : Column::Kind::kInteger;
      column.integers = dataset.read_integers();
      return column;
    default:
      throw dataset.error("expected numbers or text, found another type of data", "wrong_type");
  }
}

bool is_ordered(const store::Object& object) {
  const auto ordered = object.integers_attribute("ordered");
  return ordered && ordered->size() == 1 && ordered->front() != 0;
}

Column read_categorical(const Group& group) {
  Column column = read_plain(*group.dataset("codes"));
  if (!apply_categories(column, read_labels(*group.dataset("categories")), is_ordered(group)))
    throw group.error("its codes do not fit its " + std::to_string(group.dataset("categories")->size()) + " categories",
                      "bad_codes");
  return column;
}

// values and mask, 1 where a value is missing.
Column read_nullable(const Group& group, const std::string& type) {
  Column column = read_plain(*group.dataset("values"));
  std::vector<std::int64_t> mask;
  if (group.has("mask")) mask = group.dataset("mask")->read_integers();
  if (!mask.empty() && static_cast<std::int64_t>(mask.size()) != column.size())
    throw group.error(
        "expected a mask of " + std::to_string(column.size()) + " values, found " + std::to_string(mask.size()),
        "bad_lengths");
  if (std::any_of(mask.begin(), mask.end(), [](std::int64_t flag) { return flag != 0; }))
    column.missing.assign(mask.begin(), mask.end());
  if (type == "nullable-boolean") {
    if (column.kind != Column::Kind::kBoolean && column.kind != Column::Kind::kInteger)
      throw group.error("expected booleans, found " + column.dtype, "wrong_type");
    column.kind = Column::Kind::kBoolean;
    column.dtype = "boolean";
  } else if (type == "nullable-integer") {
    if (column.kind != Column::Kind::kInteger)
      throw group.error("expected integers, found " + column.dtype, "wrong_type");
    column.dtype = capitalised(column.dtype);
  } else {
    if (column.kind != Column::Kind::kString) throw group.error("expected text, found " + column.dtype, "wrong_type");
    column.dtype = "string";
  }
  for (std::size_t row = 0; row < column.missing.size(); ++row) {
    column.missing[row] = column.missing[row] != 0;
    // What stands under the mask means nothing.
    if (column.missing[row] && column.kind == Column::Kind::kString) column.strings[row].clear();
    if (column.missing[row] && column.kind != Column::Kind::kString) column.integers[row] = 0;
  }
  return column;
}

// Codes of anndata 0.7: the categories hang on a reference, or lie in __categories under the same name.
DatasetPtr categories_of(const Group& table, const Dataset& codes, const std::string& member) {
  if (auto referenced = codes.dataset_attribute("categories")) return referenced;
  if (table.kind("__categories") != LinkKind::kGroup) return nullptr;
  const store::GroupPtr categories = table.group("__categories");
  return categories->kind(member) == LinkKind::kDataset ? categories->dataset(member) : nullptr;
}

}  // namespace

Encoding encoding_of(const store::Object& object) {
  return {object.text_attribute("encoding-type").value_or(""), object.text_attribute("encoding-version").value_or("")};
}

bool is_known(const Encoding& encoding) {
  if (encoding.type.empty()) return true;
  for (const KnownEncoding& known : kKnown) {
    if (encoding.type != known.type) continue;
    if (encoding.version.empty()) return true;
    for (const std::string& version : split(known.versions, ','))
      if (encoding.version == version || encoding.version.starts_with(version + ".")) return true;
    return false;
  }
  return false;
}

std::string describe_unknown(const Encoding& encoding) {
  std::string text = "has encoding '" + encoding.type + "' version '" + encoding.version +
                     "', which this version of scvet does not know (";
  for (const KnownEncoding& known : kKnown)
    if (encoding.type == known.type)
      return text + "known versions: " + known.versions + "); update scvet, or write the file with anndata 0.12";
  std::vector<std::string> types;
  for (const KnownEncoding& known : kKnown) types.emplace_back(known.type);
  return text + "known: " + join(types, ", ") + "); update scvet, or write the file with anndata 0.12";
}

std::vector<std::string> read_labels(const Dataset& dataset, const std::string& field) {
  const ElementType& type = field.empty() ? dataset.type() : dataset.type().find(field)->type;
  std::vector<std::string> labels;
  switch (type.kind) {
    case ElementType::Kind::kText:
      return dataset.read_texts(field);
    case ElementType::Kind::kBoolean:
      for (const std::int64_t value : dataset.read_integers(field)) labels.emplace_back(value ? "True" : "False");
      return labels;
    case ElementType::Kind::kInteger:
      for (const std::int64_t value : dataset.read_integers(field))
        labels.push_back(type.is_signed ? std::to_string(value) : std::to_string(static_cast<std::uint64_t>(value)));
      return labels;
    case ElementType::Kind::kReal:
      for (const double value : dataset.read_reals(field)) labels.push_back(label(value));
      return labels;
    default:
      throw dataset.error("expected text or numbers, found another type of data", "wrong_type");
  }
}

bool apply_categories(Column& column, std::vector<std::string> categories, bool ordered) {
  if (column.kind != Column::Kind::kInteger) return false;
  const auto n_categories = static_cast<std::int64_t>(categories.size());
  for (const std::int64_t code : column.integers)
    if (code < -1 || code >= n_categories) return false;
  column.kind = Column::Kind::kCategorical;
  column.dtype = "category";
  column.codes.assign(column.integers.begin(), column.integers.end());
  column.integers.clear();
  column.categories = std::move(categories);
  column.ordered = ordered;
  return true;
}

Column read_column(const Group& table, const std::string& member) {
  const LinkKind kind = table.kind(member);
  if (kind == LinkKind::kGroup) {
    const store::GroupPtr group = table.group(member);
    const Encoding encoding = encoding_of(*group);
    if (!is_known(encoding)) throw group->error(describe_unknown(encoding), "unknown_encoding");
    if (encoding.type == "categorical" || (encoding.type.empty() && group->has("codes") && group->has("categories")))
      return read_categorical(*group);
    if (encoding.type.starts_with("nullable-")) return read_nullable(*group, encoding.type);
    throw group->error("is a group" + (encoding.type.empty() ? std::string() : " of encoding '" + encoding.type + "'") +
                           ", which is no column",
                       "unknown_encoding");
  }
  const DatasetPtr dataset = table.dataset(member);
  const Encoding encoding = encoding_of(*dataset);
  if (!is_known(encoding)) throw dataset->error(describe_unknown(encoding), "unknown_encoding");
  Column column = read_plain(*dataset);
  if (column.kind != Column::Kind::kInteger) return column;
  if (const auto categories = categories_of(table, *dataset, member))
    if (!apply_categories(column, read_labels(*categories), is_ordered(*categories)))
      throw dataset->error("its codes do not fit its " + std::to_string(categories->size()) + " categories",
                           "bad_codes");
  return column;
}

}  // namespace scvet::io::anndata
