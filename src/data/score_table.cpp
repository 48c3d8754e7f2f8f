#include "scvet/data/score_table.h"

#include <cmath>
#include <map>
#include <set>

#include "scvet/base/text.h"

namespace scvet {
namespace {

std::string number_field(double value) { return std::isnan(value) ? std::string() : format_number(value); }

}  // namespace

std::string scores_to_csv(std::span<const ScoreRow> rows) {
  std::string text = "sample_id,method,metric,value,note,metric_group,n_cells,n_dims,n_labels,n_batches\n";
  for (const ScoreRow& row : rows) {
    const std::string fields[] = {
        csv_field(row.sample_id),     csv_field(row.method),
        csv_field(row.metric),        number_field(row.value),
        csv_field(row.note),          csv_field(row.metric_group),
        std::to_string(row.n_cells),  std::to_string(row.n_dims),
        std::to_string(row.n_labels), row.n_batches < 0 ? std::string() : std::to_string(row.n_batches)};
    text += join(fields, ",") + "\n";
  }
  return text;
}

std::string scores_to_wide_csv(std::span<const ScoreRow> rows, bool drop_undefined) {
  struct Line {
    std::string sample_id, method;
    std::map<std::string, double> values;
    bool defined = false;
  };
  std::vector<Line> lines;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  std::set<std::string> metrics;
  for (const ScoreRow& row : rows) {
    metrics.insert(row.metric);
    const auto [at, added] = place.try_emplace({row.sample_id, row.method}, lines.size());
    if (added) lines.push_back({row.sample_id, row.method, {}, false});
    Line& line = lines[at->second];
    line.values[row.metric] = row.value;
    line.defined = line.defined || !std::isnan(row.value);
  }
  std::string text = "sample_id,method";
  for (const std::string& metric : metrics) text += "," + csv_field(metric);
  text += "\n";
  for (const Line& line : lines) {
    if (drop_undefined && !line.defined) continue;
    text += csv_field(line.sample_id) + "," + csv_field(line.method);
    for (const std::string& metric : metrics) {
      const auto value = line.values.find(metric);
      text += "," + (value == line.values.end() ? std::string() : number_field(value->second));
    }
    text += "\n";
  }
  return text;
}

}  // namespace scvet
