// One self-contained HTML page: text, tables and Vega-Lite charts; no request leaves it. Everything given is escaped.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
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
Cell count_cell(std::int64_t value);                    // 1,234
Cell number_cell(double value, int digits = 3);         // that many significant digits; NaN: an en dash
Cell fixed_cell(double value, int decimals);            // .1235 -> 0.124
Cell percent_cell(double share, int decimals = 1);      // .0512 -> 5.1 %
Cell interval_cell(double low, double high, int decimals = 1);  // "0.1 to 2.3 %", value: none
// A p value: "< 1e-12" below that, three significant digits above.
Cell p_cell(double p);

struct Grid {
  struct Column {
    std::string name;
    bool numeric = false;
    std::string explanation = {};  // shown as a tooltip and read by screen readers
  };
  std::string id;       // stable name, for tests and links: table-<id>
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string note = {};  // under the table
  bool first_is_header = true;  // the first cell of each row names the row
};
// Every column of a data table; integers and reals right-aligned.
Grid to_grid(const Table& table, std::string id, std::string caption);

struct Chart {
  std::string id;       // chart-<id>
  std::string caption;
  std::string alt;      // what the chart shows, in words
  std::string spec;     // Vega-Lite JSON with its data inside
  std::string note = {};
};

class Page {
 public:
  explicit Page(std::string title, std::string subtitle = "");

  void verdict(Tone tone, std::string heading, std::string sentence, const std::vector<std::string>& reasons = {});
  void section(std::string title, std::string id);     // h2, listed in the contents
  void subsection(std::string title, std::string id = "");  // h3
  void paragraph(std::string_view text);
  void note(Tone tone, std::string_view text);          // a set-off remark
  void list(const std::vector<std::string>& items);
  void facts(const std::vector<std::pair<std::string, std::string>>& facts, std::string id = "");
  void table(const Grid& grid);
  void chart(const Chart& chart);
  // Vector graphics made by the engine itself (small, many); `svg` is trusted markup.
  void drawing(std::string_view svg, std::string_view alt);
  void begin_details(std::string_view summary, std::string id = "");
  void end_details();
  void begin_columns();  // tables side by side where there is room
  void end_columns();
  void code(std::string_view text, std::string id = "");
  // The machine-readable summary: one JSON text.
  void data(std::string json) { data_ = std::move(json); }

  // The whole page. Throws InternalError when a details or columns block is still open.
  std::string html() const;

 private:
  void heading(int level, std::string_view title, const std::string& id);

  std::string title_, subtitle_, body_, data_;
  std::vector<std::pair<std::string, std::string>> contents_;  // id, title
  std::vector<std::pair<std::string, std::string>> specs_;     // chart id, spec
  int open_details_ = 0, open_columns_ = 0;
};

// False when the program was built without the chart libraries: pages then say that charts were left out.
bool has_charts();

}  // namespace scvet::report
