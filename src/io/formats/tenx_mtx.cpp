// A folder with matrix.mtx, features.tsv (or genes.tsv) and barcodes.tsv, each plain or gzipped, perhaps behind a
// common prefix; or the path of the matrix file in such a folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/base/text_file.h"
#include "scvet/io/format.h"
#include "tenx/tenx_file.h"
#include "text/delimited.h"
#include "text/mtx_source.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;

bool is_matrix_name(const std::string& name) { return name.ends_with(".mtx") || name.ends_with(".mtx.gz"); }

// Matrix files of a folder, by name: those called ...matrix.mtx, else any.
std::vector<std::string> matrices_in(const std::string& folder) {
  std::vector<std::string> named, others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_matrix_name(name) || !entry.is_regular_file(error)) continue;
    (name.ends_with("matrix.mtx") || name.ends_with("matrix.mtx.gz") ? named : others).push_back(name);
  }
  std::vector<std::string>& found = named.empty() ? others : named;
  std::sort(found.begin(), found.end());
  return found;
}

std::string choose_matrix(const std::string& path) {
  if (!fs::is_directory(path)) return path;
  std::vector<std::string> found = matrices_in(path);
  // The same matrix plain and gzipped is one.
  std::erase_if(found, [&](const std::string& name) {
    return !name.ends_with(".gz") && std::find(found.begin(), found.end(), name + ".gz") != found.end();
  });
  if (found.size() != 1)
    throw DataError(
        fmt::format("{} holds {} matrix files ({}); give the path of one", path, found.size(), join_some(found, 6)),
        {.file = path, .reason = "several_matrices"});
  return (fs::path(path) / found.front()).string();
}

// What stands before "matrix.mtx" in the name: "GSM123_". For another name its stem and a separator.
std::vector<std::string> prefixes_of(std::string name) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  name.resize(name.size() - 4);
  if (name.ends_with("matrix")) return {name.substr(0, name.size() - 6)};
  return {name + "_", name + ".", name + "-", ""};
}

std::string find_beside(const std::string& matrix, const std::vector<std::string>& endings) {
  const fs::path folder = fs::path(matrix).parent_path();
  const std::string name = base_name(matrix);
  for (const std::string& prefix : prefixes_of(name))
    for (const std::string& ending : endings)
      for (const char* packed : {".gz", ""}) {
        const fs::path candidate = folder / (prefix + ending + packed);
        if (fs::is_regular_file(candidate)) return candidate.string();
      }
  throw DataError(fmt::format("{}: expected {} beside it (plain or gzipped, with the same prefix '{}'), found none",
                              matrix, join(endings, " or "), prefixes_of(name).front()),
                  {.file = matrix, .reason = "missing_file"});
}

TenxFeatures read_features(const std::string& path) {
  TenxFeatures features;
  DelimitedReader reader(path, '\t');
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    const bool named = fields.size() >= 2;
    if (named) features.ids.push_back(fields[0]);
    features.names.push_back(named ? fields[1] : fields[0]);
    if (fields.size() >= 3) features.types.push_back(fields[2]);
  }
  const std::size_t n = features.names.size();
  if ((!features.ids.empty() && features.ids.size() != n) || (!features.types.empty() && features.types.size() != n))
    throw DataError(path + ": lines have different numbers of fields; expected id, name and type between tabs",
                    {.file = path, .reason = "bad_table"});
  return features;
}

std::vector<std::string> read_barcodes(const std::string& path) {
  std::vector<std::string> barcodes, fields;
  DelimitedReader reader(path, '\t');
  while (reader.next(fields)) barcodes.push_back(fields[0]);
  return barcodes;
}

// 10x has genes in rows; some writers have cells there. False: genes.
bool cells_in_rows(const std::string& matrix, const MtxHeader& header, std::int64_t n_genes, std::int64_t n_cells) {
  if (header.rows == n_genes && header.columns == n_cells) return false;
  if (header.rows == n_cells && header.columns == n_genes) return true;
  throw DataError(fmt::format("{}: expected {} features x {} barcodes as the lists beside it say, found {} x {}",
                              matrix, format_count(n_genes), format_count(n_cells), format_count(header.rows),
                              format_count(header.columns)),
                  {.file = matrix, .reason = "bad_shape"});
}

bool recognises(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return !matrices_in(path).empty();
  if (!fs::is_regular_file(path, error)) return false;
  try {
    TextFile file(path);
    std::string_view line;
    return file.next(line) && lower(line.substr(0, 14)) == "%%matrixmarket";
  } catch (const Error&) {
    return false;
  }
}

std::unique_ptr<CellFile> open_mtx(const std::string& path, const OpenOptions&) {
  const std::string matrix = choose_matrix(path);
  const std::string features_path = find_beside(matrix, {"features.tsv", "genes.tsv"});
  TenxFeatures features = read_features(features_path);
  Table obs = make_obs(read_barcodes(find_beside(matrix, {"barcodes.tsv"})));
  const MtxHeader header = read_mtx_header(matrix);
  const auto n_genes = static_cast<std::int64_t>(features.names.size());
  const bool transposed = cells_in_rows(matrix, header, n_genes, obs.rows());
  std::vector<std::string> fields = {"name"};
  if (!features.types.empty()) fields.insert(fields.begin(), "feature_type");
  if (!features.ids.empty()) fields.insert(fields.end() - 1, "id");
  MatrixInfo info{.name = "matrix",
                  .kind = "csr_matrix",
                  .dtype = header.dtype,
                  .n_cells = obs.rows(),
                  .n_genes = n_genes,
                  .stored = header.entries};
  auto file = std::make_unique<TenxFile>(path, "tenx_mtx", std::move(obs), make_var(std::move(features)), info,
                                         [matrix, transposed](std::shared_ptr<const Table> var) {
                                           return mtx_source(matrix, transposed, std::move(var));
                                         });
  file->set_feature_fields(std::move(fields));
  if (transposed) file->add_note("the matrix has cells in rows, where 10x writes genes; read accordingly");
  return file;
}

}  // namespace

extern const FormatRecord tenx_mtx_format = {
    "tenx_mtx", "10x folder: matrix.mtx, features.tsv or genes.tsv, barcodes.tsv", "mtx", recognises, open_mtx};

}  // namespace scvet::io
