#include "check_methods.h"

#include <algorithm>
#include <array>

#include "scvet/base/error.h"
#include "scvet/base/registry.h"
#include "scvet/base/text.h"
#include "scvet/embed/method.h"

namespace scvet::jobs {
namespace {

// Methods of the peer, which a file may be checked for wherever it is embedded.
constexpr std::array kPeerMethods = {
    "c2s",     "cellama", "cellfm",      "cellplm",    "geneformer",   "genept", "harmony",          "langcell",
    "novae",   "pca",     "scbert",      "sccello",    "scfoundation", "scgpt",  "scgpt_integrated", "scimilarity",
    "scprint", "scvi",    "scvi_denovo", "seurat_cca", "seurat_rpca",  "uce"};

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* other) { return name == other; });
}

const embed::MethodRecord* record_of(const std::string& name) {
  for (const embed::MethodRecord* record : embed::methods())
    if (name == record->name) return record;
  return nullptr;
}

}  // namespace

MethodNeeds method_needs(const std::string& name) {
  MethodNeeds needs;
  if (name.empty()) return needs;
  needs.name = lower(name) == "genept_w" ? "genept" : lower(name);
  const embed::MethodRecord* record = record_of(needs.name);
  if (!record && std::find(kPeerMethods.begin(), kPeerMethods.end(), needs.name) == kPeerMethods.end()) {
    std::vector<std::string> names = variant_names(embed::methods());
    names.insert(names.end(), kPeerMethods.begin(), kPeerMethods.end());
    names = sorted_distinct(names);
    std::string message = "unknown method '" + name + "'";
    if (const auto near = nearest_name(needs.name, names)) message += "; did you mean '" + *near + "'?";
    throw UsageError(message + " (known: " + join(names, ", ") + ")", {.field = "--method"});
  }
  needs.ensembl =
      is_one_of(needs.name, {"geneformer", "scprint"}) || (record && std::string_view(record->gene_ids) == "ensembl");
  needs.integration =
      is_one_of(needs.name, {"harmony", "scgpt_integrated", "scvi_denovo", "seurat_cca", "seurat_rpca"}) ||
      (record && record->needs_batches && std::string_view(record->category) == "integration");
  needs.seurat_anchors = is_one_of(needs.name, {"seurat_cca", "seurat_rpca"});
  needs.spatial = needs.name == "novae";
  needs.counts = record && std::string_view(record->values) == "counts";
  return needs;
}

std::vector<MethodEstimate> method_estimates(const std::string& name, std::int64_t n_cells, std::int64_t n_genes,
                                             std::int64_t stored) {
  std::vector<MethodEstimate> estimates;
  for (const embed::MethodRecord* record : embed::methods()) {
    if (!name.empty() && name != record->name) continue;
    if (!record->estimate_bytes || !record->estimate_seconds) continue;
    estimates.push_back({record->name, record->label, record->gene_ids,
                         record->estimate_bytes(n_cells, n_genes, stored),
                         record->estimate_seconds(n_cells, n_genes, stored)});
  }
  return estimates;
}

}  // namespace scvet::jobs
