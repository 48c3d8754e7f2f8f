// One content, two texts: an HTML page and the same as Markdown. Charts stand in the Markdown as their words.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scvet/report/page.h"

namespace scvet::report {

class Document {
 public:
  explicit Document(std::string title, std::string subtitle = "");

  void verdict(Tone tone, std::string_view heading, std::string_view sentence,
               const std::vector<std::string>& reasons = {}, const std::string& id = "");
  void section(std::string_view title, const std::string& id);
  void subsection(std::string_view title, const std::string& id = "");
  void paragraph(std::string_view text);
  void note(Tone tone, std::string_view text);
  void list(const std::vector<std::string>& items);
  void facts(const std::vector<std::pair<std::string, std::string>>& facts, const std::string& id = "");
  void table(const Grid& grid);
  void chart(const Chart& chart);
  void begin_details(std::string_view summary, const std::string& id = "", bool printed = false);
  void end_details();
  void begin_columns();
  void begin_tiles();
  void end_columns();
  void code(std::string_view text, const std::string& id = "");
  void data(std::string json);

  std::string html() const { return page_.html(); }
  const std::string& markdown() const { return text_; }

 private:
  Page page_;
  std::string text_;
};

}  // namespace scvet::report
