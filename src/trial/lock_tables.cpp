#include "scvet/trial/lock_tables.h"

#include <cmath>
#include <cstdio>
#include <optional>

#include "canonical_json.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::trial {
namespace {

// A name in a table may not break its lines. Only names are checked: numbers cannot.
const std::string& checked(const std::string& name) {
  if (name.find_first_of("\t\r\n") != std::string::npos)
    throw DataError("a name holds a tab or a line end, which a table cannot hold: " + Json(name).dump(-1, ' ', true) +
                    "; rename it in the input");
  return name;
}

// Reads a table whose header is known; every complaint names the file and the line.
class TableReader {
 public:
  TableReader(std::string_view text, const std::string& where, const std::string& header) : text_(text), where_(where) {
    if (!text.empty() && text.back() != '\n') fail("the last line has no line end");
    if (!next() || join(fields_, "\t") != header) fail("expected the header '" + header + "'");
    width_ = fields_.size();
  }
  bool next() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = text_.find('\n', at_);
    fields_ = split(text_.substr(at_, end - at_), '\t');
    at_ = end + 1;
    ++line_;
    if (width_ != 0 && fields_.size() != width_)
      fail("expected " + std::to_string(width_) + " fields, found " + std::to_string(fields_.size()));
    return true;
  }
  const std::string& text(std::size_t column) const { return fields_[column]; }
  double real(std::size_t column) const {
    const auto value = parse_real(fields_[column]);
    if (!value || !std::isfinite(*value)) fail("'" + fields_[column] + "' is not a finite number as %.17g writes it");
    return *value;
  }
  std::int64_t integer(std::size_t column) const {
    const auto value = parse_integer(fields_[column]);
    if (!value || std::to_string(*value) != fields_[column]) fail("'" + fields_[column] + "' is not an integer");
    return *value;
  }
  // train, val, test; `train` false: one of the last two.
  std::string part(std::size_t column) const {
    const std::string& name = fields_[column];
    if (name != "val" && name != "test" && name != "train") fail("'" + name + "' is not train, val or test");
    return name;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(where_ + ", line " + std::to_string(line_) + ": " + what, {.file = where_, .row = line_ - 1});
  }

 private:
  std::string_view text_;
  std::string where_;
  std::vector<std::string> fields_;
  std::size_t at_ = 0, width_ = 0;
  std::int64_t line_ = 0;
};

constexpr const char* kRowsHeader = "row_id\ttarget_gene\tn_cells\tn_finite\teligible\treason";
constexpr const char* kSplitHeader = "row_id\ttarget_gene\tsplit\tfold";
constexpr const char* kLabelsHeader = "row_id\ty";
constexpr const char* kFixedHeader = "row_id\tsplit\tMAG_ONLY\tBASELINE";

std::string finite_text(double value) {
  if (!std::isfinite(value)) throw InternalError("a number that is not finite would go into a table of the trial");
  return real_text(value);
}

}  // namespace

std::string real_text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  // A locale with another decimal point may be set by a host program.
  for (char* at = buffer; *at; ++at)
    if (*at == ',') *at = '.';
  return buffer;
}

std::string rows_tsv(const std::vector<RowLine>& rows) {
  std::string text = std::string(kRowsHeader) + "\n";
  for (const RowLine& row : rows)
    text += checked(row.row_id) + "\t" + checked(row.target_gene) + "\t" + std::to_string(row.n_cells) + "\t" +
            (row.n_finite < 0 ? "" : std::to_string(row.n_finite)) + "\t" + (row.eligible ? "1" : "0") + "\t" +
            checked(row.reason) + "\n";
  return text;
}

std::vector<RowLine> parse_rows(std::string_view text, const std::string& where) {
  std::vector<RowLine> rows;
  TableReader reader(text, where, kRowsHeader);
  while (reader.next()) {
    RowLine row{reader.text(0), reader.text(1), reader.integer(2), -1, reader.text(4) == "1", reader.text(5)};
    if (!reader.text(3).empty() && (row.n_finite = reader.integer(3)) < 0) reader.fail("n_finite is negative");
    if (!row.eligible && reader.text(4) != "0") reader.fail("eligible must be 0 or 1");
    if (row.eligible != row.reason.empty()) reader.fail("a row has a reason when it is not eligible, and only then");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string split_tsv(const std::vector<SplitLine>& rows) {
  std::string text = std::string(kSplitHeader) + "\n";
  for (const SplitLine& row : rows)
    text += checked(row.row_id) + "\t" + checked(row.target_gene) + "\t" + row.split + "\t" + std::to_string(row.fold) +
            "\n";
  return text;
}

std::vector<SplitLine> parse_split(std::string_view text, const std::string& where) {
  std::vector<SplitLine> rows;
  TableReader reader(text, where, kSplitHeader);
  while (reader.next()) {
    rows.push_back({reader.text(0), reader.text(1), reader.part(2), static_cast<std::int32_t>(reader.integer(3))});
    const bool in_train = rows.back().split == "train";
    if (in_train ? reader.integer(3) < 0 || reader.integer(3) > 1000 : reader.integer(3) != -1)
      reader.fail("fold must be 0 or more in train, and -1 elsewhere");
  }
  return rows;
}

std::string labels_tsv(const std::vector<LabelLine>& rows) {
  std::string text = std::string(kLabelsHeader) + "\n";
  for (const LabelLine& row : rows) text += checked(row.row_id) + "\t" + finite_text(row.y) + "\n";
  return text;
}

std::vector<LabelLine> parse_labels(std::string_view text, const std::string& where) {
  std::vector<LabelLine> rows;
  TableReader reader(text, where, kLabelsHeader);
  while (reader.next()) rows.push_back({reader.text(0), reader.real(1)});
  return rows;
}

std::string fixed_tsv(const std::vector<FixedLine>& rows) {
  std::string text = std::string(kFixedHeader) + "\n";
  for (const FixedLine& row : rows)
    text += checked(row.row_id) + "\t" + row.split + "\t" + finite_text(row.mag_only) + "\t" +
            finite_text(row.baseline) + "\n";
  return text;
}

std::vector<FixedLine> parse_fixed(std::string_view text, const std::string& where) {
  std::vector<FixedLine> rows;
  TableReader reader(text, where, kFixedHeader);
  while (reader.next()) rows.push_back({reader.text(0), reader.part(1), reader.real(2), reader.real(3)});
  return rows;
}

namespace {
constexpr const char* kPredictors[] = {"MODEL", "GAUSSIAN", "SHUFFLE"};

std::string predictions_header(const std::vector<std::uint32_t>& seeds) {
  std::string header = "row_id\tsplit";
  for (const char* predictor : kPredictors)
    for (const std::uint32_t seed : seeds) header += std::string("\t") + predictor + ":" + std::to_string(seed);
  return header;
}

// The seeds that the header's MODEL columns name.
std::vector<std::uint32_t> header_seeds(std::string_view text) {
  std::vector<std::uint32_t> seeds;
  for (const std::string& name : split(text.substr(0, text.find('\n')), '\t'))
    if (name.starts_with("MODEL:")) {
      const auto seed = parse_integer(std::string_view(name).substr(6));
      if (seed && *seed >= 0 && *seed <= UINT32_MAX) seeds.push_back(static_cast<std::uint32_t>(*seed));
    }
  return seeds;
}
}  // namespace

std::string predictions_tsv(const PredictionsTable& table) {
  std::string text = predictions_header(table.seeds) + "\n";
  for (std::size_t row = 0; row < table.row_id.size(); ++row) {
    text += checked(table.row_id[row]) + "\t" + table.split[row];
    for (const auto* predictor : {&table.model, &table.gaussian, &table.shuffle})
      for (const std::vector<double>& of_seed : *predictor) text += "\t" + finite_text(of_seed.at(row));
    text += "\n";
  }
  return text;
}

PredictionsTable parse_predictions(std::string_view text, const std::string& where) {
  PredictionsTable table;
  table.seeds = header_seeds(text);
  TableReader reader(text, where, predictions_header(table.seeds));
  const std::size_t n_seeds = table.seeds.size();
  for (auto* predictor : {&table.model, &table.gaussian, &table.shuffle}) predictor->resize(n_seeds);
  while (reader.next()) {
    table.row_id.push_back(reader.text(0));
    table.split.push_back(reader.part(1));
    if (table.split.back() == "train") reader.fail("predictions of train rows are not stored");
    std::size_t column = 2;
    for (auto* predictor : {&table.model, &table.gaussian, &table.shuffle})
      for (std::vector<double>& of_seed : *predictor) of_seed.push_back(reader.real(column++));
  }
  return table;
}

}  // namespace scvet::trial
