#include "benchmark_tables.h"

#include <cmath>
#include <filesystem>

#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/io/text_table.h"
#include "scvet/metrics/metric.h"

namespace scvet::jobs {
namespace {

std::string field(double value) { return std::isnan(value) ? std::string() : format_number(value); }

std::string tsv_field(const std::string& text) {
  std::string plain = text;
  for (char& letter : plain)
    if (letter == '\t' || letter == '\n' || letter == '\r') letter = ' ';
  return plain;
}

const std::string& name_of(const Groups& groups, std::int64_t cell) {
  return groups.names[static_cast<std::size_t>(groups.of_cell[static_cast<std::size_t>(cell)])];
}

std::string labels_tsv(const std::string& sample_id, const std::string& method, const std::string& column,
                       const EmbeddingCells& cells, const SampleScores& scores) {
  std::string text = "sample_id\tmethod\tbarcode\ttrue_label\t" + column + "\n";
  for (std::size_t at = 0; at < scores.clusters.size(); ++at) {
    const std::string fields[] = {tsv_field(sample_id), tsv_field(method),
                                  tsv_field(cells.obs.names[static_cast<std::size_t>(scores.bio_part.cells[at])]),
                                  tsv_field(name_of(scores.bio_part.labels, static_cast<std::int64_t>(at))),
                                  std::to_string(scores.clusters[at])};
    text += join(fields, "\t") + "\n";
  }
  return text;
}

std::string label_details(const ScoredPart& part) {
  std::string text;
  for (const MetricDetail& detail : part.details)
    for (const metrics::LabelValue& value : detail.labels)
      text += csv_field(detail.metric) + "," + csv_field(part.labels.names[static_cast<std::size_t>(value.label)]) +
              "," + field(value.value) + "," + csv_field(value.note) + "\n";
  return text;
}

std::string cell_details(const EmbeddingCells& cells, const ScoredPart& part) {
  std::string text = "barcode,label,batch";
  for (const MetricDetail& detail : part.details)
    if (!detail.cells.empty()) text += "," + csv_field(detail.metric);
  text += "\n";
  for (std::size_t at = 0; at < part.cells.size(); ++at) {
    text += csv_field(cells.obs.names[static_cast<std::size_t>(part.cells[at])]) + "," +
            csv_field(name_of(part.labels, static_cast<std::int64_t>(at))) + ",";
    if (!part.batches.names.empty()) text += csv_field(name_of(part.batches, static_cast<std::int64_t>(at)));
    for (const MetricDetail& detail : part.details)
      if (!detail.cells.empty()) text += "," + field(detail.cells[at]);
    text += "\n";
  }
  return text;
}

}  // namespace

BenchmarkTables::BenchmarkTables(std::string results, std::string method, std::string clustering)
    : root_(std::move(results) + "/benchmark"),
      method_(std::move(method)),
      infix_(clustering == "leiden" ? "_leiden" : ""),
      column_(std::move(clustering) + "_label") {}

std::string BenchmarkTables::group_name(const std::string& group) const {
  return group == "extra" ? group : group + infix_;
}

std::string BenchmarkTables::sample_path(const std::string& folder, const std::string& sample_id,
                                         const std::string& ending) const {
  return root_ + "/" + folder + "/" + method_ + "/" + sample_id + "_" + method_ + ending;
}

std::vector<std::string> BenchmarkTables::write_sample(const std::string& sample_id, const EmbeddingCells& cells,
                                                       const SampleScores& scores,
                                                       const BenchmarkOptions& options) const {
  std::vector<std::string> written;
  const auto write = [&](const std::string& path, const std::string& text) {
    write_file(path, text);
    written.push_back(path);
  };
  for (const auto* rows : {&scores.bio, &scores.batch, &scores.extra})
    if (!rows->empty())
      write(sample_path(group_name(rows->front().metric_group) + "_metrics", sample_id, ".csv"), scores_to_csv(*rows));
  if (!scores.bio.empty())
    write(sample_path("bio_conservation" + infix_ + "_predictions", sample_id, "_" + column_ + "s.tsv"),
          labels_tsv(sample_id, method_, column_, cells, scores));
  if (options.details) {
    write(sample_path("details", sample_id, "_labels.csv"),
          "metric,label,value,note\n" + label_details(scores.bio_part) + label_details(scores.batch_part));
    write(sample_path("details", sample_id, "_cells.csv"), cell_details(cells, scores.bio_part));
    if (!scores.batch_part.cells.empty())
      write(sample_path("details", sample_id, "_batch_cells.csv"), cell_details(cells, scores.batch_part));
  }
  return written;
}

std::vector<ScoreRow> BenchmarkTables::read_sample(const std::string& sample_id, const std::string& group) const {
  const std::string path = sample_path(group_name(group) + "_metrics", sample_id, ".csv");
  if (!std::filesystem::exists(path)) return {};
  return read_scores(path);
}

std::vector<std::string> BenchmarkTables::write_combined(const std::string& group, const std::vector<ScoreRow>& rows,
                                                         bool peer_wide) const {
  const std::string start = root_ + "/" + method_ + "_" + group_name(group) + "_metrics";
  write_file(start + "_long.csv", scores_to_csv(rows));
  write_file(start + "_wide.csv", scores_to_wide_csv(rows, peer_wide));
  return {start + "_long.csv", start + "_wide.csv"};
}

std::vector<std::string> BenchmarkTables::write_versions(const std::vector<std::string>& groups) const {
  std::string text =
      "metric,metric_group,family,implementation,definition_version,source,least,most,chance,undefined\n";
  for (const std::string& group : groups)
    for (const metrics::MetricRecord* record : metrics::metrics_of(group)) {
      const std::string fields[] = {csv_field(record->name),      csv_field(record->group),
                                    csv_field(record->family),    std::string("scvet ") + version(),
                                    csv_field(record->version),   csv_field(record->source),
                                    format_number(record->least), format_number(record->most),
                                    csv_field(record->chance),    csv_field(record->undefined)};
      text += join(fields, ",") + "\n";
    }
  const std::string path = root_ + "/" + method_ + "_metric_versions.csv";
  write_file(path, text);
  return {path};
}

}  // namespace scvet::jobs
