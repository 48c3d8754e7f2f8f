// Writes the h5ad files that test_anndata_versions.py opens: annotate_h5ad copy|rewrite SOURCE TARGET [gzip|zstd|none].
// Every kind of column is added to obs, with values that the test can compute from the row number.
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet {
namespace {

// Missing in every third row.
std::vector<std::uint8_t> every_third(std::int64_t rows) {
  std::vector<std::uint8_t> missing;
  for (std::int64_t row = 0; row < rows; ++row) missing.push_back(row % 3 == 0);
  return missing;
}

std::vector<Column> every_kind(std::int64_t rows) {
  std::vector<double> reals;
  std::vector<std::int64_t> numbers;
  std::vector<bool> flags;
  std::vector<std::string> texts;
  Column group = categorical_column("scvet_group", {});
  for (int level = 0; level < 200; ++level) group.categories.push_back("g" + std::to_string(level));  // int16 codes
  for (std::int64_t row = 0; row < rows; ++row) {
    reals.push_back(row % 7 == 0 ? std::nan("") : static_cast<double>(row) / 3);
    numbers.push_back(row * 1'000'003 - 5);
    flags.push_back(row % 2 == 1);
    texts.push_back("cell \xc3\xa9 " + std::to_string(row));
    group.codes.push_back(static_cast<std::int32_t>(row % 201) - 1);
  }
  Column copies = integer_column("scvet_copies", numbers), seen = boolean_column("scvet_seen", flags);
  Column match = string_column("scvet_match", texts), single = real_column("scvet_single", reals);
  copies.dtype = "Int64";
  seen.dtype = "boolean";
  single.dtype = "float32";
  copies.missing = seen.missing = match.missing = every_third(rows);
  return {real_column("scvet_jstar", reals),
          single,
          integer_column("scvet_row", numbers),
          boolean_column("scvet_exact", flags),
          string_column("scvet_text", texts),
          copies,
          seen,
          match,
          group};
}

std::vector<std::string> rewrite(CellFile& source, const std::string& target, const io::WriteOptions& options) {
  Table obs = source.obs();
  for (Column& column : every_kind(obs.rows())) obs.columns.push_back(std::move(column));
  io::H5adContent content;
  content.obs = &obs;
  content.var = &source.var();
  std::vector<std::unique_ptr<CellSource>> open;
  for (const MatrixInfo& info : source.matrices()) {
    open.push_back(source.open_matrix(info.name));
    if (info.name == "X" || info.name == "matrix")
      content.x = open.back().get();
    else if (info.name == "raw/X")
      content.raw = open.back().get();
    else if (info.name.starts_with("layers/"))
      content.layers.emplace_back(info.name.substr(7), open.back().get());
  }
  for (const NamedShape& entry : source.obsm()) {
    try {
      content.obsm.push_back(source.read_obsm(entry.name));
    } catch (const DataError&) {  // a data frame with texts is no embedding
    }
  }
  content.uns = {{"scvet_version", "\xc3\xa9"}};
  return io::write_h5ad(target, content, options);
}

int run(const std::vector<std::string>& arguments) {
  const std::map<std::string, io::Compression> kinds = {
      {"gzip", io::Compression::kGzip}, {"zstd", io::Compression::kZstd}, {"none", io::Compression::kNone}};
  if (arguments.size() < 3) throw UsageError("usage: annotate_h5ad copy|rewrite SOURCE TARGET [gzip|zstd|none]");
  io::WriteOptions options;
  if (arguments.size() > 3) options.compression = kinds.at(arguments[3]);
  const std::unique_ptr<CellFile> source = io::open_cells(arguments[1]);
  const auto notes = arguments[0] == "copy" ? io::annotate_copy(*source, arguments[2], every_kind(source->obs().rows()),
                                                                {{"scvet_version", "\xc3\xa9"}}, options)
                                            : rewrite(*source, arguments[2], options);
  for (const std::string& note : notes) std::printf("%s\n", note.c_str());
  return 0;
}

}  // namespace
}  // namespace scvet

int main(int argc, char** argv) {
  try {
    return scvet::run({argv + 1, argv + argc});
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
