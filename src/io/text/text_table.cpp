#include "scvet/io/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "text/delimited.h"

namespace scvet::io {
namespace {

bool is_missing_text(std::string_view text) {
  static constexpr std::string_view kMissing[] = {"", "NA", "NaN", "nan", "N/A", "null", "NULL", "None", "<NA>"};
  return std::find(std::begin(kMissing), std::end(kMissing), text) != std::end(kMissing);
}

// 1, 0, or -1 for no boolean, in the spellings of pandas and R.
int parse_boolean(std::string_view text) {
  if (text == "True" || text == "TRUE" || text == "true") return 1;
  return text == "False" || text == "FALSE" || text == "false" ? 0 : -1;
}

bool names_rows(std::string_view header) {
  static constexpr std::string_view kKnown[] = {"index",    "_index",    "cell",         "cells",
                                                "cell_id",  "cellid",    "cell_name",    "barcode",
                                                "barcodes", "obs_names", "cell_barcode", "cellname"};
  return std::find(std::begin(kKnown), std::end(kKnown), lower(header)) != std::end(kKnown);
}

bool is_list_of_10x(const std::string& path) {
  std::string name = lower(base_name(path));
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name.ends_with("barcodes.tsv") || name.ends_with("features.tsv") || name.ends_with("genes.tsv");
}

// What the first pass learns of a column.
struct Scan {
  bool integers = true, numbers = true, booleans = true;
  std::int64_t n_missing = 0;
  std::unordered_set<std::string> distinct;  // kept only for columns that may name the rows
  bool watched = false;
};

void scan_value(Scan& scan, const std::string& value) {
  if (scan.watched) scan.distinct.insert(value);
  if (is_missing_text(value)) {
    ++scan.n_missing;
    return;
  }
  if (scan.booleans && parse_boolean(value) < 0) scan.booleans = false;
  if (scan.integers && !parse_integer(value)) scan.integers = false;
  if (scan.numbers && !scan.integers && !parse_number(value)) scan.numbers = false;
}

// Reads the records of a table twice: to learn its columns, then to fill them.
class TableReader {
 public:
  TableReader(std::string path, const TextTableOptions& options) : path_(std::move(path)), options_(options) {}

  TextTable read() {
    open_table();
    scan();
    choose_names();
    fill();
    return std::move(result_);
  }

 private:
  DataError error(std::int64_t line, const std::string& what) const {
    return DataError(fmt::format("{}, line {}: {}", path_, line, what),
                     {.file = path_, .row = line - 1, .reason = "bad_table"});
  }

  // Comments, delimiter, header.
  void open_table() {
    std::vector<std::string> first;
    DelimitedReader lines(path_, '\0');
    bool found = false;
    while ((found = lines.next(first)) && lines.text().front() == '#')
      result_.comments.emplace_back(trim(std::string_view(lines.text()).substr(1)));
    if (!found) throw DataError(path_ + " holds no table: no line but comments", {.file = path_, .reason = "empty"});
    result_.first_line = lines.text();
    result_.delimiter = detect_delimiter(result_.first_line);
    skipped_ = static_cast<std::int64_t>(result_.comments.size());
    split_fields(result_.first_line, result_.delimiter, first);
    const bool all_numbers = std::all_of(first.begin(), first.end(), [](const std::string& text) {
      return parse_number(text).has_value() && !is_missing_text(text);
    });
    result_.has_header = options_.header.value_or(!all_numbers && !is_list_of_10x(path_));
    std::vector<std::string> second;
    DelimitedReader rows(path_, result_.delimiter);
    skip_to_rows(rows);
    if (result_.has_header) rows.next(second);
    // R leaves the name of the row names out of the header.
    if (result_.has_header && second.size() == first.size() + 1) first.insert(first.begin(), "");
    for (std::size_t column = 0; column < first.size(); ++column) {
      const std::string name = !result_.has_header ? std::to_string(column) : std::string(trim(first[column]));
      result_.header.push_back(name.empty() ? "Unnamed: " + std::to_string(column) : name);
      scans_.emplace_back();
      scans_.back().watched = column == 0 || names_rows(name) || name == options_.name_column;
    }
    first_unnamed_ = result_.has_header && trim(first[0]).empty();
  }

  // Moves a new reader to the first row, past comments and header.
  void skip_to_rows(DelimitedReader& reader) const {
    std::vector<std::string> fields;
    for (std::int64_t line = 0; line < skipped_ + (result_.has_header ? 1 : 0); ++line) reader.next(fields);
  }

  void scan() {
    DelimitedReader reader(path_, result_.delimiter);
    skip_to_rows(reader);
    std::vector<std::string> fields;
    while (reader.next(fields)) {
      if (fields.size() != scans_.size())
        throw error(reader.line_number(),
                    fmt::format("expected {} fields as in the first line, found {}", scans_.size(), fields.size()));
      for (std::size_t column = 0; column < fields.size(); ++column) scan_value(scans_[column], fields[column]);
      if (n_rows_++ % 65536 == 0) throw_if_stopped();
    }
    result_.n_lines = n_rows_ + (result_.has_header ? 1 : 0);
  }

  bool distinct(std::size_t column) const {
    return static_cast<std::int64_t>(scans_[column].distinct.size()) == n_rows_;
  }

  void choose_names() {
    const std::vector<std::string>& header = result_.header;
    if (!options_.name_column.empty()) {
      const auto at = std::find(header.begin(), header.end(), options_.name_column);
      if (at == header.end())
        throw UsageError(
            fmt::format("column '{}' not found in {} (has: {})", options_.name_column, path_, join_some(header, 12)),
            {.file = path_, .field = options_.name_column, .reason = "missing_column"});
      names_ = at - header.begin();
    } else if (first_unnamed_ || names_rows(header[0])) {
      names_ = 0;
    } else {
      for (std::size_t column = 1; column < header.size() && names_ < 0; ++column)
        if (names_rows(header[column]) && distinct(column)) names_ = static_cast<std::ptrdiff_t>(column);
      if (names_ < 0 && !scans_[0].numbers && distinct(0)) names_ = 0;
    }
    if (names_ >= 0) result_.name_from = header[static_cast<std::size_t>(names_)];
  }

  Column make_column(std::size_t at) const {
    const Scan& scan = scans_[at];
    Column column;
    column.name = result_.header[at];
    const bool all_missing = scan.n_missing == n_rows_;
    column.kind = Column::Kind::kString;
    column.dtype = "object";
    if (options_.verbatim) return column;
    if (scan.booleans && !all_missing) {
      column.kind = Column::Kind::kBoolean;
      column.dtype = scan.n_missing > 0 ? "boolean" : "bool";
    } else if (scan.integers && scan.n_missing == 0) {
      column.kind = Column::Kind::kInteger;
      column.dtype = "int64";
    } else if (scan.numbers) {
      column.kind = Column::Kind::kReal;
      column.dtype = "float64";
    }
    return column;
  }

  // The first pass read the same text as a number.
  template <typename T>
  T same_as_scanned(const std::optional<T>& value) const {
    if (!value) throw DataError(path_ + " changed while it was read", {.file = path_, .reason = "storage"});
    return *value;
  }

  void add_number(double value) {
    if (std::isnan(value)) return;
    result_.numeric_sum += value;
    result_.numeric_magnitude += std::abs(value);
  }

  void add_value(Column& column, const std::string& value) {
    const bool missing = !options_.verbatim && is_missing_text(value);
    switch (column.kind) {
      case Column::Kind::kInteger:
        column.integers.push_back(same_as_scanned(parse_integer(value)));
        return add_number(static_cast<double>(column.integers.back()));
      case Column::Kind::kReal:
        column.reals.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                                       : same_as_scanned(parse_number(value)));
        return add_number(column.reals.back());
      case Column::Kind::kBoolean:
        column.integers.push_back(parse_boolean(value) == 1);
        break;
      default:
        column.strings.push_back(missing ? "" : value);
    }
    if (missing && column.missing.empty()) column.missing.resize(static_cast<std::size_t>(column.size()) - 1, 0);
    if (missing || !column.missing.empty()) column.missing.push_back(missing);
  }

  void fill() {
    std::vector<Column> columns;
    for (std::size_t at = 0; at < scans_.size(); ++at) columns.push_back(make_column(at));
    DelimitedReader reader(path_, result_.delimiter);
    skip_to_rows(reader);
    std::vector<std::string> fields;
    Table& table = result_.table;
    for (std::int64_t row = 0; reader.next(fields); ++row) {
      if (row >= n_rows_ || fields.size() != columns.size())
        throw DataError(path_ + " changed while it was read", {.file = path_, .reason = "storage"});
      for (std::size_t at = 0; at < fields.size(); ++at) add_value(columns[at], fields[at]);
      table.names.push_back(names_ < 0 ? std::to_string(row) : fields[static_cast<std::size_t>(names_)]);
      if (row % 65536 == 0) throw_if_stopped();
    }
    for (std::size_t at = 0; at < columns.size(); ++at)
      if (static_cast<std::ptrdiff_t>(at) != names_) table.columns.push_back(std::move(columns[at]));
    if (names_ >= 0 && !first_unnamed_) table.index_name = result_.name_from;
  }

  std::string path_;
  TextTableOptions options_;
  TextTable result_;
  std::vector<Scan> scans_;
  std::int64_t skipped_ = 0, n_rows_ = 0;
  std::ptrdiff_t names_ = -1;
  bool first_unnamed_ = false;
};

}  // namespace

TextTable read_text_table(const std::string& path, const TextTableOptions& options) {
  return TableReader(path, options).read();
}

bool looks_like_text_table(const std::string& path) {
  try {
    const auto file = open_text(path);
    std::string_view line;
    bool any = false;
    for (int lines = 0; lines < 16 && file->next(line); ++lines) {
      const bool control = std::any_of(line.begin(), line.end(), [](char c) {
        return static_cast<unsigned char>(c) < 32 && c != '\t' && c != '\r' && c != '\f';
      });
      if (control || line.size() > (std::size_t{1} << 24)) return false;
      const std::string_view start = trim(line);
      if (start.empty()) continue;
      // JSON, markup, FASTQ and SAM, FASTA, MatrixMarket, a Git LFS pointer.
      if (!any && (std::string_view("{[<@>%").find(start.front()) != std::string_view::npos ||
                   start.starts_with("version https://git-lfs")))
        return false;
      any = true;
    }
    return any;
  } catch (const Error&) {
    return false;
  }
}

Embedding table_embedding(const TextTable& table, const std::string& name, const std::string& path) {
  std::vector<const Column*> columns;
  for (const Column& column : table.table.columns)
    if (column.kind == Column::Kind::kReal || column.kind == Column::Kind::kInteger) columns.push_back(&column);
  if (columns.empty())
    throw DataError(fmt::format("{} has no column of numbers, so it is no embedding (columns: {})", path,
                                join_some(table.header, 8)),
                    {.file = path, .reason = "no_numbers"});
  Embedding embedding{name, table.n_rows(), static_cast<std::int64_t>(columns.size()), {}};
  embedding.values.reserve(static_cast<std::size_t>(embedding.n_cells * embedding.n_dims));
  for (std::int64_t cell = 0; cell < embedding.n_cells; ++cell)
    for (const Column* column : columns) {
      if (column->is_missing(cell))
        throw DataError(fmt::format("{}: column '{}' has no value for {}; an embedding needs all", path, column->name,
                                    table.table.names[static_cast<std::size_t>(cell)]),
                        {.file = path, .field = column->name, .row = cell, .reason = "missing_value"});
      const auto at = static_cast<std::size_t>(cell);
      embedding.values.push_back(static_cast<float>(
          column->kind == Column::Kind::kReal ? column->reals[at] : static_cast<double>(column->integers[at])));
    }
  return embedding;
}

}  // namespace scvet::io
