#include "anndata/h5ad_writer_elements.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "hdf5/filters.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

// Elements of a chunk: small enough for HDF5's default cache of 1 MiB, large enough to compress well.
constexpr hsize_t kChunk = hsize_t{1} << 16;
constexpr std::size_t kLeastCompressed = 4096;  // bytes

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// Length of the UTF-8 sequence that starts the text, 0 when it starts none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and beyond U+10FFFF.
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
      (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string latin1_to_utf8(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | (byte >> 6));
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return result;
}

hid_t smallest_signed(std::int64_t n_categories) {
  if (n_categories <= std::numeric_limits<std::int8_t>::max()) return H5T_STD_I8LE;
  if (n_categories <= std::numeric_limits<std::int16_t>::max()) return H5T_STD_I16LE;
  return H5T_STD_I32LE;
}

// "Int16", "uint8", "int64" to the stored type; int64 for anything else.
hid_t integer_type(std::string_view dtype) {
  static const std::pair<const char*, hid_t> kTypes[] = {
      {"int8", H5T_STD_I8LE},    {"int16", H5T_STD_I16LE},  {"int32", H5T_STD_I32LE}, {"uint8", H5T_STD_U8LE},
      {"uint16", H5T_STD_U16LE}, {"uint32", H5T_STD_U32LE}, {"uint64", H5T_STD_U64LE}};
  for (const auto& [name, type] : kTypes)
    if (lower(dtype) == name) return type;
  return H5T_STD_I64LE;
}

}  // namespace

H5adOut::H5adOut(const std::string& path, std::string target, const WriteOptions& options)
    : target_(std::move(target)), options_(options) {
  hdf5::start_library();
  register_filters();
  file_ = own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "/");
  const Handle root = open_object(*this, file_.get(), "/");
  set_encoding(*this, root.get(), kAnnData);
}

void H5adOut::close() {
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "/");
  if (!file_.reset()) check(-1, "/");
}

void H5adOut::check(std::int64_t status, const std::string& object) const {
  if (status >= 0) return;
  const hdf5::LibraryError reason = hdf5::take_error();
  throw ResourceError("cannot write " + object + " of " + target_ + (reason.text.empty() ? "" : ": " + reason.text) +
                          (reason.storage ? "; is there room on the disk?" : ""),
                      {.file = target_, .field = object, .reason = "write_failed"});
}

Handle H5adOut::own(hid_t id, const std::string& object) const {
  check(id, object);
  return Handle(id);
}

void H5adOut::note(std::string text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
}

void H5adOut::compress(hid_t creation_list) const {
  if (options_.compression == Compression::kNone) return;
  check(H5Pset_shuffle(creation_list), "/");
  if (options_.compression == Compression::kGzip)
    check(H5Pset_deflate(creation_list, static_cast<unsigned>(std::clamp(options_.level, 0, 9))), "/");
  else if (!add_zstd(creation_list, static_cast<unsigned>(std::clamp(options_.level, 1, 19))))
    check(-1, "/");
}

Handle H5adOut::layout(std::span<const hsize_t> shape, std::size_t element_bytes) const {
  Handle list = own(H5Pcreate(H5P_DATASET_CREATE), "/");
  check(H5Pset_obj_track_times(list.get(), false), "/");  // else the bytes would differ from run to run
  hsize_t size = 1;
  for (const hsize_t extent : shape) size *= extent;
  if (shape.empty() || size * element_bytes < kLeastCompressed || options_.compression == Compression::kNone)
    return list;
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  const hsize_t row = size / shape[0];
  chunk[0] = std::clamp<hsize_t>(kChunk / std::max<hsize_t>(row, 1), 1, shape[0]);
  check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "/");
  compress(list.get());
  return list;
}

Handle H5adOut::growing_layout(std::int64_t expected) const {
  Handle list = own(H5Pcreate(H5P_DATASET_CREATE), "/");
  check(H5Pset_obj_track_times(list.get(), false), "/");
  const hsize_t chunk = expected > 0 ? std::clamp<hsize_t>(static_cast<hsize_t>(expected), 64, kChunk) : kChunk;
  check(H5Pset_chunk(list.get(), 1, &chunk), "/");
  compress(list.get());
  return list;
}

void set_encoding(const H5adOut& out, hid_t object, Encoding encoding) {
  set_text(out, object, "encoding-type", encoding.type);
  set_text(out, object, "encoding-version", encoding.version);
}

void remove_attribute(const H5adOut& out, hid_t object, const char* attribute) {
  if (H5Aexists(object, attribute) > 0) out.check(H5Adelete(object, attribute), attribute);
}

namespace {
void set_attribute(const H5adOut& out, hid_t object, const char* attribute, hid_t type, hid_t memory, hid_t space,
                   const void* values) {
  remove_attribute(out, object, attribute);
  const Handle made = out.own(H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT), attribute);
  out.check(H5Awrite(made.get(), memory, values), attribute);
}
}  // namespace

void set_text(const H5adOut& out, hid_t object, const char* attribute, std::string_view text) {
  const std::string copy(text);
  const char* const pointer = copy.c_str();
  const Handle type = text_type(), space(H5Screate(H5S_SCALAR));
  set_attribute(out, object, attribute, type.get(), type.get(), space.get(), &pointer);
}

void set_texts(const H5adOut& out, hid_t object, const char* attribute, std::span<const std::string> texts) {
  std::vector<const char*> pointers(1);  // data() must not be null, even for no text
  pointers.clear();
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t size = texts.size();
  const Handle type = text_type(), space(H5Screate_simple(1, &size, nullptr));
  set_attribute(out, object, attribute, type.get(), type.get(), space.get(), pointers.data());
}

void set_integers(const H5adOut& out, hid_t object, const char* attribute, std::span<const std::int64_t> values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr));
  set_attribute(out, object, attribute, H5T_STD_I64LE, H5T_NATIVE_INT64, space.get(), values.data());
}

void set_boolean(const H5adOut& out, hid_t object, const char* attribute, bool value) {
  const std::int8_t byte = value;
  const Handle type = boolean_type(), space(H5Screate(H5S_SCALAR));
  set_attribute(out, object, attribute, type.get(), type.get(), space.get(), &byte);
}

Handle make_group(const H5adOut& out, hid_t parent, const std::string& name, Encoding encoding) {
  const Handle list = out.own(H5Pcreate(H5P_GROUP_CREATE), name);
  out.check(H5Pset_obj_track_times(list.get(), false), name);
  Handle group = out.own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, list.get(), H5P_DEFAULT), name);
  set_encoding(out, group.get(), encoding);
  return group;
}

Handle open_object(const H5adOut& out, hid_t parent, const std::string& name) {
  return out.own(H5Oopen(parent, name.c_str(), H5P_DEFAULT), name);
}

Handle boolean_type() {
  Handle type(H5Tenum_create(H5T_STD_I8LE));
  std::int8_t value = 0;
  H5Tenum_insert(type.get(), "FALSE", &value);
  value = 1;
  H5Tenum_insert(type.get(), "TRUE", &value);
  return type;
}

void write_array(const H5adOut& out, hid_t parent, const std::string& name, hid_t stored, hid_t memory,
                 std::span<const hsize_t> shape, const void* values) {
  const Handle space = out.own(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), name);
  // Filters would see only the addresses of variable-length texts.
  const bool plain = H5Tis_variable_str(stored) > 0;
  const Handle list = out.layout(plain ? std::span<const hsize_t>() : shape, H5Tget_size(stored));
  const Handle set =
      out.own(H5Dcreate2(parent, name.c_str(), stored, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), name);
  if (H5Sget_simple_extent_npoints(space.get()) > 0)
    out.check(H5Dwrite(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
  set_encoding(out, set.get(), kArray);
}

void write_integers(const H5adOut& out, hid_t parent, const std::string& name, hid_t stored,
                    std::span<const std::int64_t> values) {
  const hsize_t size = values.size();
  // uint64 wraps in memory: read it as what it was.
  const hid_t memory =
      H5Tget_sign(stored) == H5T_SGN_NONE && H5Tget_size(stored) == 8 ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  write_array(out, parent, name, stored, memory, {&size, 1}, values.data());
}

void write_mask(const H5adOut& out, hid_t parent, const std::string& name, std::span<const std::uint8_t> values) {
  std::vector<std::int8_t> bytes;
  bytes.reserve(values.size());
  for (const std::uint8_t value : values) bytes.push_back(value != 0);
  const hsize_t size = bytes.size();
  const Handle type = boolean_type();
  write_array(out, parent, name, type.get(), type.get(), {&size, 1}, bytes.data());
}

void write_texts(H5adOut& out, hid_t parent, const std::string& name, std::span<const std::string> texts) {
  std::vector<std::string> changed;
  changed.reserve(static_cast<std::size_t>(
      std::count_if(texts.begin(), texts.end(), [](const std::string& text) { return !is_utf8(text); })));
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) {
    if (!is_utf8(text)) changed.push_back(latin1_to_utf8(text));
    pointers.push_back(is_utf8(text) ? text.c_str() : changed.back().c_str());
  }
  if (!changed.empty())
    out.note(format_count(static_cast<std::int64_t>(changed.size())) + " texts of " + name +
             " were not UTF-8 and were taken for Latin-1");
  const hsize_t size = texts.size();
  const Handle type = text_type();
  write_array(out, parent, name, type.get(), type.get(), {&size, 1}, pointers.data());
  set_encoding(out, open_object(out, parent, name).get(), kTexts);
}

void write_text(H5adOut& out, hid_t parent, const std::string& name, const std::string& text) {
  const std::string valid = is_utf8(text) ? text : latin1_to_utf8(text);
  const char* const pointer = valid.c_str();
  const Handle type = text_type(), space(H5Screate(H5S_SCALAR));
  const Handle list = out.layout({}, 0);
  const Handle set =
      out.own(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), name);
  out.check(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), name);
  set_encoding(out, set.get(), kText);
}

Handle write_codes(const H5adOut& out, hid_t parent, const std::string& name, std::span<const std::int64_t> codes,
                   std::int64_t n_categories, bool ordered) {
  Handle group = make_group(out, parent, name, kCategorical);
  set_boolean(out, group.get(), "ordered", ordered);
  write_integers(out, group.get(), "codes", smallest_signed(n_categories), codes);
  return group;
}

namespace {

void write_categorical(H5adOut& out, hid_t frame, const std::string& name, const Column& column) {
  std::vector<std::int32_t> codes;
  // Texts with missing values come here as well: their levels become the categories.
  const std::vector<std::string> categories = column.levels(codes);
  const std::vector<std::int64_t> wide(codes.begin(), codes.end());
  const Handle group =
      write_codes(out, frame, name, wide, static_cast<std::int64_t>(categories.size()), column.ordered);
  write_texts(out, group.get(), "categories", categories);
}

void write_whole(H5adOut& out, hid_t parent, const std::string& name, const Column& column) {
  if (column.kind == Column::Kind::kInteger) {
    write_integers(out, parent, name, integer_type(column.dtype), column.integers);
    return;
  }
  std::vector<std::uint8_t> bytes(column.integers.begin(), column.integers.end());
  write_mask(out, parent, name, bytes);
}

}  // namespace

void write_column(H5adOut& out, hid_t frame, const std::string& name, const Column& column) {
  const bool any_missing = std::find(column.missing.begin(), column.missing.end(), 1) != column.missing.end();
  switch (column.kind) {
    case Column::Kind::kCategorical:
      return write_categorical(out, frame, name, column);
    case Column::Kind::kString:
      if (any_missing) return write_categorical(out, frame, name, column);
      return write_texts(out, frame, name, column.strings);
    case Column::Kind::kReal: {
      const hsize_t size = column.reals.size();
      const hid_t stored = lower(column.dtype) == "float32" ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
      return write_array(out, frame, name, stored, H5T_NATIVE_DOUBLE, {&size, 1}, column.reals.data());
    }
    case Column::Kind::kInteger:
    case Column::Kind::kBoolean: {
      if (!any_missing) return write_whole(out, frame, name, column);
      const bool whole = column.kind == Column::Kind::kInteger;
      const Handle group = make_group(out, frame, name, whole ? kNullableInteger : kNullableBoolean);
      write_whole(out, group.get(), "values", column);
      write_mask(out, group.get(), "mask", column.missing);
    }
  }
}

std::string column_name(H5adOut& out, const std::string& frame, const std::string& name, const std::string& index,
                        std::span<const std::string> taken) {
  std::string result = name;
  std::replace(result.begin(), result.end(), '/', '_');
  if (result.empty() || result == "." || result == "_index" || result == index || result == "__categories")
    result = "column" + (result.starts_with("_") ? result : "_" + result);
  while (std::find(taken.begin(), taken.end(), result) != taken.end()) result += "_1";
  if (result != name) out.note("column '" + name + "' of " + frame + " was renamed '" + result + "'");
  return result;
}

void write_frame(H5adOut& out, hid_t parent, const std::string& name, const Table& table) {
  const Handle group = make_group(out, parent, name, kFrame);
  const bool usable =
      !table.index_name.empty() && table.index_name.find('/') == std::string::npos && !table.find(table.index_name);
  const std::string index = usable ? table.index_name : "_index";
  std::vector<std::string> order;
  for (const Column& column : table.columns) {
    order.push_back(column_name(out, name, column.name, index, order));
    write_column(out, group.get(), order.back(), column);
  }
  set_text(out, group.get(), "_index", index);
  set_texts(out, group.get(), "column-order", order);
  write_texts(out, group.get(), index, table.names);
}

}  // namespace scvet::io
