// Tables as a page shows them: text for people, and the exact number behind each cell.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scvet/data/table.h"

namespace scvet::report {

enum class Tone { kNeutral, kGood, kBad, kUnsure };

// One cell of a shown table: what is read, and the number behind it (data-value), where there is one.
struct Cell {
  std::string text;
  double value = std::numeric_limits<double>::quiet_NaN();
  Tone tone = Tone::kNeutral;

  Cell(std::string text_in = "", Tone tone_in = Tone::kNeutral) : text(std::move(text_in)), tone(tone_in) {}
  Cell(const char* text_in) : text(text_in) {}
  Cell(std::string text_in, double value_in, Tone tone_in = Tone::kNeutral)
      : text(std::move(text_in)), value(value_in), tone(tone_in) {}
};
Cell count_cell(std::int64_t value);                            // 1,234
Cell number_cell(double value, int digits = 3);                 // that many significant digits; NaN: an en dash
Cell fixed_cell(double value, int decimals);                    // .1235 -> 0.124
Cell percent_cell(double share, int decimals = 1);              // .0512 -> 5.1 %
Cell interval_cell(double low, double high, int decimals = 1);  // "0.1 to 2.3 %", value: none
// A p value: "< 1e-12" below that, three significant digits above.
Cell p_cell(double p);

struct Grid {
  struct Column {
    std::string name;
    bool numeric = false;
    std::string explanation = {};  // shown as a tooltip and read by screen readers
    bool nowrap = false;           // names that are easier to read in one line
    bool code = false;             // digests and the like: one width a character, broken anywhere
  };
  std::string id;  // stable name, for tests and links: table-<id>
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string note = {};        // under the table
  bool first_is_header = true;  // the first cell of each row names the row
};
// Every column of a data table; integers and reals right-aligned.
Grid to_grid(const Table& table, std::string id, std::string caption);

// Shortest readable text of a number: `digits` significant ones, thousands grouped; NaN: "–".
std::string short_number(double value, int digits = 3);

}  // namespace scvet::report
