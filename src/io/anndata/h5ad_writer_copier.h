// Parts of an h5ad copied into a new one by HDF5 itself; what anndata 0.8 to 0.12 would trip over is written anew.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "anndata/h5ad_writer_elements.h"
#include "hdf5/hdf5_file.h"

namespace scvet::io {

class Copier {
 public:
  Copier(H5adOut& out, const hdf5::Group& source) : out_(out), source_(source) {
    if (source.kind("uns") == hdf5::LinkKind::kGroup) uns_.emplace(source.group("uns"));
  }

  // With the columns added; one that is there is replaced when its name begins with "scvet_", else a DataError.
  void obs(const std::vector<Column>& columns);
  void frame(const hdf5::Group& from, const std::string& member, hid_t parent, const std::string& name);
  void matrix(const hdf5::Group& from, const std::string& member, hid_t parent, const std::string& name);
  void mapping(const std::string& member);
  // A mapping with at most this one of its entries.
  void one_of(const std::string& member, const std::string& name);
  void raw();
  void uns(const std::vector<UnsText>& entries);
  void note_others();

 private:
  void element(const hdf5::Group& from, const std::string& member, hid_t parent, const std::string& name);
  void uns_members(const hdf5::Group& from, hid_t to, bool top);
  void required(const hdf5::Group& from, const std::string& member, hid_t parent, const std::string& name);
  bool has(const char* member) const { return source_.has(member); }

  H5adOut& out_;
  const hdf5::Group& source_;
  std::optional<hdf5::Group> uns_;
  std::set<std::string> used_;  // uns entries that became categories
};

// UsageError where the target is the source.
void refuse_same_file(const std::string& source, const std::string& target);

}  // namespace scvet::io
