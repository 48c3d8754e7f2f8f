// Which embedding files a command scores, under what name, and the raw counts that belong to them.
#pragma once

#include <string>
#include <vector>

#include "scvet/jobs/paths.h"

namespace scvet::jobs {

// The label of a method in tables and file names: `given`, else the name of the folder that all files lie in. UsageError
// where they lie in several, or the label cannot stand in a file's name.
std::string method_label(const std::string& given, const std::vector<SampleFile>& embeddings);

// For each embedding its file of counts: that of the same stem, or the only one where there is one of each. UsageError
// that lists embeddings without one.
std::vector<SampleFile> data_of(const std::vector<SampleFile>& embeddings, const std::vector<SampleFile>& data);

}  // namespace scvet::jobs
