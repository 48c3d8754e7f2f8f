#include <cstdlib>
#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/base/text_file.h"
#include "scvet/data/genes.h"

namespace scvet {
namespace {

std::string key_of(std::string_view symbol, std::string_view organism) {
  return std::string(organism) + '\t' + std::string(symbol);
}

}  // namespace

NameTable NameTable::load(const std::string& path) {
  NameTable table;
  table.path_ = path;
  TextFile file(path);
  std::string_view line;
  while (file.next(line)) {
    if (line.starts_with("# source:")) table.source_ = std::string(trim(line.substr(9)));
    if (trim(line).empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() < 3 || !is_ensembl(fields[0]) || fields[2].empty())
      throw DataError("gene table " + path + ", line " + std::to_string(file.line_number()) +
                          ": expected Ensembl id, symbol and organism between tabs, found '" + std::string(line) + "'",
                      {.file = path, .row = file.line_number() - 1, .reason = "gene_table"});
    if (fields[1].empty()) continue;  // a gene without a symbol
    const std::string id = strip_version(fields[0]);
    const auto [at, inserted] = table.by_symbol_.emplace(key_of(fields[1], fields[2]), id);
    if (!inserted && at->second != id) at->second.clear();
  }
  return table;
}

std::optional<NameTable> NameTable::find_default() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("SCVET_GENE_TABLE"); named && *named) {
    if (!fs::exists(named))
      throw UsageError(std::string("SCVET_GENE_TABLE names ") + named + ", which does not exist", {.file = named});
    return load(named);
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const fs::path& path : {program / "share/gene_names.tsv.gz", program / "../share/scvet/gene_names.tsv.gz"})
    if (fs::exists(path, error)) return load(path.lexically_normal().string());
  return std::nullopt;
}

std::optional<std::string> NameTable::ensembl(std::string_view symbol, std::string_view organism) const {
  const auto at = by_symbol_.find(key_of(symbol, organism));
  if (at == by_symbol_.end() || at->second.empty()) return std::nullopt;
  return at->second;
}

}  // namespace scvet
