// An embedding written as every method's file is, and an eye on files that hold the same numbers.
#pragma once

#include <string>

#include "embed_input.h"
#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

// <results>/embeddings/<method>/<stem>.h5ad.
std::string embedding_path(const TaskPlaces& places, const std::string& method, const std::string& input);

// Checks the shape (InternalError) and writes the file; adds it and the facts about it to the record. DataError where
// no cell at all could be embedded. Warns of cells that could not be, and of other methods' files of this sample that
// hold the same numbers.
void write_method_output(TaskRun& run, const TaskRequest& request, EmbedInput& input,
                         const embed::MethodOutput& output);

// The methods below `embeddings` (a folder a method) whose file of this name holds the same numbers as `path`,
// ascending, that of `path` left out.
std::vector<std::string> methods_with_same_numbers(const std::string& embeddings, const std::string& path);

}  // namespace scvet::jobs
