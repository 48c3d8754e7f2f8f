// The page of a folder of results: every method that was scored or probed there.
#pragma once

#include <string>

namespace scvet::jobs {

// Makes <results>/benchmark/report.html and report.md anew from the long tables and the geometry tables under `results`,
// and returns the path of the first; "" where there are no tables. Where both clusterings were run, the page shows
// `clustering`; "": leiden if it was run.
std::string refresh_benchmark_page(const std::string& results, const std::string& clustering);

}  // namespace scvet::jobs
