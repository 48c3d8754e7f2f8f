// The report of a benchmark: one self-contained HTML page of scores and geometry, and the same as Markdown. A function
// of the tables alone; docs/benchmark-report.md says how to read it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scvet/data/score_table.h"

namespace scvet::jobs {

// What a method is to the reader of a table.
enum class MethodRole { kMethod, kFloor, kCeiling };

struct ReportedMethod {
  std::string name;   // as in the tables
  std::string label;  // for people; "": the name
  MethodRole role = MethodRole::kMethod;
  std::string role_text;     // of controls: the floor of every metric, the ceiling of batch mixing, ...
  bool uses_labels = false;  // never to be ranked with those that do not
  std::string made_by;       // what gave the embeddings: scvet 0.1.0, a command, a file of unknown origin
};

// One row of the geometry table: values by the names of its columns, those that are empty left out.
struct ReportedGeometry {
  std::string sample_id, method;
  std::vector<std::pair<std::string, double>> values;
  std::string failure;  // why the row is incomplete; "" where it is not
};

struct CarriedTable {
  std::string name;     // pca_bio_conservation_leiden_metrics_long.csv
  std::string content;  // the file
};

struct BenchmarkReport {
  std::vector<ScoreRow> scores;            // rows of any samples, methods and groups, extras too
  std::vector<ReportedGeometry> geometry;  // may be empty
  std::vector<ReportedMethod> methods;     // those missing here are shown by their names, as methods
  std::vector<std::pair<std::string, std::string>>
      facts;                         // how it was computed: clustering, neighbours, seeds, version
  std::vector<CarriedTable> tables;  // can be downloaded from the page
};

// The roles of the controls that this version has (random, oracle, the shuffles): by name; others are methods.
ReportedMethod reported_method(const std::string& name);

std::string benchmark_report_html(const BenchmarkReport& report);
std::string benchmark_report_markdown(const BenchmarkReport& report);

// <folder>/report.html and report.md. The same input gives the same bytes.
void write_benchmark_report(const std::string& folder, const BenchmarkReport& report);

}  // namespace scvet::jobs
