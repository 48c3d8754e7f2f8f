// FILE, DIR and GLOB arguments as lists of files, and the names that outputs get from them.
#pragma once

#include <string>
#include <vector>

namespace scvet::jobs {

struct SampleFile {
  std::string path;
  std::string sample_id;  // file name without its extension
};

// A folder stands for its files that end in `extension`, a pattern (* ? [ ]) for the files and folders it matches,
// anything else for itself, a folder of another format (zarr, 10x mtx) included. Ascending by path, each once.
// UsageError where a path is missing, a pattern matches nothing, or a folder has no such file; `flag` names the
// argument in the message.
std::vector<std::string> expand_paths(const std::vector<std::string>& arguments, const std::string& flag,
                                      const std::string& extension = ".h5ad");

// The same with the names of the samples. UsageError where two files have one name, as their outputs would collide.
std::vector<SampleFile> sample_files(const std::vector<std::string>& arguments, const std::string& flag,
                                     const std::string& extension = ".h5ad");

// As in the name of a run: without .h5ad, each run of characters outside [A-Za-z0-9_.-] becomes one '-', and '-' and
// '.' are trimmed at the ends. May be "".
std::string clean_name(const std::string& name);

}  // namespace scvet::jobs
