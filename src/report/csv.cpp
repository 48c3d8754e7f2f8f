#include "scvet/report/csv.h"

#include "scvet/base/text.h"

namespace scvet::report {

std::string to_csv(const Table& table) {
  std::string text = csv_field(table.index_name);
  for (const Column& column : table.columns) text += "," + csv_field(column.name);
  text += "\n";
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    text += csv_field(table.names[static_cast<std::size_t>(row)]);
    for (const Column& column : table.columns) {
      text += ",";
      text += csv_field(column.text(row));
    }
    text += "\n";
  }
  return text;
}

}  // namespace scvet::report
