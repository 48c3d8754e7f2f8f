// Where the benchmark's tables lie and what they hold (docs/benchmark.md).
#pragma once

#include <string>
#include <vector>

#include "benchmark_score.h"
#include "scvet/jobs/benchmark.h"

namespace scvet::jobs {

// Of one method under <results>/benchmark; `clustering` as in the options.
class BenchmarkTables {
 public:
  BenchmarkTables(std::string results, std::string method, std::string clustering);
  // The tables of a sample: scores of each group, cluster labels and, where asked for, details. Returns their paths.
  std::vector<std::string> write_sample(const std::string& sample_id, const EmbeddingCells& cells,
                                        const SampleScores& scores, const BenchmarkOptions& options) const;
  // Rows of a sample's table of one group, as write_sample left it; nothing where there is none.
  std::vector<ScoreRow> read_sample(const std::string& sample_id, const std::string& group) const;
  // Long and wide table of the group over these rows, and the versions of the metrics. Returns their paths.
  std::vector<std::string> write_combined(const std::string& group, const std::vector<ScoreRow>& rows,
                                          bool peer_wide) const;
  std::vector<std::string> write_versions(const std::vector<std::string>& groups) const;

 private:
  std::string group_name(const std::string& group) const;  // bio_conservation_leiden
  std::string sample_path(const std::string& folder, const std::string& sample_id, const std::string& ending) const;
  std::string root_, method_, infix_, column_;
};

}  // namespace scvet::jobs
