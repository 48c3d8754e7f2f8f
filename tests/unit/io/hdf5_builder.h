// Small HDF5 files for tests, written with the C API: one call an object, paths with slashes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "hdf5/hdf5_file.h"

namespace scvet::io {

template <typename T>
hid_t builder_type() {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return H5T_NATIVE_INT8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return H5T_NATIVE_UINT8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return H5T_NATIVE_INT16;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return H5T_NATIVE_UINT16;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return H5T_NATIVE_INT32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return H5T_NATIVE_UINT32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return H5T_NATIVE_UINT64;
  else
    return H5T_NATIVE_INT64;
}

class Hdf5Builder {
 public:
  Hdf5Builder() {
    hdf5::start_library();
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "scvet_" + std::to_string(getpid()) + "_" + test->test_suite_name() + "_" +
              test->name() + "_" + std::to_string(counter()++);
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/test.h5ad";
    file_ = hdf5::Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    links_ = hdf5::Handle(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(links_.get(), 1);
  }
  ~Hdf5Builder() { std::filesystem::remove_all(folder_); }
  Hdf5Builder(const Hdf5Builder&) = delete;
  Hdf5Builder& operator=(const Hdf5Builder&) = delete;

  hid_t id() const { return file_.get(); }
  const std::string& folder() const { return folder_; }
  // Closes the file; it can be read now.
  const std::string& path() {
    file_.reset();
    return path_;
  }
  hdf5::Group open() { return hdf5::open_file(path()); }

  Hdf5Builder& group(const std::string& name) {
    hdf5::Handle(H5Gcreate2(id(), name.c_str(), links_.get(), H5P_DEFAULT, H5P_DEFAULT)).reset();
    return *this;
  }
  // dims empty: a list of all values, or a scalar when `scalar`.
  template <typename T>
  Hdf5Builder& numbers(const std::string& name, const std::vector<T>& values, std::vector<hsize_t> dims = {},
                       hid_t creation_list = H5P_DEFAULT) {
    if (dims.empty()) dims = {values.size()};
    return raw(name, builder_type<T>(), dims, values.data(), creation_list);
  }
  template <typename T>
  Hdf5Builder& scalar(const std::string& name, T value) {
    return raw(name, builder_type<T>(), {}, &value);
  }
  Hdf5Builder& booleans(const std::string& name, const std::vector<std::int8_t>& values) {
    const hdf5::Handle type = boolean_type();
    return raw(name, type.get(), {values.size()}, values.data());
  }
  Hdf5Builder& texts(const std::string& name, const std::vector<std::string>& values) {
    const hdf5::Handle type = text_type();
    const std::vector<const char*> pointers = pointers_of(values);
    return raw(name, type.get(), {values.size()}, pointers.data());
  }
  Hdf5Builder& text(const std::string& name, const std::string& value) {
    const hdf5::Handle type = text_type();
    const char* pointer = value.c_str();
    return raw(name, type.get(), {}, &pointer);
  }
  Hdf5Builder& null(const std::string& name) {
    const hdf5::Handle space(H5Screate(H5S_NULL));
    hdf5::Handle(H5Dcreate2(id(), name.c_str(), H5T_NATIVE_FLOAT, space.get(), links_.get(), H5P_DEFAULT, H5P_DEFAULT))
        .reset();
    return *this;
  }
  Hdf5Builder& raw(const std::string& name, hid_t type, std::vector<hsize_t> dims, const void* data,
                   hid_t creation_list = H5P_DEFAULT) {
    const hdf5::Handle space(dims.empty() ? H5Screate(H5S_SCALAR)
                                          : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
    const hdf5::Handle dataset(
        H5Dcreate2(id(), name.c_str(), type, space.get(), links_.get(), creation_list, H5P_DEFAULT));
    EXPECT_TRUE(dataset) << name << ": " << hdf5::take_error().text;
    if (data) {
      EXPECT_GE(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << hdf5::take_error().text;
    }
    return *this;
  }

  Hdf5Builder& attribute(const std::string& object, const std::string& name, const std::string& value) {
    const hdf5::Handle type = text_type(), space(H5Screate(H5S_SCALAR));
    const char* pointer = value.c_str();
    return put_attribute(object, name, type.get(), space.get(), &pointer);
  }
  Hdf5Builder& attribute(const std::string& object, const std::string& name, const std::vector<std::string>& values) {
    const hsize_t count = values.size();
    const hdf5::Handle type = text_type(), space(H5Screate_simple(1, &count, nullptr));
    const std::vector<const char*> pointers = pointers_of(values);
    return put_attribute(object, name, type.get(), space.get(), pointers.data());
  }
  Hdf5Builder& attribute(const std::string& object, const std::string& name, const std::vector<std::int64_t>& values) {
    const hsize_t count = values.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr));
    return put_attribute(object, name, H5T_NATIVE_INT64, space.get(), values.data());
  }
  Hdf5Builder& boolean_attribute(const std::string& object, const std::string& name, bool value) {
    const hdf5::Handle type = boolean_type(), space(H5Screate(H5S_SCALAR));
    const std::int8_t byte = value;
    return put_attribute(object, name, type.get(), space.get(), &byte);
  }
  Hdf5Builder& reference_attribute(const std::string& object, const std::string& name, const std::string& target) {
    hobj_ref_t reference;
    EXPECT_GE(H5Rcreate(&reference, id(), target.c_str(), H5R_OBJECT, -1), 0);
    const hdf5::Handle space(H5Screate(H5S_SCALAR));
    return put_attribute(object, name, H5T_STD_REF_OBJ, space.get(), &reference);
  }
  Hdf5Builder& encoding(const std::string& object, const std::string& type, const std::string& version) {
    return attribute(object, "encoding-type", type).attribute(object, "encoding-version", version);
  }

  // A data frame of today with its index; columns are added under it, then named by `order`.
  Hdf5Builder& frame(const std::string& name, const std::vector<std::string>& index,
                     const std::vector<std::string>& order = {}) {
    return texts(name + "/_index", index)
        .encoding(name + "/_index", "string-array", "0.2.0")
        .encoding(name, "dataframe", "0.2.0")
        .attribute(name, "_index", "_index")
        .attribute(name, "column-order", order);
  }
  template <typename Value, typename Index, typename Pointer>
  Hdf5Builder& sparse(const std::string& name, const std::string& kind, const std::vector<std::int64_t>& shape,
                      const std::vector<Value>& data, const std::vector<Index>& indices,
                      const std::vector<Pointer>& pointers) {
    return numbers(name + "/data", data)
        .numbers(name + "/indices", indices)
        .numbers(name + "/indptr", pointers)
        .encoding(name, kind, "0.1.0")
        .attribute(name, "shape", shape);
  }
  // obs c0.. and var g0.. of an otherwise empty file of today.
  Hdf5Builder& anndata(int n_cells, int n_genes) {
    return encoding("/", "anndata", "0.1.0").frame("obs", numbered("c", n_cells)).frame("var", numbered("g", n_genes));
  }
  static std::vector<std::string> numbered(const std::string& prefix, int count) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (int at = 0; at < count; ++at) names.push_back(prefix + std::to_string(at));
    return names;
  }

 private:
  static int& counter() {
    static int count = 0;
    return count;
  }
  static std::vector<const char*> pointers_of(const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const std::string& value : values) pointers.push_back(value.c_str());
    return pointers;
  }
  static hdf5::Handle text_type() {
    hdf5::Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
  }
  static hdf5::Handle boolean_type() {
    hdf5::Handle type(H5Tenum_create(H5T_NATIVE_INT8));
    std::int8_t no = 0, yes = 1;
    H5Tenum_insert(type.get(), "FALSE", &no);
    H5Tenum_insert(type.get(), "TRUE", &yes);
    return type;
  }
  Hdf5Builder& put_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space,
                             const void* data) {
    const hdf5::Handle target(H5Oopen(id(), object.c_str(), H5P_DEFAULT));
    EXPECT_TRUE(target) << object;
    const hdf5::Handle attribute(H5Acreate2(target.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (data) {
      EXPECT_GE(H5Awrite(attribute.get(), type, data), 0);
    }
    return *this;
  }

  std::string folder_, path_;
  hdf5::Handle file_, links_;
};

inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace scvet::io
