#include "scvet/jobs/embed.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "embed_external.h"
#include "embed_input.h"
#include "embed_output.h"
#include "method_list.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/embed/method.h"
#include "scvet/jobs/paths.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

// Of the peer's methods; those that a method here takes have their help from its record.
constexpr const char* kPeerParameters[] = {"nlayers",
                                           "bin_num",
                                           "top_k",
                                           "scfoundation_pool_type",
                                           "how",
                                           "max_len",
                                           "integration_n_hvg",
                                           "integration_epoch",
                                           "integration_batch_size",
                                           "scvi_n_latent",
                                           "scvi_max_epochs",
                                           "scvi_model",
                                           "seurat_n_hvg",
                                           "seurat_n_pcs",
                                           "scimilarity_use_gpu",
                                           "scvi_use_gpu",
                                           "scprint_save_every",
                                           "ntrunc"};

bool takes(const embed::MethodRecord& method, const std::string& name) {
  return std::any_of(method.parameters.begin(), method.parameters.end(),
                     [&](const embed::MethodParameter& parameter) { return name == parameter.name; });
}

// The given ones that the method has; a warning names the others.
std::map<std::string, std::string> own_parameters(const embed::MethodRecord& method, const EmbedOptions& options) {
  std::map<std::string, std::string> own;
  std::vector<std::string> unused;
  for (const auto& [name, value] : options.parameters) {
    if (takes(method, name))
      own[name] = value;
    else
      unused.push_back("--" + name);
  }
  if (!unused.empty()) log_warning(join(unused, ", ") + ": no effect on method " + method.name);
  return own;
}

void warn_of_unused(const embed::MethodRecord& method, const EmbedOptions& options) {
  if (options.batch_key_given && !method.needs_batches)
    log_warning("--batch-key: no effect on method " + std::string(method.name) + ", which looks at no batch");
  if (!options.model.empty() && !method.needs_weights)
    log_warning("--model: no effect on method " + std::string(method.name) + ", which has no weights");
}

// All that can change what the method gives, defaults written out, so that a later default makes another run.
std::string method_options_json(const embed::MethodRecord& method, const EmbedOptions& options,
                                const std::map<std::string, std::string>& given) {
  json all = {{"parameters", json::object()}};
  for (const embed::MethodParameter& parameter : method.parameters) {
    const auto found = given.find(parameter.name);
    all["parameters"][parameter.name] = found == given.end() ? std::string(parameter.standard) : found->second;
  }
  if (std::string(method.values) != "none") {
    all["matrix"] = options.layer.empty() ? "X" : "layers/" + options.layer;
    all["values"] = options.as_is ? "as-is" : "counts";
  }
  if (method.needs_labels) all["label_key"] = options.label_key;
  if (method.needs_batches) all["batch_key"] = options.batch_key;
  return all.dump();
}

void refuse_external_flags(const EmbedOptions& options) {
  const ExternalOptions& external = options.external;
  if (external.command.empty() && external.name.empty() && external.timeout == 0 && external.memory_mib == 0) return;
  throw UsageError("--name, --command, --timeout and --memory-limit belong to --method external",
                   {.field = "--method"});
}

std::vector<TaskRequest> requests_for(const EmbedOptions& options, const std::string& method,
                                      const std::string& options_json) {
  std::vector<TaskRequest> requests;
  for (const SampleFile& sample : sample_files(options.data, "--data"))
    requests.push_back({.task = "embed",
                        .method = method,
                        .input = sample.path,
                        .options = options_json,
                        .files = {sample.path},
                        .seed = options.seed});
  return requests;
}

embed::MethodOutput run_method(const embed::MethodRecord& method, const EmbedInput& input, const EmbedOptions& options,
                               const std::map<std::string, std::string>& parameters) {
  embed::MethodInput given;
  given.counts = input.counts.view();
  given.cell_names = input.file->obs().names;
  given.gene_names = input.genes;
  given.labels = input.labels ? &*input.labels : nullptr;
  given.batches = input.batches ? &*input.batches : nullptr;
  given.seed = options.seed;
  given.parameters = parameters;
  return method.embed(given);
}

std::vector<TaskOutcome> embed_external_files(EmbedOptions options, const TaskPlaces& places) {
  options.external.name = external_name(options.external);
  const std::vector<TaskRequest> requests =
      requests_for(options, options.external.name, external_options_json(options));
  return run_tasks(options.task, places, requests, [&](std::size_t index, TaskRun& run) {
    EmbedInput input = open_embed_input(requests[index].input);
    write_method_output(run, requests[index], input, run_external(run, input, options));
  });
}

}  // namespace

std::vector<EmbedParameter> embed_parameters() {
  std::vector<EmbedParameter> all;
  const auto known = [&](const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const EmbedParameter& one) { return one.name == name; });
  };
  for (const embed::MethodRecord* method : embed::methods())
    for (const embed::MethodParameter& parameter : method->parameters)
      if (!known(parameter.name))
        all.push_back({parameter.name, std::string(parameter.help) + " (" + parameter.standard + ")"});
  for (const char* name : kPeerParameters)
    if (!known(name)) all.push_back({name, ""});
  return all;
}

std::vector<TaskOutcome> embed_files(const EmbedOptions& options) {
  const std::string name = lower(options.method);
  refuse_peer_method(name);
  const embed::MethodRecord& method = embed::method(name);
  const TaskPlaces places = task_places(options.task);
  if (!method.embed) return embed_external_files(options, places);
  refuse_external_flags(options);
  check_gpu(options.task, method.uses_gpu);
  const std::map<std::string, std::string> parameters = own_parameters(method, options);
  warn_of_unused(method, options);
  const std::vector<TaskRequest> requests =
      requests_for(options, method.name, method_options_json(method, options, parameters));
  return run_tasks(options.task, places, requests, [&](std::size_t index, TaskRun& run) {
    EmbedInput input = read_embed_input(requests[index].input, method, options);
    write_method_output(run, requests[index], input, run_method(method, input, options, parameters));
  });
}

}  // namespace scvet::jobs
