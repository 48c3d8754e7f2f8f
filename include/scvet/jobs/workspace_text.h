// What init, list, runs and info print: text for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "scvet/jobs/embed.h"
#include "scvet/jobs/workspace.h"

namespace scvet::jobs {

std::string init_text(const InitResult& result);
std::string init_json(const InitResult& result);

std::string methods_text(const std::vector<MethodRow>& rows);
std::string methods_json(const std::vector<MethodRow>& rows);
std::string tasks_text(const std::vector<TaskRow>& rows);
std::string tasks_json(const std::vector<TaskRow>& rows);

std::string runs_text(const std::vector<RunSummary>& runs);
std::string runs_json(const std::vector<RunSummary>& runs);

// A workspace's places and what is in them; outside one, what a command would use from here.
std::string info_text(const std::string& named_workspace);
std::string info_json(const std::string& named_workspace);

}  // namespace scvet::jobs
