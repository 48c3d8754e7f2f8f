#include "hdf5_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "file_kind.h"
#include "filters.h"
#include "hdf5_heap.h"
#include "scvet/base/text.h"

namespace scvet::io::hdf5 {
namespace {

herr_t refuse_external(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

// Link access list under which no link leads into another file. Lives as long as the library.
hid_t within_file() {
  static const hid_t list = [] {
    const hid_t created = H5Pcreate(H5P_LINK_ACCESS);
    H5Pset_elink_cb(created, refuse_external, nullptr);
    return created;
  }();
  return list;
}

herr_t collect_error(unsigned, const H5E_error2_t* entry, void* target) {
  auto& error = *static_cast<LibraryError*>(target);
  if (entry->maj_num == H5E_VFL || std::strstr(entry->desc ? entry->desc : "", "file read failed")) error.storage = true;
  // The innermost two say what went wrong; the rest only repeats the call chain.
  if (entry->desc && std::count(error.text.begin(), error.text.end(), ';') < 1) {
    if (!error.text.empty()) error.text += "; ";
    error.text += entry->desc;
  }
  return 0;
}

std::string join_name(const std::string& group, const std::string& member) {
  return group == "/" ? member : group + "/" + member;
}

// A little-endian unsigned of up to 8 bytes.
std::uint64_t little_endian(const unsigned char* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned at = 0; at < count; ++at) value |= static_cast<std::uint64_t>(bytes[at]) << (8 * at);
  return value;
}

constexpr unsigned char kSignature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

// Where the superblock starts: 0, or a power of two from 512 on when a user block stands before it. -1: nowhere.
std::int64_t find_superblock(std::ifstream& file, std::uint64_t bytes) {
  unsigned char found[8];
  for (std::uint64_t at = 0; at + 8 <= bytes; at = at == 0 ? 512 : at * 2) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    if (file.read(reinterpret_cast<char*>(found), 8) && std::memcmp(found, kSignature, 8) == 0)
      return static_cast<std::int64_t>(at);
  }
  return -1;
}

// The size that the superblock gives, 0 when it cannot be read. Fields: HDF5 file format specification, II.A.
std::uint64_t size_in_superblock(std::ifstream& file, std::int64_t at) {
  unsigned char block[64] = {};
  file.clear();
  file.seekg(at);
  file.read(reinterpret_cast<char*>(block), sizeof block);
  const auto got = static_cast<unsigned>(file.gcount());
  const unsigned version = block[8];
  const unsigned width = version < 2 ? block[13] : block[9];
  const unsigned fields = version == 0 ? 24 : version == 1 ? 28 : 12;
  if (version > 3 || (width != 2 && width != 4 && width != 8) || fields + 3 * width > got) return 0;
  return little_endian(block + fields + 2 * width, width);  // counted from byte 0, a user block included
}

std::uint64_t file_size(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw DataError("cannot read " + path + ": expected an HDF5 file, found a folder",
                    {.file = path, .reason = "folder"});
  const auto size = std::filesystem::file_size(path, error);
  if (error)
    throw DataError("cannot read " + path + ": " + error.message(), {.file = path, .reason = "missing"});
  return size;
}

// What is wrong with the outside of a file, before HDF5 sees it.
void check_outside(const std::string& path, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError("cannot read " + path + ": no permission?", {.file = path, .reason = "unreadable"});
  const std::int64_t at = find_superblock(file, bytes);
  if (at < 0)
    throw DataError(path + ": expected an HDF5 file, but " + describe_bytes(path), {.file = path, .reason = "not_hdf5"});
  const std::uint64_t expected = size_in_superblock(file, at);
  if (expected > bytes)
    throw DataError(path + " is truncated: expected " + format_count(static_cast<std::int64_t>(expected)) +
                        " bytes (by its own header), found " + format_count(static_cast<std::int64_t>(bytes)) +
                        "; copy or download it again",
                    {.file = path, .reason = "truncated"});
}

// Texts of an attribute of a file that we are writing, and so trust.
std::vector<std::string> trusted_texts(hid_t attribute, std::size_t n) {
  const Handle type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  std::vector<char*> pointers(n, nullptr);
  std::vector<std::string> texts;
  if (H5Aread(attribute, type.get(), pointers.data()) < 0) return texts;
  for (const char* text : pointers) texts.emplace_back(text ? text : "");
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, pointers.data());
  return texts;
}

// Texts of an attribute; none when they cannot be read.
std::vector<std::string> attribute_texts(hid_t attribute, std::size_t n, const ElementType& type,
                                         const std::shared_ptr<GlobalHeap>& shared) {
  if (type.variable_length && !shared) return trusted_texts(attribute, n);
  std::vector<std::string> texts;
  const std::size_t width = type.variable_length ? shared->reference_bytes() : type.bytes;
  if (n == 0 || width == 0 || n > (std::size_t{1} << 24) / width) return texts;
  const Handle memory(type.variable_length ? shared->reference_type() : H5Aget_type(attribute));
  std::string bytes(width * n, '\0'), text, why;
  if (H5Aread(attribute, memory.get(), bytes.data()) < 0) return texts;
  for (std::size_t at = 0; at < n; ++at) {
    if (type.variable_length) {
      if (!shared->read(reinterpret_cast<const unsigned char*>(bytes.data()) + at * width, text, why)) return {};
    } else {
      text = bytes.substr(at * width, width);
      text.resize(std::strlen(text.c_str()));
      if (H5Tget_strpad(memory.get()) == H5T_STR_SPACEPAD)
        while (!text.empty() && text.back() == ' ') text.pop_back();
    }
    texts.push_back(text);
  }
  return texts;
}

std::string real_dtype(std::size_t bytes) { return "float" + std::to_string(8 * bytes); }

bool is_boolean_enum(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  for (unsigned at = 0; at < 2; ++at) {
    char* name = H5Tget_member_name(type, at);
    const std::string word = name ? lower(name) : "";
    H5free_memory(name);
    if (word != "false" && word != "true") return false;
  }
  return true;
}

ElementType compound_type(hid_t type, int depth);

ElementType element_type_at(hid_t type, int depth) {
  ElementType element;
  element.bytes = H5Tget_size(type);
  element.dtype = "void";
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      element.kind = ElementType::Kind::kInteger;
      element.is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
      element.dtype = (element.is_signed ? "int" : "uint") + std::to_string(8 * element.bytes);
      break;
    case H5T_FLOAT:
      element.kind = ElementType::Kind::kReal;
      element.dtype = real_dtype(element.bytes);
      break;
    case H5T_ENUM: {
      const Handle base(H5Tget_super(type));
      element.is_signed = H5Tget_sign(base.get()) != H5T_SGN_NONE;
      const bool boolean = is_boolean_enum(type);
      element.kind = boolean ? ElementType::Kind::kBoolean : ElementType::Kind::kInteger;
      element.dtype = boolean ? "bool" : (element.is_signed ? "int" : "uint") + std::to_string(8 * element.bytes);
      break;
    }
    case H5T_BITFIELD:  // how PyTables stores booleans
      if (element.bytes == 1) {
        element.kind = ElementType::Kind::kBoolean;
        element.dtype = "bool";
      }
      break;
    case H5T_STRING:
      element.kind = ElementType::Kind::kText;
      element.variable_length = H5Tis_variable_str(type) > 0;
      element.dtype = "object";
      break;
    case H5T_ARRAY: {
      const Handle base(H5Tget_super(type));
      const ElementType inner = element_type_at(base.get(), depth + 1);
      hsize_t dims[H5S_MAX_RANK] = {};
      const int rank = H5Tget_array_ndims(type);
      if (!inner.is_number() || rank < 1 || H5Tget_array_dims2(type, dims) < 0) break;
      element.kind = ElementType::Kind::kArray;
      element.dtype = inner.dtype;
      for (int dim = 0; dim < rank; ++dim) element.dims.push_back(static_cast<std::int64_t>(dims[dim]));
      break;
    }
    case H5T_REFERENCE: element.kind = ElementType::Kind::kReference; break;
    case H5T_COMPOUND:
      if (depth < 2) return compound_type(type, depth);
      break;
    default: break;
  }
  return element;
}

ElementType compound_type(hid_t type, int depth) {
  ElementType element;
  element.kind = ElementType::Kind::kCompound;
  element.bytes = H5Tget_size(type);
  element.dtype = "void";
  const int count = H5Tget_nmembers(type);
  for (int at = 0; at < count; ++at) {
    const auto index = static_cast<unsigned>(at);
    char* name = H5Tget_member_name(type, index);
    const Handle member(H5Tget_member_type(type, index));
    if (name && member) element.members.push_back({name, element_type_at(member.get(), depth + 1)});
    H5free_memory(name);
  }
  return element;
}

}  // namespace

bool Handle::reset() {
  const hid_t id = std::exchange(id_, -1);
  if (id < 0) return true;
  return (H5Iget_type(id) == H5I_FILE ? H5Fclose(id) : H5Idec_ref(id)) >= 0;
}

void start_library() {
  thread_local bool silent = false;
  if (silent) return;
  silent = true;
  static std::once_flag once;
  std::call_once(once, [] {
    H5open();
    // A file names filters by number; code is loaded for one only from a folder that the user has set.
    if (!std::getenv("HDF5_PLUGIN_PATH")) H5PLset_loading_state(0);
    register_filters();
    register_heap_references();
    within_file();
  });
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

LibraryError take_error() {
  LibraryError error;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_error, &error);
  H5Eclear2(H5E_DEFAULT);
  return error;
}

const Member* ElementType::find(const std::string& member) const {
  for (const Member& candidate : members)
    if (candidate.name == member) return &candidate;
  return nullptr;
}

ElementType element_type(hid_t type) { return element_type_at(type, 0); }

DataError Object::error(const std::string& what, const std::string& reason, std::int64_t row) const {
  return DataError(file() + ": " + name_ + ": " + what,
                   {.file = file(), .field = name_, .row = row, .reason = reason});
}

std::vector<std::string> Object::attribute_names() const {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* target) -> herr_t {
    static_cast<std::vector<std::string>*>(target)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  H5Aiterate2(id(), H5_INDEX_NAME, H5_ITER_INC, &at, visit, &names);
  return names;
}

bool Object::has_attribute(const std::string& attribute) const { return H5Aexists(id(), attribute.c_str()) > 0; }

std::optional<std::vector<std::string>> Object::texts_attribute(const std::string& attribute) const {
  if (!has_attribute(attribute)) return std::nullopt;
  const Handle opened(H5Aopen(id(), attribute.c_str(), H5P_DEFAULT));
  const Handle type(opened ? H5Aget_type(opened.get()) : -1);
  const Handle space(opened ? H5Aget_space(opened.get()) : -1);
  if (!type || !space) return std::nullopt;
  const ElementType element = element_type(type.get());
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  // An empty list of names is stored by some writers as an empty list of numbers.
  if (count == 0 && H5Sget_simple_extent_type(space.get()) == H5S_SIMPLE) return std::vector<std::string>{};
  if (element.kind != ElementType::Kind::kText || count <= 0) return std::nullopt;
  std::vector<std::string> texts =
      attribute_texts(opened.get(), static_cast<std::size_t>(count), element, file_->heap);
  if (texts.empty()) return std::nullopt;
  return texts;
}

std::optional<std::string> Object::text_attribute(const std::string& attribute) const {
  auto texts = texts_attribute(attribute);
  if (!texts || texts->size() != 1) return std::nullopt;
  return std::move(texts->front());
}

std::optional<std::vector<std::int64_t>> Object::integers_attribute(const std::string& attribute) const {
  if (!has_attribute(attribute)) return std::nullopt;
  const Handle opened(H5Aopen(id(), attribute.c_str(), H5P_DEFAULT));
  const Handle type(opened ? H5Aget_type(opened.get()) : -1);
  const Handle space(opened ? H5Aget_space(opened.get()) : -1);
  if (!type || !space || !element_type(type.get()).is_number()) return std::nullopt;
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count <= 0 || count > (1 << 20)) return std::nullopt;
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  if (H5Aread(opened.get(), H5T_NATIVE_INT64, values.data()) < 0) return std::nullopt;
  return values;
}

std::optional<Dataset> Object::dataset_attribute(const std::string& attribute) const {
  if (!has_attribute(attribute)) return std::nullopt;
  const Handle opened(H5Aopen(id(), attribute.c_str(), H5P_DEFAULT));
  const Handle type(opened ? H5Aget_type(opened.get()) : -1);
  const Handle space(opened ? H5Aget_space(opened.get()) : -1);
  if (!type || !space || H5Tequal(type.get(), H5T_STD_REF_OBJ) <= 0) return std::nullopt;
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return std::nullopt;
  hobj_ref_t reference = 0;
  if (H5Aread(opened.get(), H5T_STD_REF_OBJ, &reference) < 0) return std::nullopt;
  Handle target(H5Rdereference2(opened.get(), H5P_DEFAULT, H5R_OBJECT, &reference));
  if (!target || H5Iget_type(target.get()) != H5I_DATASET) return std::nullopt;
  char path[1024] = {};
  H5Iget_name(target.get(), path, sizeof path);
  return Dataset(std::move(target), file_, path[0] == '/' ? path + 1 : name_ + " @" + attribute);
}

std::vector<std::string> Group::members() const {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* target) -> herr_t {
    static_cast<std::vector<std::string>*>(target)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  if (H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, &at, visit, &names) < 0)
    throw error("the list of its members cannot be read: " + take_error().text, "damaged");
  return names;
}

LinkKind Group::kind(const std::string& member) const {
  const std::string::size_type slash = member.find('/');
  if (slash != std::string::npos) {
    const LinkKind first = kind(member.substr(0, slash));
    return first == LinkKind::kGroup ? group(member.substr(0, slash)).kind(member.substr(slash + 1))
                                     : first == LinkKind::kExternal ? first : LinkKind::kMissing;
  }
  if (member.empty() || H5Lexists(id(), member.c_str(), within_file()) <= 0) return LinkKind::kMissing;
  H5L_info_t link;
  if (H5Lget_info(id(), member.c_str(), &link, within_file()) < 0) return LinkKind::kBroken;
  if (link.type == H5L_TYPE_EXTERNAL) return LinkKind::kExternal;
  const Handle opened(H5Oopen(id(), member.c_str(), within_file()));
  if (!opened) return LinkKind::kBroken;
  switch (H5Iget_type(opened.get())) {
    case H5I_GROUP: return LinkKind::kGroup;
    case H5I_DATASET: return LinkKind::kDataset;
    case H5I_DATATYPE: return LinkKind::kType;
    default: return LinkKind::kBroken;
  }
}

bool Group::has(const std::string& member) const {
  const LinkKind found = kind(member);
  return found == LinkKind::kGroup || found == LinkKind::kDataset;
}

namespace {
std::string describe(LinkKind kind) {
  switch (kind) {
    case LinkKind::kMissing: return "nothing of that name";
    case LinkKind::kGroup: return "a group";
    case LinkKind::kDataset: return "a data set";
    case LinkKind::kType: return "a named datatype";
    case LinkKind::kExternal: return "a link into another file, which is never followed";
    case LinkKind::kBroken: return "an object that HDF5 cannot open";
  }
  return "";
}
}  // namespace

Group Group::group(const std::string& member) const {
  const LinkKind found = kind(member);
  const std::string path = join_name(name_, member);
  Handle opened(found == LinkKind::kGroup ? H5Gopen2(id(), member.c_str(), H5P_DEFAULT) : -1);
  if (!opened)
    throw DataError(file() + ": expected a group " + path + ", found " + describe(found),
                    {.file = file(), .field = path, .reason = found == LinkKind::kMissing ? "missing" : "damaged"});
  return Group(std::move(opened), file_, path);
}

Group Group::reopened() const {
  Handle opened(H5Gopen2(id(), ".", H5P_DEFAULT));
  if (!opened) throw error("cannot be opened again: " + take_error().text, "damaged");
  return Group(std::move(opened), file_, name_);
}

Dataset Group::dataset(const std::string& member) const {
  const LinkKind found = kind(member);
  const std::string path = join_name(name_, member);
  Handle opened(found == LinkKind::kDataset ? H5Dopen2(id(), member.c_str(), H5P_DEFAULT) : -1);
  if (!opened)
    throw DataError(file() + ": expected a data set " + path + ", found " + describe(found),
                    {.file = file(), .field = path, .reason = found == LinkKind::kMissing ? "missing" : "damaged"});
  return Dataset(std::move(opened), file_, path);
}

Dataset Group::streamed_dataset(const std::string& member) const {
  const Dataset plain = dataset(member);
  if (plain.chunk().empty() || plain.shape().size() != plain.chunk().size()) return dataset(member);
  // One band of chunks, all that hold the same rows, so that none is decoded twice; up to 512 MiB.
  double band = static_cast<double>(plain.type().bytes) * static_cast<double>(plain.chunk()[0]);
  double chunks = 1;
  for (std::size_t dim = 1; dim < plain.chunk().size(); ++dim) {
    const double across = std::ceil(static_cast<double>(plain.shape()[dim]) / static_cast<double>(plain.chunk()[dim]));
    chunks *= across;
    band *= across * static_cast<double>(plain.chunk()[dim]);
  }
  const std::size_t bytes = band > 512.0 * (1 << 20) ? std::size_t{1} << 20 : static_cast<std::size_t>(1.1 * band) + 1024;
  const std::size_t slots = static_cast<std::size_t>(std::min(100.0 * chunks, 1e6)) + 521;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), slots, std::max(bytes, std::size_t{1} << 20), 1.0);
  Handle opened(H5Dopen2(id(), member.c_str(), access.get()));
  if (!opened) throw plain.error("cannot be opened: " + take_error().text, "damaged");
  return Dataset(std::move(opened), file_, plain.name());
}

bool has_signature(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const auto bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  return !error && file && find_superblock(file, bytes) >= 0;
}

Group open_file(const std::string& path) {
  start_library();
  auto info = std::make_shared<FileInfo>(FileInfo{path, file_size(path), nullptr});
  check_outside(path, info->bytes);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  // Clusters mount file systems that have no locks; reading needs none.
  H5Pset_file_locking(access.get(), false, true);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file)
    throw DataError(path + ": HDF5 cannot open it: " + take_error().text, {.file = path, .reason = "damaged"});
  info->heap = std::make_shared<GlobalHeap>(path, info->bytes, file.get());
  Handle root(H5Gopen2(file.get(), "/", H5P_DEFAULT));
  if (!root)
    throw DataError(path + ": the root group cannot be read: " + take_error().text,
                    {.file = path, .reason = "damaged"});
  // The group keeps the file open; HDF5 closes it with its last object.
  return Group(std::move(root), std::move(info), "/");
}

}  // namespace scvet::io::hdf5
