// Groups, links and attributes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "hdf5/hdf5_file.h"
#include "hdf5/hdf5_heap.h"

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
std::string join_name(const std::string& group, const std::string& member) {
  return group == "/" ? member : group + "/" + member;
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
}  // namespace

DataError Object::error(const std::string& what, const std::string& reason, std::int64_t row) const {
  return DataError(file() + ": " + name_ + ": " + what, {.file = file(), .field = name_, .row = row, .reason = reason});
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
  std::vector<std::string> texts = attribute_texts(opened.get(), static_cast<std::size_t>(count), element, file_->heap);
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
    return first == LinkKind::kGroup      ? group(member.substr(0, slash)).kind(member.substr(slash + 1))
           : first == LinkKind::kExternal ? first
                                          : LinkKind::kMissing;
  }
  if (member.empty() || H5Lexists(id(), member.c_str(), within_file()) <= 0) return LinkKind::kMissing;
  H5L_info_t link;
  if (H5Lget_info(id(), member.c_str(), &link, within_file()) < 0) return LinkKind::kBroken;
  if (link.type == H5L_TYPE_EXTERNAL) return LinkKind::kExternal;
  const Handle opened(H5Oopen(id(), member.c_str(), within_file()));
  if (!opened) return LinkKind::kBroken;
  switch (H5Iget_type(opened.get())) {
    case H5I_GROUP:
      return LinkKind::kGroup;
    case H5I_DATASET:
      return LinkKind::kDataset;
    case H5I_DATATYPE:
      return LinkKind::kType;
    default:
      return LinkKind::kBroken;
  }
}

bool Group::has(const std::string& member) const {
  const LinkKind found = kind(member);
  return found == LinkKind::kGroup || found == LinkKind::kDataset;
}

Group Group::group(const std::string& member) const {
  const LinkKind found = kind(member);
  const std::string path = join_name(name_, member);
  Handle opened(found == LinkKind::kGroup ? H5Gopen2(id(), member.c_str(), H5P_DEFAULT) : -1);
  if (!opened)
    throw DataError(file() + ": expected a group " + path + ", found " + store::describe(found),
                    {.file = file(), .field = path, .reason = found == LinkKind::kMissing ? "missing" : "damaged"});
  return Group(std::move(opened), file_, path);
}

Dataset Group::dataset(const std::string& member) const {
  const LinkKind found = kind(member);
  const std::string path = join_name(name_, member);
  Handle opened(found == LinkKind::kDataset ? H5Dopen2(id(), member.c_str(), H5P_DEFAULT) : -1);
  if (!opened)
    throw DataError(file() + ": expected a data set " + path + ", found " + store::describe(found),
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
  const std::size_t bytes =
      band > 512.0 * (1 << 20) ? std::size_t{1} << 20 : static_cast<std::size_t>(1.1 * band) + 1024;
  const std::size_t slots = static_cast<std::size_t>(std::min(100.0 * chunks, 1e6)) + 521;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), slots, std::max(bytes, std::size_t{1} << 20), 1.0);
  Handle opened(H5Dopen2(id(), member.c_str(), access.get()));
  if (!opened) throw plain.error("cannot be opened: " + take_error().text, "damaged");
  return Dataset(std::move(opened), file_, plain.name());
}
}  // namespace scvet::io::hdf5
