#include "scvet/report/document.h"

#include "utf8.h"

namespace scvet::report {
namespace {

// Characters that Markdown or the HTML inside it would read as markup; a line stays a line.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '\n' || c == '\r')
      out += ' ';
    else if (std::string_view("\\`*_<>[]|#").find(c) != std::string_view::npos)
      (out += '\\') += c;
    else
      out += c;
  }
  return out;
}

const char* tone_word(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\xE2\x9C\x93 ";
    case Tone::kBad:
      return "\xE2\x96\xB2 ";
    case Tone::kUnsure:
      return "? ";
    case Tone::kNeutral:
      return "";
  }
  return "";
}

std::string table_text(const Grid& grid) {
  std::string text;
  if (!grid.caption.empty()) text += "**" + plain(grid.caption) + "**\n\n";
  text += "|";
  for (const Grid::Column& column : grid.columns) text += " " + plain(column.name) + " |";
  text += "\n|";
  for (const Grid::Column& column : grid.columns) text += column.numeric ? " ---: |" : " --- |";
  text += "\n";
  for (const std::vector<Cell>& row : grid.rows) {
    text += "|";
    for (const Cell& cell : row) text += " " + plain(cell.text) + " |";
    text += "\n";
  }
  text += "\n";
  if (!grid.note.empty()) text += plain(grid.note) + "\n\n";
  return text;
}

}  // namespace

Document::Document(std::string title, std::string subtitle)
    : page_(title, subtitle), text_("# " + plain(title) + "\n\n") {
  if (!subtitle.empty()) text_ += plain(subtitle) + "\n\n";
}

void Document::verdict(Tone tone, std::string_view heading, std::string_view sentence,
                       const std::vector<std::string>& reasons, const std::string& id) {
  page_.verdict(tone, heading, sentence, reasons, id);
  text_ += "> **" + std::string(tone_word(tone)) + plain(heading) + "**\n";
  if (!sentence.empty()) text_ += ">\n> " + plain(sentence) + "\n";
  if (!reasons.empty()) text_ += ">\n";
  for (const std::string& reason : reasons) text_ += "> - " + plain(reason) + "\n";
  text_ += "\n";
}

void Document::section(std::string_view title, const std::string& id) {
  page_.section(title, id);
  text_ += "## " + plain(title) + "\n\n";
}

void Document::subsection(std::string_view title, const std::string& id) {
  page_.subsection(title, id);
  text_ += "### " + plain(title) + "\n\n";
}

void Document::paragraph(std::string_view text) {
  page_.paragraph(text);
  text_ += plain(text) + "\n\n";
}

void Document::note(Tone tone, std::string_view text) {
  page_.note(tone, text);
  text_ += "> " + std::string(tone_word(tone)) + plain(text) + "\n\n";
}

void Document::list(const std::vector<std::string>& items) {
  page_.list(items);
  for (const std::string& item : items) text_ += "- " + plain(item) + "\n";
  if (!items.empty()) text_ += "\n";
}

void Document::facts(const std::vector<std::pair<std::string, std::string>>& facts, const std::string& id) {
  page_.facts(facts, id);
  for (const auto& [name, value] : facts) text_ += "- **" + plain(name) + "**: " + plain(value) + "\n";
  text_ += "\n";
}

void Document::table(const Grid& grid) {
  page_.table(grid);
  text_ += table_text(grid);
}

void Document::chart(const Chart& chart) {
  page_.chart(chart);
  text_ += "*Figure: " + plain(chart.caption) + ".* " + plain(chart.alt) + " " + plain(chart.note) + "\n\n";
}

void Document::begin_details(std::string_view summary, const std::string& id, bool printed) {
  page_.begin_details(summary, id, printed);
  text_ += "**" + plain(summary) + "**\n\n";
}

void Document::end_details() { page_.end_details(); }
void Document::begin_columns() { page_.begin_columns(); }
void Document::begin_tiles() { page_.begin_tiles(); }
void Document::end_columns() { page_.end_columns(); }

void Document::code(std::string_view text, const std::string& id) {
  page_.code(text, id);
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  text_ += fence + "\n" + valid_utf8(text) + "\n" + fence + "\n\n";
}

void Document::data(std::string json) { page_.data(std::move(json)); }

}  // namespace scvet::report
