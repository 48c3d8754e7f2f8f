#include "text/mtx_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/base/text_file.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kChunkBytes = 64 << 20;
constexpr std::int64_t kEntryBytes = 12;  // gene 4, value 8

DataError bad_line(const std::string& path, std::int64_t line, const std::string& what) {
  return DataError(fmt::format("{}, line {}: {}", path, line, what),
                   {.file = path, .row = line - 1, .reason = "bad_matrix"});
}

struct Entry {
  std::int64_t cell = 0, gene = 0;  // from 0
  double value = 1;
};

// Entries one after the other, checked against the header.
class EntryReader {
 public:
  EntryReader(const std::string& path, const MtxHeader& header, bool cells_in_rows)
      : file_(path), header_(header), cells_in_rows_(cells_in_rows), pattern_(header.dtype == "bool") {
    std::string_view line;
    for (std::int64_t at = 0; at < header.lines; ++at) file_.next(line);
  }

  bool next(Entry& entry) {
    std::string_view line;
    do {
      if (!file_.next(line)) {
        if (n_read_ == header_.entries) return false;
        throw DataError(fmt::format("{} is cut short: its header says {} entries, found {}", file_.path(),
                                    format_count(header_.entries), format_count(n_read_)),
                        {.file = file_.path(), .reason = "truncated"});
      }
    } while (trim(line).empty());
    if (++n_read_ > header_.entries)
      throw bad_line(file_.path(), file_.line_number(),
                     fmt::format("more entries than the {} of its header", format_count(header_.entries)));
    parse(line, entry);
    return true;
  }

 private:
  template <typename T>
  static bool take(std::string_view& text, T& value) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
    return text.empty() || text.front() == ' ' || text.front() == '\t';
  }

  void parse(std::string_view line, Entry& entry) const {
    std::int64_t row = 0, column = 0;
    std::string_view rest = line;
    if (!take(rest, row) || !take(rest, column) || (!pattern_ && !take(rest, entry.value)) || !trim(rest).empty())
      throw bad_line(file_.path(), file_.line_number(),
                     fmt::format("expected 'row column{}', found '{}'", pattern_ ? "" : " value", line.substr(0, 80)));
    if (row < 1 || row > header_.rows || column < 1 || column > header_.columns)
      throw bad_line(file_.path(), file_.line_number(),
                     fmt::format("entry ({}, {}) is outside the {} x {} of its header", row, column, header_.rows,
                                 header_.columns));
    entry.cell = (cells_in_rows_ ? row : column) - 1;
    entry.gene = (cells_in_rows_ ? column : row) - 1;
  }

  TextFile file_;
  MtxHeader header_;
  bool cells_in_rows_, pattern_;
  std::int64_t n_read_ = 0;
};

class MtxSource : public CellSource {
 public:
  MtxSource(std::string path, bool cells_in_rows, std::shared_ptr<const Table> var)
      : path_(std::move(path)), header_(read_mtx_header(path_)), cells_in_rows_(cells_in_rows), var_(std::move(var)) {
    info_.name = "matrix";
    info_.kind = "csr_matrix";
    info_.dtype = header_.dtype;
    info_.n_cells = cells_in_rows ? header_.rows : header_.columns;
    info_.n_genes = cells_in_rows ? header_.columns : header_.rows;
    info_.stored = header_.entries;
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return *var_; }
  std::int64_t chunk_cells() const override {
    const std::int64_t mean = info_.n_cells > 0 ? info_.stored / info_.n_cells + 1 : 1;
    return std::clamp<std::int64_t>(kChunkBytes / (mean * kEntryBytes), 1, std::max<std::int64_t>(info_.n_cells, 1));
  }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    if (!checked_) check();
    if (sorted_) {
      stream(first, count, chunk);
    } else {
      if (genes_.empty()) gather();
      const auto begin = pointers_.begin() + first;
      chunk.genes.assign(genes_.begin() + begin[0], genes_.begin() + begin[count]);
      chunk.values.assign(values_.begin() + begin[0], values_.begin() + begin[count]);
      for (std::int64_t cell = 1; cell <= count; ++cell) chunk.indptr.push_back(begin[cell] - begin[0]);
    }
    normalise_rows(chunk);
  }

 private:
  // Reads every entry once: order is known only at the end of the file.
  void check() {
    EntryReader reader(path_, header_, cells_in_rows_);
    std::unique_ptr<ProgressScope> progress;
    if (header_.entries > kProgressFrom)
      progress = std::make_unique<ProgressScope>("checking " + path_, header_.entries);
    std::vector<std::int64_t> pointers(static_cast<std::size_t>(info_.n_cells) + 1, 0);
    Entry entry;
    std::int64_t last_cell = 0, n = 0;
    sorted_ = true;
    while (reader.next(entry)) {
      sorted_ = sorted_ && entry.cell >= last_cell;
      last_cell = entry.cell;
      ++pointers[static_cast<std::size_t>(entry.cell) + 1];
      if (++n % kStep != 0) continue;
      throw_if_stopped();
      if (progress) progress->advance(kStep);
    }
    std::partial_sum(pointers.begin(), pointers.end(), pointers.begin());
    pointers_ = std::move(pointers);
    checked_ = true;
  }

  void gather() {
    log_verbose(path_ + " is not sorted by cell: its entries are gathered in memory");
    genes_.resize(static_cast<std::size_t>(header_.entries));
    values_.resize(static_cast<std::size_t>(header_.entries));
    std::vector<std::int64_t> next = pointers_;
    EntryReader reader(path_, header_, cells_in_rows_);
    Entry entry;
    while (reader.next(entry)) {
      const std::int64_t slot = next[static_cast<std::size_t>(entry.cell)]++;
      if (slot >= pointers_[static_cast<std::size_t>(entry.cell) + 1]) throw changed();
      genes_[static_cast<std::size_t>(slot)] = static_cast<std::uint32_t>(entry.gene);
      values_[static_cast<std::size_t>(slot)] = entry.value;
    }
  }

  void stream(std::int64_t first, std::int64_t count, CellChunk& chunk) {
    if (!reader_ || first < next_cell_) {
      reader_ = std::make_unique<EntryReader>(path_, header_, cells_in_rows_);
      held_ = reader_->next(entry_);
      next_cell_ = 0;
    }
    for (; held_ && entry_.cell < first; held_ = reader_->next(entry_)) {
    }
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      for (; held_ && entry_.cell == cell; held_ = reader_->next(entry_)) {
        chunk.genes.push_back(static_cast<std::uint32_t>(entry_.gene));
        chunk.values.push_back(entry_.value);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
    next_cell_ = first + count;
    const auto pointers = pointers_.begin() + first;
    if (chunk.indptr.back() != pointers[count] - pointers[0]) throw changed();
  }

  DataError changed() const {
    return DataError(path_ + ": two readings differ: the file is being written, or the storage is failing",
                     {.file = path_, .reason = "storage"});
  }

  static constexpr std::int64_t kStep = 1 << 20, kProgressFrom = 1 << 25;

  std::string path_;
  MtxHeader header_;
  bool cells_in_rows_, checked_ = false, sorted_ = false;
  std::shared_ptr<const Table> var_;
  MatrixInfo info_;
  std::vector<std::int64_t> pointers_;  // of cells
  std::vector<std::uint32_t> genes_;    // of all cells, when the file is not sorted
  std::vector<double> values_;
  std::unique_ptr<EntryReader> reader_;  // when it is: stands after entry_
  Entry entry_;
  bool held_ = false;
  std::int64_t next_cell_ = 0;
};

}  // namespace

MtxHeader read_mtx_header(const std::string& path) {
  TextFile file(path);
  std::string_view line;
  if (!file.next(line) || !lower(line).starts_with("%%matrixmarket"))
    throw DataError(path + ": expected a Matrix Market file, which starts with '%%MatrixMarket'",
                    {.file = path, .reason = "not_mtx"});
  std::vector<std::string> words = split(lower(line), ' ');
  std::erase(words, "");
  const bool coordinate = words.size() == 5 && words[1] == "matrix" && words[2] == "coordinate";
  const bool known = coordinate && (words[3] == "integer" || words[3] == "real" || words[3] == "pattern");
  if (!known || words[4] != "general")
    throw DataError(fmt::format("{}: expected 'matrix coordinate integer|real|pattern general', found '{}'", path,
                                line.substr(0, 80)),
                    {.file = path, .row = 0, .reason = "bad_matrix"});
  MtxHeader header;
  header.dtype = words[3] == "integer" ? "int64" : words[3] == "real" ? "float64" : "bool";
  bool found = false;
  while ((found = file.next(line)) && (trim(line).empty() || line.front() == '%')) {
  }
  std::vector<std::string> sizes = split(trim(line), ' ');
  std::erase(sizes, "");
  std::vector<std::int64_t> numbers;
  for (const std::string& size : sizes)
    if (const auto number = parse_integer(size); number && *number >= 0) numbers.push_back(*number);
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!found || sizes.size() != 3 || numbers.size() != 3 || numbers[0] > kMost || numbers[1] > kMost)
    throw bad_line(path, file.line_number(), "expected the numbers of rows, columns and entries");
  header.rows = numbers[0];
  header.columns = numbers[1];
  header.entries = numbers[2];
  header.lines = file.line_number();
  return header;
}

std::unique_ptr<CellSource> mtx_source(const std::string& path, bool cells_in_rows, std::shared_ptr<const Table> var) {
  return std::make_unique<MtxSource>(path, cells_in_rows, std::move(var));
}

}  // namespace scvet::io
