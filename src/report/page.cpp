#include "scvet/report/page.h"

#include <cmath>

#include "assets.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "utf8.h"

namespace scvet::report {
namespace {

std::string escape(std::string_view text) { return html_escape(valid_utf8(text)); }

struct ToneStyle {
  const char *name, *symbol, *word;
};
ToneStyle style_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return {"good", "\xE2\x9C\x93", "good"};  // check mark
    case Tone::kBad:
      return {"bad", "\xE2\x96\xB2", "warning"};  // triangle
    case Tone::kUnsure:
      return {"unsure", "?", "open"};
    case Tone::kNeutral:
      return {"neutral", "i", "note"};
  }
  return {"neutral", "i", "note"};
}

std::string opening(const char* tag, const std::string& attributes) {
  return "<" + std::string(tag) + attributes + ">";
}

void append_cell(std::string& out, const Cell& cell, const Grid::Column& column, bool is_header) {
  std::string classes = column.numeric ? "number" : column.nowrap ? "nowrap" : column.code ? "code" : "";
  if (cell.tone != Tone::kNeutral) classes += std::string(classes.empty() ? "" : " ") + style_of(cell.tone).name;
  std::string attributes = is_header ? " scope=\"row\"" : "";
  if (!classes.empty()) attributes += " class=\"" + classes + "\"";
  if (!std::isnan(cell.value)) attributes += " data-value=\"" + format_number(cell.value) + "\"";
  const char* const tag = is_header ? "th" : "td";
  out += opening(tag, attributes) + escape(cell.text) + "</" + tag + ">";
}

// '<' occurs in JSON only inside strings, so this changes no value and cannot end the script element.
std::string json_in_script(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// Replaces each {{name}} of the template once; inserted text is not looked at again.
std::string fill(std::string_view text, const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string out;
  for (;;) {
    const std::size_t open = text.find("{{");
    if (open == std::string_view::npos) return out.append(text);
    const std::size_t close = text.find("}}", open);
    if (close == std::string_view::npos) throw InternalError("report/page.html: {{ without }}");
    out.append(text.substr(0, open));
    const std::string_view name = text.substr(open + 2, close - open - 2);
    bool known = false;
    for (const auto& [key, value] : parts) {
      if (key != name) continue;
      out += value;
      known = true;
      break;
    }
    if (!known) throw InternalError("report/page.html: unknown part {{" + std::string(name) + "}}");
    text.remove_prefix(close + 2);
  }
}

// Without the pointer to a source map, which a browser's tools would ask for.
std::string script(std::string_view code) {
  const std::size_t map = code.rfind("//# sourceMappingURL=");
  if (map != std::string_view::npos) code = code.substr(0, map);
  return "<script>\n" + std::string(code) + "\n</script>\n";
}

std::string licences() {
  std::string out =
      "<p>This page is complete in itself: it holds its data and its code, and asks no server for anything.</p>\n";
  if (!has_charts()) return out;
  out += "<details><summary>Licences of the chart libraries in this page</summary><div class=\"inside\">\n";
  for (const char* const package : {"vega", "vega-lite", "vega-embed"})
    out += "<h3>" + std::string(package) + "</h3><pre>" + escape(asset(package + std::string(".LICENSE"))) + "</pre>\n";
  return out + "</div></details>\n";
}

}  // namespace

bool has_charts() { return !asset("vega.min.js").empty(); }

Page::Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

std::string Page::claim_id(const std::string& id) {
  if (id.empty()) return "";
  if (!ids_.insert(id).second) throw InternalError("report page: two elements with the id '" + id + "'");
  return " id=\"" + escape(id) + "\"";
}

void Page::verdict(Tone tone, std::string_view heading, std::string_view sentence,
                   const std::vector<std::string>& reasons, const std::string& id) {
  const ToneStyle style = style_of(tone);
  body_ += "<div class=\"verdict tone-" + std::string(style.name) + "\"" + claim_id(id) +
           "><span class=\"symbol\" role=\"img\" aria-label=\"" + style.word + "\">" + style.symbol +
           "</span><div><h3>" + escape(heading) + "</h3>";
  if (!sentence.empty()) body_ += "<p>" + escape(sentence) + "</p>";
  if (!reasons.empty()) {
    body_ += "<ul>";
    for (const std::string& reason : reasons) body_ += "<li>" + escape(reason) + "</li>";
    body_ += "</ul>";
  }
  body_ += "</div></div>\n";
}

void Page::section(std::string_view title, const std::string& id) {
  body_ += opening("h2", claim_id(id)) + escape(title) + "</h2>\n";
  contents_.emplace_back(id, title);
}

void Page::subsection(std::string_view title, const std::string& id) {
  body_ += opening("h3", claim_id(id)) + escape(title) + "</h3>\n";
}

void Page::paragraph(std::string_view text) { body_ += "<p>" + escape(text) + "</p>\n"; }

void Page::note(Tone tone, std::string_view text) {
  body_ +=
      "<div class=\"remark tone-" + std::string(style_of(tone).name) + "\" role=\"note\">" + escape(text) + "</div>\n";
}

void Page::list(const std::vector<std::string>& items) {
  if (items.empty()) return;
  body_ += "<ul class=\"text\">\n";
  for (const std::string& item : items) body_ += "<li>" + escape(item) + "</li>\n";
  body_ += "</ul>\n";
}

void Page::facts(const std::vector<std::pair<std::string, std::string>>& facts, const std::string& id) {
  body_ += "<dl class=\"facts\"" + claim_id(id) + ">\n";
  for (const auto& [name, value] : facts) body_ += "<dt>" + escape(name) + "</dt><dd>" + escape(value) + "</dd>\n";
  body_ += "</dl>\n";
}

void Page::table(const Grid& grid) {
  body_ +=
      "<div class=\"table\"><div class=\"scroll\"><table" + claim_id(grid.id.empty() ? "" : "table-" + grid.id) + ">\n";
  if (!grid.caption.empty()) body_ += "<caption>" + escape(grid.caption) + "</caption>\n";
  body_ += "<thead><tr>";
  for (const Grid::Column& column : grid.columns) {
    std::string attributes = " scope=\"col\"";
    if (column.numeric) attributes += " class=\"number\"";
    if (!column.explanation.empty()) attributes += " title=\"" + escape(column.explanation) + "\"";
    body_ += opening("th", attributes) + escape(column.name) + "</th>";
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : grid.rows) {
    if (row.size() != grid.columns.size())
      throw InternalError("report table '" + grid.id + "': a row of another length");
    body_ += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column)
      append_cell(body_, row[column], grid.columns[column], column == 0 && grid.first_is_header);
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>";
  if (!grid.note.empty()) body_ += "<p class=\"under\">" + escape(grid.note) + "</p>";
  body_ += "</div>\n";
}

void Page::chart(const Chart& chart) {
  const std::string id = "chart-" + chart.id;
  body_ += "<figure><figcaption>" + escape(chart.caption) + "</figcaption><div" + claim_id(id);
  if (has_charts()) {
    body_ += " class=\"chart\" role=\"img\" aria-label=\"" + escape(chart.alt) +
             "\"></div><noscript><p class=\"absent\">" + escape(chart.alt) +
             " This chart is drawn by the page's own script, which is switched off here.</p></noscript>";
    specs_.emplace_back(id, chart.spec);
  } else {
    body_ += " class=\"absent\">" + escape(chart.alt) +
             " The chart was left out: this scvet was built without the chart libraries. Its numbers are in the tables."
             "</div>";
  }
  if (!chart.note.empty()) body_ += "<p class=\"under\">" + escape(chart.note) + "</p>";
  body_ += "</figure>\n";
}

void Page::drawing(std::string_view svg, std::string_view alt) {
  body_ += "<div role=\"img\" aria-label=\"" + escape(alt) + "\">" + std::string(svg) + "</div>\n";
}

void Page::begin_details(std::string_view summary, const std::string& id, bool printed) {
  body_ += "<details" + claim_id(id) + (printed ? " class=\"whole\"" : "") + "><summary>" + escape(summary) +
           "</summary><div class=\"inside\">\n";
  ++open_blocks_;
}

void Page::end_details() {
  body_ += "</div></details>\n";
  --open_blocks_;
}

void Page::begin_columns() {
  body_ += "<div class=\"columns\">\n";
  ++open_blocks_;
}

void Page::begin_tiles() {
  body_ += "<div class=\"columns tiles\">\n";
  ++open_blocks_;
}

void Page::end_columns() {
  body_ += "</div>\n";
  --open_blocks_;
}

void Page::code(std::string_view text, const std::string& id) {
  body_ += opening("pre", claim_id(id)) + escape(text) + "</pre>\n";
}

std::string Page::html() const {
  if (open_blocks_ != 0) throw InternalError("report page: a block was opened and not closed");
  std::string contents, scripts;
  for (const auto& [id, title] : contents_)
    contents += "<li><a href=\"#" + escape(id) + "\">" + escape(title) + "</a></li>\n";
  for (const auto& [id, spec] : specs_)
    scripts += "<script type=\"application/json\" class=\"chart-spec\" data-for=\"" + escape(id) + "\">" +
               json_in_script(spec) + "</script>\n";
  if (!specs_.empty())
    for (const char* const library : {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"})
      scripts += script(asset(library));
  scripts += script(asset("page.js"));
  return fill(asset("page.html"),
              {{"title", escape(title_)},
               {"style", std::string(asset("page.css"))},
               {"subtitle", subtitle_.empty() ? "" : "<p class=\"subtitle\">" + escape(subtitle_) + "</p>\n"},
               {"contents", contents},
               {"body", body_},
               {"footer", licences()},
               {"data", json_in_script(data_)},
               {"scripts", scripts}});
}

}  // namespace scvet::report
