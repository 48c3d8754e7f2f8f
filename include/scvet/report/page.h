// One self-contained HTML page: text, tables and Vega-Lite charts; no request leaves it. Everything given is escaped.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scvet/report/grid.h"

namespace scvet::report {

struct Chart {
  std::string id;  // chart-<id>
  std::string caption;
  std::string alt;   // what the chart shows, in words
  std::string spec;  // Vega-Lite JSON with its data inside
  std::string note = {};
};

class Page {
 public:
  explicit Page(std::string title, std::string subtitle = "");

  // A banner: colour, symbol and words say the same.
  void verdict(Tone tone, std::string_view heading, std::string_view sentence,
               const std::vector<std::string>& reasons = {}, const std::string& id = "");
  // Ids are unique in a page, else InternalError.
  void section(std::string_view title, const std::string& id);          // h2, listed in the contents
  void subsection(std::string_view title, const std::string& id = "");  // h3
  void paragraph(std::string_view text);
  void note(Tone tone, std::string_view text);  // a set-off remark
  void list(const std::vector<std::string>& items);
  void facts(const std::vector<std::pair<std::string, std::string>>& facts, const std::string& id = "");
  void table(const Grid& grid);
  void chart(const Chart& chart);
  // Vector graphics made by the engine itself (small, many); `svg` is trusted markup.
  void drawing(std::string_view svg, std::string_view alt);
  // A closed block. `printed`: opened when the page is printed.
  void begin_details(std::string_view summary, const std::string& id = "", bool printed = false);
  void end_details();
  void begin_columns();  // tables side by side where there is room
  void begin_tiles();    // the same for short banners; closed by end_columns
  void end_columns();
  void code(std::string_view text, const std::string& id = "");
  // The machine-readable summary: one JSON text.
  void data(std::string json) { data_ = std::move(json); }

  // The whole page. Throws InternalError when a details or columns block is still open.
  std::string html() const;

 private:
  // ` id="..."`, or nothing for an empty id.
  std::string claim_id(const std::string& id);

  std::string title_, subtitle_, body_, data_ = "{}";
  std::vector<std::pair<std::string, std::string>> contents_;  // id, title
  std::vector<std::pair<std::string, std::string>> specs_;     // chart id, spec
  std::set<std::string> ids_;
  int open_blocks_ = 0;
};

// False when the program was built without the chart libraries: pages then say that charts were left out.
bool has_charts();

}  // namespace scvet::report
