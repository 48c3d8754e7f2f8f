#include <string>

#include "hdf5/hdf5_file.h"
#include "scvet/base/text.h"

namespace scvet::io::hdf5 {
namespace {

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
    case H5T_REFERENCE:
      element.kind = ElementType::Kind::kReference;
      break;
    case H5T_COMPOUND:
      if (depth < 2) return compound_type(type, depth);
      break;
    default:
      break;
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

ElementType element_type(hid_t type) { return element_type_at(type, 0); }
}  // namespace scvet::io::hdf5
