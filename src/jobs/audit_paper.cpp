#include "audit_paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

constexpr const char* kEngine = "lsh";
constexpr const char* kNull = "uniform";

[[noreturn]] void refuse(const std::string& flag, const std::string& found, const std::string& wanted) {
  throw UsageError(
      fmt::format("--paper is the published recipe, engine {} with null {}, but {} says {}; leave out {} or "
                  "--paper",
                  kEngine, kNull, flag, found, flag),
      {.field = flag, .reason = "--paper needs " + wanted});
}

std::string number(double value) { return std::isnan(value) ? "undefined" : fmt::format("{:.3f}", value); }
std::string percent(double share) { return std::isnan(share) ? "undefined" : format_percent(share, 2); }

}  // namespace

const char* const kUniformWarning =
    "The null uniform asks whether a cell is a random gene set. Nearly every real cell is not, whether or not it was in the "
    "corpus: its p never shows membership, and no verdict rests on it.";

AuditJobOptions with_paper(AuditJobOptions options) {
  if (!options.paper) return options;
  if (options.engine_given && options.engine != kEngine) refuse("--engine", options.engine, kEngine);
  if (options.null_given && options.nulls != std::vector<std::string>{kNull})
    refuse("--null", join(options.nulls, " "), kNull);
  options.engine = kEngine;
  options.nulls = {kNull};
  return options;
}

PaperLine paper_line(const audit::DatasetAudit& outcome, bool uniform) {
  PaperLine line;
  line.null = uniform ? kNull : "same_cell";
  line.n = static_cast<std::int64_t>(outcome.cells.size());
  double sum = 0;
  std::int64_t with_genes = 0;
  for (const audit::CellOutcome& cell : outcome.cells) {
    const double jstar = cell.best.jaccard();
    sum += jstar;
    line.max_jstar = std::isnan(line.max_jstar) ? jstar : std::max(line.max_jstar, jstar);
    with_genes += cell.size > 0;
    line.n_no_candidate += cell.no_candidate;
    const double p = uniform ? cell.p_uniform : cell.p_same;
    if (std::isnan(p)) continue;
    ++line.n_p;
    line.n_05 += p < .05;
    line.n_01 += p < .01;
  }
  const auto share = [](std::int64_t part, std::int64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : audit::kNaN;
  };
  if (line.n > 0) line.mean_jstar = sum / static_cast<double>(line.n);
  line.share_05 = share(line.n_05, line.n_p);
  line.share_01 = share(line.n_01, line.n_p);
  line.share_no_candidate = share(line.n_no_candidate, with_genes);
  return line;
}

std::string paper_sentence(const PaperLine& line, const std::string& engine) {
  std::string text = fmt::format(
      "n {}, mean J* {}, max J* {}, p < 0.05 {}, p < 0.01 {}, without a candidate {} (engine {}, "
      "null {}",
      format_count(line.n), number(line.mean_jstar), number(line.max_jstar), percent(line.share_05),
      percent(line.share_01), percent(line.share_no_candidate), engine, line.null);
  if (line.n_p < line.n) text += fmt::format(", {} cells have no p", format_count(line.n - line.n_p));
  return text + ")";
}

std::span<const PublishedRow> published_rows() {
  static constexpr PublishedRow kRows[] = {{"PBMC 3k", 2700, .494, .656, .804, .0285, "contaminated"},
                                           {"pancreatic islet", 11583, .473, .672, .770, .0420, "contaminated"},
                                           {"AIDA v2", 50000, .155, .383, 0, 0, "clean"},
                                           {"Tahoe-100M", 50000, .028, .336, 0, 0, "clean"}};
  return kRows;
}

}  // namespace scvet::jobs
