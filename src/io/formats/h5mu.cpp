// MuData (h5mu, or the same tree in a zarr store): one AnnData a modality under /mod, chosen by name.
#include <fmt/format.h>

#include <algorithm>

#include "anndata/anndata_file.h"
#include "anndata/anndata_table.h"
#include "hdf5/hdf5_store.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/io/mudata.h"
#include "zarr/zarr_store.h"

namespace scvet::io {
namespace {

using store::LinkKind;

store::GroupPtr open_root(const std::string& path) {
  return zarr::is_store(path) ? zarr::open_store(path) : hdf5::open_store(path);
}

bool is_mudata(const store::Group& root) { return root.kind("mod") == LinkKind::kGroup; }

bool recognises_h5mu(const std::string& path) {
  try {
    return (hdf5::has_signature(path) || zarr::is_store(path)) && is_mudata(*open_root(path));
  } catch (const Error&) {
    return false;
  }
}

// In the order that the file states, else by name.
std::vector<std::string> modalities_of(const store::Group& root) {
  const store::GroupPtr mod = root.group("mod");
  std::vector<std::string> members = mod->members();
  std::erase_if(members, [&](const std::string& member) { return mod->kind(member) != LinkKind::kGroup; });
  const auto order = mod->texts_attribute("mod-order");
  if (!order) return members;
  const auto place = [&](const std::string& name) { return std::find(order->begin(), order->end(), name); };
  std::stable_sort(members.begin(), members.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return members;
}

std::string choose(const std::string& path, const std::vector<std::string>& has, const std::string& wanted) {
  if (has.empty()) throw DataError(path + ": mod holds no modality", {.file = path, .field = "mod", .reason = "empty"});
  if (wanted.empty() && has.size() == 1) return has.front();
  if (wanted.empty())
    throw UsageError(fmt::format("{} holds several modalities ({}), each with its own cells and genes; choose one with "
                                 "--modality",
                                 path, join(has, ", ")),
                     {.file = path, .field = "modality", .reason = "several_modalities"});
  if (std::find(has.begin(), has.end(), wanted) != has.end()) return wanted;
  const auto near = nearest_name(wanted, has);
  throw UsageError(fmt::format("{} holds no modality '{}' (has: {}){}; change --modality", path, wanted,
                               join(has, ", "), near ? "; did you mean '" + *near + "'?" : ""),
                   {.file = path, .field = "modality", .reason = "missing_modality"});
}

std::unique_ptr<CellFile> open_h5mu(const std::string& path, const OpenOptions& options) {
  const store::GroupPtr root = open_root(path);
  const std::vector<std::string> modalities = modalities_of(*root);
  const std::string chosen = choose(path, modalities, options.modality);
  std::string note = fmt::format("modality {} of {}", chosen, join(modalities, ", "));
  if (root->has("obs")) note += "; columns of obs that belong to the whole MuData are not read";
  return anndata::open_file(path, "h5mu", root->group("mod/" + chosen), {std::move(note)});
}

}  // namespace

MudataParts mudata_parts(const std::string& path) {
  MudataParts parts;
  try {
    if (!recognises_h5mu(path)) return parts;
    const store::GroupPtr root = open_root(path);
    parts.modalities = modalities_of(*root);
    anndata::Notes notes;
    parts.n_obs = anndata::read_table(*root, "obs", nullptr, notes).rows();
  } catch (const Error&) {
    // What could be read stands; opening a modality tells the rest.
  }
  return parts;
}

extern const FormatRecord h5mu_format;
const FormatRecord h5mu_format = {"h5mu", "MuData file; one modality of it, named with --modality", "h5mu",
                                  recognises_h5mu, open_h5mu};

}  // namespace scvet::io
