#include "zarr/zarr_store.h"

#include <algorithm>

#include "scvet/base/text.h"
#include "zarr/zarr_object.h"

namespace scvet::io::zarr {
namespace {

using nlohmann::json;
using store::LinkKind;

// A path of plain names: none is empty, "." or "..".
bool stays_inside(const std::string& path) {
  if (path.empty()) return true;
  for (const std::string& name : split(path, '/'))
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos) return false;
  return true;
}

LinkKind kind_of(const std::shared_ptr<const Node>& node) {
  if (!node) return LinkKind::kMissing;
  if (!node->fault.empty()) return LinkKind::kBroken;
  return node->is_array ? LinkKind::kDataset : LinkKind::kGroup;
}

class ZarrGroup : public Described<store::Group> {
 public:
  ZarrGroup(std::shared_ptr<const Store> store, std::string path, std::shared_ptr<const Node> node)
      : Described(std::move(store), std::move(path), std::move(node)) {}

  std::vector<std::string> members() const override {
    std::vector<std::string> names = store_->keys()->children(path_);
    std::erase_if(names, [&](const std::string& member) {
      return !has_node(*store_->keys(), store_->version(), join_key(path_, member));
    });
    return names;
  }
  LinkKind kind(const std::string& member) const override {
    return member.empty() ? LinkKind::kMissing : kind_of(store_->node(join_key(path_, member)));
  }
  store::GroupPtr group(const std::string& member) const override {
    const std::string path = join_key(path_, member);
    const auto node = store_->node(path);
    if (kind_of(node) != LinkKind::kGroup || member.empty()) refuse("a group", path, node);
    return std::make_unique<ZarrGroup>(store_, path, node);
  }
  store::DatasetPtr dataset(const std::string& member) const override {
    const std::string path = join_key(path_, member);
    auto opened = open_array(store_, path);
    if (!opened) refuse("a data set", path, store_->node(path));
    return opened;
  }
  store::DatasetPtr streamed_dataset(const std::string& member) const override { return dataset(member); }

 private:
  [[noreturn]] void refuse(const char* expected, const std::string& path,
                           const std::shared_ptr<const Node>& node) const {
    const LinkKind found = kind_of(node);
    throw DataError(file() + ": expected " + expected + " " + path + ", found " +
                        (found == LinkKind::kBroken ? "a node that cannot be opened: " + node->fault : describe(found)),
                    {.file = file(), .field = path, .reason = found == LinkKind::kMissing ? "missing" : "damaged"});
  }
};

}  // namespace

std::uint64_t Store::bytes() const {
  const std::lock_guard lock(mutex_);
  if (!bytes_) bytes_ = keys_->bytes();
  return *bytes_;
}

std::shared_ptr<const Node> Store::node(const std::string& path) const {
  if (!stays_inside(path)) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(path);
  if (found != nodes_.end()) return found->second;
  return nodes_[path] = read_node(*keys_, version_, path);
}

std::optional<std::string> text_of(const json& attributes, const std::string& attribute) {
  const auto found = attributes.find(attribute);
  if (found == attributes.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::vector<std::string>> texts_of(const json& attributes, const std::string& attribute) {
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return std::nullopt;
  if (found->is_string()) return std::vector<std::string>{found->get<std::string>()};
  if (!found->is_array() ||
      !std::all_of(found->begin(), found->end(), [](const json& item) { return item.is_string(); }))
    return std::nullopt;
  return found->get<std::vector<std::string>>();
}

std::optional<std::vector<std::int64_t>> integers_of(const json& attributes, const std::string& attribute) {
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return std::nullopt;
  const json list = found->is_array() ? *found : json::array({*found});
  std::vector<std::int64_t> values;
  for (const json& item : list) {
    if (!item.is_number_integer() && !item.is_boolean()) return std::nullopt;
    values.push_back(item.is_boolean() ? item.get<bool>() : item.get<std::int64_t>());
  }
  if (values.empty()) return std::nullopt;
  return values;
}

store::DatasetPtr referenced_array(const std::shared_ptr<const Store>& store, const std::string& path,
                                   const json& attributes, const std::string& attribute) {
  const auto target = text_of(attributes, attribute);
  if (!target || target->empty()) return nullptr;
  const std::size_t slash = path.rfind('/');
  return open_array(store, join_key(slash == std::string::npos ? "" : path.substr(0, slash), *target));
}

bool is_store(const std::string& path) {
  try {
    return open_keys(path) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

store::GroupPtr open_store(const std::string& path) {
  auto keys = open_keys(path);
  if (!keys)
    throw DataError(path + ": expected a zarr store (a folder or a zip archive with zarr.json or .zgroup at its root)",
                    {.file = path, .reason = "not_zarr"});
  const int version = keys->has("zarr.json") ? 3 : 2;
  auto store = std::make_shared<const Store>(std::move(keys), version);
  const auto node = store->node("");
  if (kind_of(node) != LinkKind::kGroup)
    throw DataError(path + ": the root of the zarr store is no group" + (node->fault.empty() ? "" : ": " + node->fault),
                    {.file = path, .reason = "damaged"});
  return std::make_unique<ZarrGroup>(store, "", node);
}

std::string describe_store(const std::string& path) {
  try {
    const std::vector<std::string> members = open_store(path)->members();
    return members.empty() ? "it is a zarr store that holds nothing"
                           : "it is a zarr store that holds " + join_some(members);
  } catch (const DataError& error) {
    return std::string("it is a zarr store that cannot be read (") + error.what() + ")";
  }
}

}  // namespace scvet::io::zarr
