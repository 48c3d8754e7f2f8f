// Cells to embeddings: one run a method and file, one embedding file each. docs/embed.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

struct ExternalOptions {
  std::string name;             // the method's name in folders and tables
  std::string command;          // for /bin/sh
  std::string output = "h5ad";  // what it writes: h5ad, npy, parquet, csv
  double timeout = 0;           // seconds; 0: none
  std::int64_t memory_mib = 0;  // address space of each of its processes; 0: no limit
};

struct EmbedOptions {
  TaskOptions task;
  std::string method;             // in any case
  std::vector<std::string> data;  // files, folders, patterns
  std::string label_key = "cell_type", batch_key = "batch_id";
  bool batch_key_given = false;
  std::string layer;   // "": X
  bool as_is = false;  // --values as-is: values that are no counts are taken all the same, and the record says so
  std::string model, batch_size;                  // for methods with a network, and external programs
  std::map<std::string, std::string> parameters;  // by name, as given
  std::uint64_t seed = 42;
  ExternalOptions external;
};

// Names of the parameters that some method takes, or that the peer's methods took, with what they are for.
struct EmbedParameter {
  std::string name, help;
};
std::vector<EmbedParameter> embed_parameters();

// Writes <results>/embeddings/<method>/<stem>.h5ad for every file: X dense float32, one row a cell in the file's order
// (NaN where the cell could not be embedded, the reason in obs scvet_missing_reason), obs as in the file. UsageError on
// an unknown method or flag; what concerns one file is that run's failure.
std::vector<TaskOutcome> embed_files(const EmbedOptions& options);

// For `list methods`: the methods here, then those of the peer that this version does not have.
struct MethodRow {
  std::string method, name, category;
  bool gpu = false;
  std::string tasks;      // "check, embed"
  std::string container;  // none: everything is in the program
  bool available = true;
};
std::vector<MethodRow> list_methods(const std::string& task);  // task "": all; UsageError on an unknown one

struct TaskRow {
  std::string task, status, description;  // status: available, or "not in this version"
};
std::vector<TaskRow> list_tasks();

}  // namespace scvet::jobs
