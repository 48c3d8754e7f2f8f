// What groups and arrays of a zarr store have in common: their place, and attributes in JSON.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "store/store.h"
#include "zarr/zarr_metadata.h"

namespace scvet::io::zarr {

// An open store; nodes that were asked for are kept.
class Store {
 public:
  Store(std::shared_ptr<const Keys> keys, int version) : keys_(std::move(keys)), version_(version) {}
  const std::shared_ptr<const Keys>& keys() const { return keys_; }
  int version() const { return version_; }
  std::uint64_t bytes() const;
  // Null when there is none at `path`, or the path leads out of the store.
  std::shared_ptr<const Node> node(const std::string& path) const;

 private:
  std::shared_ptr<const Keys> keys_;
  int version_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Node>> nodes_;
  mutable std::optional<std::uint64_t> bytes_;
};

std::optional<std::string> text_of(const nlohmann::json& attributes, const std::string& attribute);
std::optional<std::vector<std::string>> texts_of(const nlohmann::json& attributes, const std::string& attribute);
std::optional<std::vector<std::int64_t>> integers_of(const nlohmann::json& attributes, const std::string& attribute);

// The array at `path`; null when there is none.
store::DatasetPtr open_array(const std::shared_ptr<const Store>& store, const std::string& path);
// anndata 0.7 names the categories of a column by their path from the column's folder.
store::DatasetPtr referenced_array(const std::shared_ptr<const Store>& store, const std::string& path,
                                   const nlohmann::json& attributes, const std::string& attribute);

template <typename Base>
class Described : public Base {
 public:
  const std::string& file() const override { return store_->keys()->path(); }
  std::uint64_t file_bytes() const override { return store_->bytes(); }
  const std::string& name() const override { return name_; }
  std::optional<std::string> text_attribute(const std::string& attribute) const override {
    return text_of(node_->attributes, attribute);
  }
  std::optional<std::vector<std::string>> texts_attribute(const std::string& attribute) const override {
    return texts_of(node_->attributes, attribute);
  }
  std::optional<std::vector<std::int64_t>> integers_attribute(const std::string& attribute) const override {
    return integers_of(node_->attributes, attribute);
  }
  store::DatasetPtr dataset_attribute(const std::string& attribute) const override {
    return referenced_array(store_, path_, node_->attributes, attribute);
  }

 protected:
  template <typename... Rest>
  Described(std::shared_ptr<const Store> store, std::string path, std::shared_ptr<const Node> node, Rest&&... rest)
      : Base(std::forward<Rest>(rest)...),
        store_(std::move(store)),
        path_(std::move(path)),
        name_(path_.empty() ? "/" : path_),
        node_(std::move(node)) {}

  std::shared_ptr<const Store> store_;
  std::string path_, name_;
  std::shared_ptr<const Node> node_;
};

}  // namespace scvet::io::zarr
