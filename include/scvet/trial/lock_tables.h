// The tables of a trial folder: tab-separated, one header line, LF, reals as %.17g, rows in table order (specification
// 14). Each has one writer, which gives the bytes, and one reader, which accepts those bytes only. Readers throw a
// DataError that names file and row; writers throw one for a tab, CR or LF in a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scvet::trial {

std::string real_text(double value);  // %.17g, the only spelling of a real number in a trial folder

// rows.tsv: every row of the design, eligible or not.
struct RowLine {
  std::string row_id, target_gene;
  std::int64_t n_cells = 0;
  std::int64_t n_finite = -1;  // -1: not counted (too few cells), an empty field
  bool eligible = false;
  std::string reason;  // "", min_cells, no_finite_statistic
  bool operator==(const RowLine&) const = default;
};
std::string rows_tsv(const std::vector<RowLine>& rows);
std::vector<RowLine> parse_rows(std::string_view text, const std::string& where);

// split.tsv: eligible rows.
struct SplitLine {
  std::string row_id, target_gene;
  std::string split;       // train, val, test
  std::int32_t fold = -1;  // -1 outside train
  bool operator==(const SplitLine&) const = default;
};
std::string split_tsv(const std::vector<SplitLine>& rows);
std::vector<SplitLine> parse_split(std::string_view text, const std::string& where);

// labels.trainval.tsv and labels.test.tsv.
struct LabelLine {
  std::string row_id;
  double y = 0;
  bool operator==(const LabelLine&) const = default;
};
std::string labels_tsv(const std::vector<LabelLine>& rows);
std::vector<LabelLine> parse_labels(std::string_view text, const std::string& where);

// fixed.tsv: eligible rows, the two predictors that all arms share.
struct FixedLine {
  std::string row_id, split;
  double mag_only = 0, baseline = 0;
  bool operator==(const FixedLine&) const = default;
};
std::string fixed_tsv(const std::vector<FixedLine>& rows);
std::vector<FixedLine> parse_fixed(std::string_view text, const std::string& where);

// predictions.tsv of an arm: val and test rows; one column a predictor and seed, MODEL:20260527.
struct PredictionsTable {
  std::vector<std::uint32_t> seeds;
  std::vector<std::string> row_id, split;
  std::vector<std::vector<double>> model, gaussian, shuffle;  // [seed][row]
  bool operator==(const PredictionsTable&) const = default;
};
std::string predictions_tsv(const PredictionsTable& table);
PredictionsTable parse_predictions(std::string_view text, const std::string& where);

}  // namespace scvet::trial
