#include "hdf5/hdf5_store.h"

namespace scvet::io::hdf5 {
namespace {

// What `Base` asks of every object, answered by the HDF5 object that `Own` holds.
template <typename Base, typename Own>
class Wrapped : public Base {
 public:
  const std::string& file() const override { return own_.file(); }
  std::uint64_t file_bytes() const override { return own_.file_bytes(); }
  const std::string& name() const override { return own_.name(); }
  std::optional<std::string> text_attribute(const std::string& attribute) const override {
    return own_.text_attribute(attribute);
  }
  std::optional<std::vector<std::string>> texts_attribute(const std::string& attribute) const override {
    return own_.texts_attribute(attribute);
  }
  std::optional<std::vector<std::int64_t>> integers_attribute(const std::string& attribute) const override {
    return own_.integers_attribute(attribute);
  }
  store::DatasetPtr dataset_attribute(const std::string& attribute) const override;

 protected:
  template <typename... Rest>
  explicit Wrapped(Own own, Rest&&... rest) : Base(std::forward<Rest>(rest)...), own_(std::move(own)) {}
  Own own_;
};

class StoredDataset : public Wrapped<store::Dataset, Dataset> {
 public:
  explicit StoredDataset(hdf5::Dataset dataset) : StoredDataset(layout_of(dataset), std::move(dataset)) {}
  std::vector<double> read_reals(const std::string& member) const override { return own_.read_reals(member); }
  std::vector<std::int64_t> read_integers(const std::string& member) const override {
    return own_.read_integers(member);
  }
  std::vector<std::string> read_texts(const std::string& member) const override { return own_.read_texts(member); }
  std::vector<double> read_array_field(const std::string& member) const override {
    return own_.read_array_field(member);
  }
  void read_rows(std::int64_t first, std::int64_t count, std::span<double> out) const override {
    own_.read_rows(first, count, out);
  }
  void read_rows(std::int64_t first, std::int64_t count, std::span<float> out) const override {
    own_.read_rows(first, count, out);
  }
  void read_rows(std::int64_t first, std::int64_t count, std::span<std::int64_t> out) const override {
    own_.read_rows(first, count, out);
  }
  void read_indices(std::int64_t first, std::int64_t count, std::span<std::uint32_t> out) const override {
    own_.read_indices(first, count, out);
  }
  void check_claim(std::size_t bytes_each) const override { own_.check_claim(bytes_each); }

 private:
  StoredDataset(Layout layout, hdf5::Dataset&& dataset) : Wrapped(std::move(dataset), std::move(layout)) {}
  static Layout layout_of(const hdf5::Dataset& dataset) {
    return {dataset.type(), dataset.shape(), dataset.chunk(), dataset.size(), dataset.row_size(), dataset.is_null()};
  }
};

template <typename Base, typename Own>
store::DatasetPtr Wrapped<Base, Own>::dataset_attribute(const std::string& attribute) const {
  auto found = own_.dataset_attribute(attribute);
  return found ? std::make_unique<StoredDataset>(std::move(*found)) : nullptr;
}

class StoredGroup : public Wrapped<store::Group, Group> {
 public:
  explicit StoredGroup(hdf5::Group group) : Wrapped(std::move(group)) {}
  std::vector<std::string> members() const override { return own_.members(); }
  LinkKind kind(const std::string& member) const override { return own_.kind(member); }
  store::GroupPtr group(const std::string& member) const override { return as_store(own_.group(member)); }
  store::DatasetPtr dataset(const std::string& member) const override {
    return std::make_unique<StoredDataset>(own_.dataset(member));
  }
  store::DatasetPtr streamed_dataset(const std::string& member) const override {
    return std::make_unique<StoredDataset>(own_.streamed_dataset(member));
  }
};

}  // namespace

store::GroupPtr as_store(Group group) { return std::make_unique<StoredGroup>(std::move(group)); }
store::GroupPtr open_store(const std::string& path) { return as_store(open_file(path)); }

}  // namespace scvet::io::hdf5
