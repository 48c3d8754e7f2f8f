// Methods and tasks as `list` shows them, and the names of the peer's methods that this version does not have.
#include "method_list.h"

#include <algorithm>
#include <array>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/embed/method.h"
#include "scvet/jobs/embed.h"

namespace scvet::jobs {
namespace {

struct PeerMethod {
  const char* name;
  const char* label;
  const char* category;
  bool gpu;
  const char* tasks;
};
constexpr const char* kModelTasks = "download, check, embed, transfer";
constexpr std::array kPeerMethods = {
    PeerMethod{"c2s", "Cell2Sentence", "model", true, kModelTasks},
    PeerMethod{"cellama", "CELLama", "model", true, kModelTasks},
    PeerMethod{"cellfm", "CellFM", "model", true, kModelTasks},
    PeerMethod{"cellplm", "CellPLM", "model", true, kModelTasks},
    PeerMethod{"geneformer", "Geneformer", "model", true, kModelTasks},
    PeerMethod{"genept", "GenePT", "model", false, kModelTasks},
    PeerMethod{"harmony", "Harmony", "integration", false, "check, embed"},
    PeerMethod{"langcell", "LangCell", "model", true, kModelTasks},
    PeerMethod{"novae", "Novae", "model", true, "download, check, embed"},
    PeerMethod{"pca", "Principal components", "baseline", false, "check, embed"},
    PeerMethod{"scbert", "scBERT", "model", true, kModelTasks},
    PeerMethod{"sccello", "scCello", "model", true, kModelTasks},
    PeerMethod{"scfoundation", "scFoundation", "model", true, kModelTasks},
    PeerMethod{"scgpt", "scGPT", "model", true, kModelTasks},
    PeerMethod{"scgpt_integrated", "scGPT, fitted to batches", "integration", true, "check, embed"},
    PeerMethod{"scimilarity", "SCimilarity", "model", true, kModelTasks},
    PeerMethod{"scprint", "scPRINT", "model", true, kModelTasks},
    PeerMethod{"scvi", "scVI of the Census", "model", true, kModelTasks},
    PeerMethod{"scvi_denovo", "scVI, fitted to the file", "integration", true, "check, embed"},
    PeerMethod{"seurat_cca", "Seurat CCA", "integration", false, "check, embed"},
    PeerMethod{"seurat_rpca", "Seurat RPCA", "integration", false, "check, embed"},
    PeerMethod{"uce", "UCE", "model", true, kModelTasks}};

constexpr std::array kTasks = {std::pair{"prepare", "name genes, cells and batches as every other task expects them"},
                               std::pair{"check", "can this file be embedded and scored?"},
                               std::pair{"download", "fetch model weights"},
                               std::pair{"embed", "cells to embeddings, one file a method and input"},
                               std::pair{"transfer", "labels of a reference to a query"},
                               std::pair{"finetune", "train a model on labels"},
                               std::pair{"benchmark", "score embeddings: biology kept, batches mixed"},
                               std::pair{"geometry", "probe the shape of embeddings"}};
// Tasks whose command this version has.
constexpr std::array kAvailable = {"prepare", "check", "embed", "benchmark", "geometry"};

bool is_ours(const std::string& name) {
  const auto names = variant_names_of_methods();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> variant_names_of_methods() {
  std::vector<std::string> names;
  for (const embed::MethodRecord* record : embed::methods()) names.emplace_back(record->name);
  return names;
}

void refuse_peer_method(const std::string& name) {
  const std::string plain = name == "genept_w" ? "genept" : name;
  if (is_ours(plain)) return;
  for (const PeerMethod& method : kPeerMethods)
    if (plain == method.name)
      throw UsageError("--method " + name + " (" + method.label +
                           ") is not available in this version; run it as a "
                           "program of yours with --method external, or see 'scvet list methods' for those that are",
                       {.field = "--method", .reason = "not_available"});
}

std::vector<MethodRow> list_methods(const std::string& task) {
  if (!task.empty() &&
      std::none_of(kTasks.begin(), kTasks.end(), [&](const auto& known) { return task == known.first; })) {
    std::vector<std::string> names;
    for (const auto& [name, description] : kTasks) names.emplace_back(name);
    throw UsageError("--task '" + task + "': expected one of " + join(names, ", "), {.field = "--task"});
  }
  std::vector<MethodRow> rows;
  for (const embed::MethodRecord* record : embed::methods())
    rows.push_back({record->name, record->label, record->category, record->uses_gpu,
                    record->embed ? "check, embed" : "embed", "none", true});
  for (const PeerMethod& method : kPeerMethods)
    if (!is_ours(method.name))
      rows.push_back({method.name, method.label, method.category, method.gpu, method.tasks, "none", false});
  std::erase_if(rows, [&](const MethodRow& row) {
    const std::vector<std::string> tasks = split(row.tasks, ',');
    return !task.empty() &&
           std::none_of(tasks.begin(), tasks.end(), [&](const std::string& one) { return trim(one) == task; });
  });
  return rows;
}

std::vector<TaskRow> list_tasks() {
  std::vector<TaskRow> rows;
  for (const auto& [name, description] : kTasks) {
    const bool here = std::find(kAvailable.begin(), kAvailable.end(), std::string_view(name)) != kAvailable.end();
    rows.push_back({name, here ? "available" : "not in this version", description});
  }
  return rows;
}

}  // namespace scvet::jobs
