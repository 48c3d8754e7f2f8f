#include "tenx/tenx_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

// Categories by name with their counts: "Antibody Capture (17)".
std::string count_levels(const Column& column) {
  std::vector<std::int32_t> codes;
  const std::vector<std::string> levels = column.levels(codes);
  std::vector<std::string> parts;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto n = std::count(codes.begin(), codes.end(), static_cast<std::int32_t>(level));
    parts.push_back(fmt::format("{} ({})", levels[level], format_count(n)));
  }
  return join_some(parts);
}

bool may_be_index(const std::vector<std::string>& ids) {
  return !ids.empty() && std::find(ids.begin(), ids.end(), "") == ids.end() && find_duplicate(ids).row_a < 0;
}

}  // namespace

Table make_var(TenxFeatures features) {
  Table var;
  if (may_be_index(features.ids)) {
    var.index_name = "id";
    var.names = std::move(features.ids);
    var.columns.push_back(string_column("feature_name", std::move(features.names)));
  } else {
    var.index_name = "name";
    var.names = std::move(features.names);
    if (!features.ids.empty()) var.columns.push_back(string_column("gene_ids", std::move(features.ids)));
  }
  if (!features.types.empty()) var.columns.push_back(categorical_column("feature_type", features.types));
  if (!features.genomes.empty()) var.columns.push_back(categorical_column("genome", features.genomes));
  return var;
}

Table make_obs(std::vector<std::string> barcodes) {
  Table obs;
  obs.index_name = "barcode";
  obs.names = std::move(barcodes);
  return obs;
}

std::vector<std::string> feature_notes(const Table& var) {
  std::vector<std::string> notes;
  const Column* types = var.find("feature_type");
  if (types && !types->categories.empty() &&
      (types->categories.size() > 1 || types->categories.front() != "Gene Expression"))
    notes.push_back("the features are not all genes: " + count_levels(*types) +
                    "; column feature_type tells them apart");
  const Column* genomes = var.find("genome");
  if (genomes && genomes->categories.size() > 1)
    notes.push_back("features of several genomes: " + count_levels(*genomes));
  return notes;
}

std::unique_ptr<CellSource> TenxFile::open_matrix(const std::string& name) {
  if (name != info_.name && name != "X")
    throw UsageError(fmt::format("{} has no matrix '{}' (has: {})", path_, name, info_.name),
                     {.file = path_, .field = name, .reason = "missing_matrix"});
  return open_source_(var_);
}

Embedding TenxFile::read_obsm(const std::string& key) {
  throw UsageError(fmt::format("{} has no obsm '{}': 10x files hold counts only", path_, key),
                   {.file = path_, .field = key, .reason = "missing_obsm"});
}

}  // namespace scvet::io
