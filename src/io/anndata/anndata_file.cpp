#include "anndata/anndata_file.h"

#include <algorithm>

#include "anndata/anndata_matrix.h"
#include "scvet/base/text.h"

namespace scvet::io::anndata {
namespace {

using store::Group;
using store::LinkKind;

// A matrix and where it lies.
struct Place {
  MatrixInfo info;
  std::string member;  // "X", "layers/counts"
  bool raw = false;    // has genes of its own
};

class AnnDataFile : public CellFile {
 public:
  AnnDataFile(std::string path, const char* format, store::GroupPtr root, const std::vector<std::string>& notes)
      : path_(std::move(path)), format_(format), opened_(std::move(root)), root_(*opened_) {
    for (const std::string& note : notes) notes_.add(note);
    const Encoding encoding = encoding_of(root_);
    if (!is_known(encoding)) throw root_.error(describe_unknown(encoding), "unknown_encoding");
    if (root_.kind("uns") == LinkKind::kGroup) uns_ = root_.group("uns");
    read_tables(encoding);
    find_matrices();
    obsm_ = array_shapes(root_, "obsm", notes_);
    varm_ = array_shapes(root_, "varm", notes_);
    find_obsp();
    find_uns_keys();
    note_strangers();
  }

  const std::string& path() const override { return path_; }
  const char* format() const override { return format_; }
  const Table& obs() const override { return *obs_; }
  const Table& var() const override { return *var_; }
  std::vector<MatrixInfo> matrices() const override {
    std::vector<MatrixInfo> infos;
    for (const Place& place : places_) infos.push_back(place.info);
    return infos;
  }
  std::vector<NamedShape> obsm() const override { return obsm_; }
  std::vector<NamedShape> varm() const override { return varm_; }
  std::vector<std::string> obsp() const override { return obsp_; }
  std::vector<std::string> uns_keys() const override { return uns_keys_; }
  std::vector<std::string> notes() const override { return notes_.lines(); }

  std::unique_ptr<CellSource> open_matrix(const std::string& name) override {
    for (const Place& place : places_) {
      if (place.info.name != name) continue;
      return anndata::open_matrix(root_, place.member, place.info, place.raw ? raw_var_ : var_);
    }
    for (const auto& [broken, error] : broken_)
      if (broken == name) throw error;
    std::vector<std::string> names;
    for (const Place& place : places_) names.push_back(place.info.name);
    throw DataError(path_ + " has no matrix '" + name + "'" +
                        (names.empty() ? " (it has none)" : " (has: " + join(names, ", ") + ")"),
                    {.file = path_, .field = name, .reason = "missing"});
  }

  Embedding read_obsm(const std::string& key) override {
    require_obsm(key);
    return read_array(root_, "obsm", key, obs_->rows());
  }
  std::unique_ptr<CellSource> open_obsm(const std::string& key) override {
    require_obsm(key);
    auto source = open_array(root_, "obsm", key, obs_->rows());
    return source ? std::move(source) : CellFile::open_obsm(key);
  }

 private:
  void require_obsm(const std::string& key) const {
    const auto found =
        std::find_if(obsm_.begin(), obsm_.end(), [&](const NamedShape& item) { return item.name == key; });
    if (found == obsm_.end()) {
      std::vector<std::string> names;
      for (const NamedShape& item : obsm_) names.push_back(item.name);
      throw UsageError(path_ + " has no obsm '" + key + "'" +
                           (names.empty() ? " (it has none)" : " (has: " + join(names, ", ") + ")"),
                       {.file = path_, .field = "obsm/" + key, .reason = "missing"});
    }
  }

  void read_tables(const Encoding& encoding) {
    // A file that states an encoding keeps its categories beside the codes; then uns is the user's alone.
    const Group* const categories = encoding.type.empty() ? uns_.get() : nullptr;
    if (root_.kind("obs") == LinkKind::kDataset)
      notes_.add("obs and var are compound tables (written before anndata 0.7)");
    obs_ = std::make_shared<const Table>(read_table(root_, "obs", categories, notes_));
    var_ = std::make_shared<const Table>(read_table(root_, "var", categories, notes_));
    if (var_->rows() > std::int64_t{UINT32_MAX}) throw root_.error("has more genes than 32-bit numbers", "damaged");
  }

  void find_matrices() {
    if (auto info = describe_matrix(root_, "X", "X", obs_->rows(), var_->rows(), notes_))
      places_.push_back({*info, "X"});
    find_raw();
    if (root_.kind("layers") != LinkKind::kGroup) return;
    for (const std::string& layer : root_.group("layers")->members()) {
      const std::string name = "layers/" + layer;
      add_place({.info = {.name = name, .kind = {}, .dtype = {}}, .member = name}, var_->rows());
    }
  }

  // A matrix that is not X: one that cannot be read is left out with a note, and its error kept for who asks for it.
  void add_place(Place place, std::int64_t n_genes) {
    try {
      const auto info = describe_matrix(root_, place.member, place.info.name, obs_->rows(), n_genes, notes_);
      if (!info) return;
      place.info = *info;
      places_.push_back(std::move(place));
    } catch (const DataError& error) {
      notes_.add(place.info.name + " left out: " + error.what());
      broken_.emplace_back(place.info.name, error);
    }
  }

  // raw/X and raw/var; before 0.7 raw.X and raw.var at the root.
  void find_raw() {
    const bool flat = root_.kind("raw") == LinkKind::kMissing && root_.kind("raw.X") != LinkKind::kMissing;
    if (!flat && root_.kind("raw") != LinkKind::kGroup) return;
    const std::string member = flat ? "raw.X" : "raw/X", genes = flat ? "raw.var" : "raw/var";
    try {
      if (root_.kind(member) == LinkKind::kMissing) return;
      raw_var_ = std::make_shared<const Table>(read_table(root_, genes, nullptr, notes_));
    } catch (const DataError& error) {
      notes_.add(std::string("raw left out: ") + error.what());
      broken_.emplace_back("raw/X", error);
      return;
    }
    add_place({.info = {.name = "raw/X", .kind = {}, .dtype = {}}, .member = member, .raw = true}, raw_var_->rows());
  }

  void find_obsp() {
    try {
      if (root_.kind("obsp") == LinkKind::kGroup) obsp_ = root_.group("obsp")->members();
      // Neighbour graphs lay in uns before 0.7.
      if (!uns_ || uns_->kind("neighbors") != LinkKind::kGroup) return;
      const store::GroupPtr neighbors = uns_->group("neighbors");
      for (const char* key : {"distances", "connectivities"}) {
        const LinkKind kind = neighbors->kind(key);
        const bool matrix = (kind == LinkKind::kGroup && neighbors->group(key)->has("indptr")) ||
                            (kind == LinkKind::kDataset && neighbors->dataset(key)->shape().size() == 2);
        if (matrix && std::find(obsp_.begin(), obsp_.end(), key) == obsp_.end()) obsp_.emplace_back(key);
      }
    } catch (const DataError& error) {
      notes_.add(std::string("obsp: ") + error.what());
    }
  }

  void find_uns_keys() {
    if (!uns_) return;
    try {
      uns_keys_ = uns_->members();
      const std::vector<std::string> used =
          encoding_of(root_).type.empty() ? used_category_keys(root_, *uns_, *obs_, *var_) : std::vector<std::string>{};
      std::erase_if(uns_keys_,
                    [&](const std::string& key) { return std::find(used.begin(), used.end(), key) != used.end(); });
    } catch (const DataError& error) {
      notes_.add(std::string("uns ignored: ") + error.what());
    }
  }

  void note_strangers() {
    static constexpr std::string_view kKnown[] = {"X",       "layers",  "obs",      "obsm", "obsp", "raw",  "raw.X",
                                                  "raw.var", "raw.cat", "raw.varm", "uns",  "var",  "varm", "varp"};
    for (const std::string& member : root_.members()) {
      const LinkKind kind = root_.kind(member);
      const bool known = std::find(std::begin(kKnown), std::end(kKnown), member) != std::end(kKnown);
      if (kind == LinkKind::kType)
        notes_.add("named datatype '" + member + "' skipped");
      else if (kind == LinkKind::kExternal)
        notes_.add("'" + member + "' is a link into another file: not followed");
      else if (kind == LinkKind::kBroken)
        notes_.add("'" + member + "' cannot be opened: skipped");
      else if (!known)
        notes_.add("'" + member + "' is no part of AnnData: skipped");
    }
  }

  std::string path_;
  const char* format_;
  store::GroupPtr opened_;
  const Group& root_;
  store::GroupPtr uns_;
  std::shared_ptr<const Table> obs_, var_, raw_var_;
  std::vector<Place> places_;
  std::vector<std::pair<std::string, DataError>> broken_;
  std::vector<NamedShape> obsm_, varm_;
  std::vector<std::string> obsp_, uns_keys_;
  Notes notes_;
};

}  // namespace

std::unique_ptr<CellFile> open_file(const std::string& path, const char* format, store::GroupPtr root,
                                    const std::vector<std::string>& notes) {
  return std::make_unique<AnnDataFile>(path, format, std::move(root), notes);
}

bool is_anndata(const Group& root) {
  // MuData has obs and var at its root as well, beside mod.
  if (root.kind("mod") != LinkKind::kMissing) return false;
  const bool obs = root.kind("obs") != LinkKind::kMissing, var = root.kind("var") != LinkKind::kMissing;
  return (obs && var) || ((obs || var) && root.kind("X") != LinkKind::kMissing) ||
         root.text_attribute("encoding-type") == "anndata";
}

}  // namespace scvet::io::anndata
