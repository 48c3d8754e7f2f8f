// Names, places and parameters of a task's runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

// The cleaned base name of a file or folder; "input" where nothing of it is left.
std::string clean_input(const std::string& path);
// The cleaned name; UsageError where nothing of it is left.
std::string required_name(const std::string& run_name);
// <runs>/<task>/YYYYmmdd-HHMMSS_<method>_<input>, with -2, -3, ... where that exists.
std::string new_run_folder(const std::string& runs, const TaskRequest& request, const std::string& input);
// What params.json says.
nlohmann::json task_parameters(const TaskOptions& options, const TaskPlaces& places, const TaskRequest& request);
// A shell script that repeats the command from the current folder.
std::string command_script(const std::vector<std::string>& arguments);

}  // namespace scvet::jobs
