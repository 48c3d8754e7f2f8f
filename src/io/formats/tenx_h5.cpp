// 10x HDF5 files. Layout 3: one group `matrix` with a group `features`; layout 2: one group a genome, with `genes` and
// `gene_names` beside the arrays. Genes x cells by cell, which is cells x genes by row. Other programs write the layout
// with fields left out, so only arrays, shape, barcodes and a name of the features are required.
#include <fmt/format.h>

#include <algorithm>

#include "columnar/mapped_genes.h"
#include "hdf5/hdf5_store.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/io/tenx.h"
#include "store/stored_matrix.h"
#include "tenx/tenx_features.h"
#include "tenx/tenx_file.h"

namespace scvet::io {
namespace {

bool holds_matrix(const hdf5::Group& root, const std::string& member) {
  if (root.kind(member) != hdf5::LinkKind::kGroup) return false;
  const hdf5::Group group = root.group(member);
  return group.has("indptr") && group.has("barcodes");
}

std::vector<std::string> matrices_of(const hdf5::Group& root) {
  if (holds_matrix(root, "matrix")) return {"matrix"};
  std::vector<std::string> found;
  for (const std::string& member : root.members())
    if (holds_matrix(root, member)) found.push_back(member);
  return found;
}

// One row a molecule, as Cell Ranger writes beside the matrices.
bool is_molecule_info(const hdf5::Group& root) {
  return (root.has("barcode_idx") && root.has("feature_idx")) ||
         (root.has("barcode") && root.has("umi") && root.has("reads"));
}

bool recognises(const std::string& path) {
  try {
    if (!hdf5::has_signature(path)) return false;
    const hdf5::Group root = hdf5::open_file(path);
    return is_molecule_info(root) || !matrices_of(root).empty();
  } catch (const Error&) {
    return false;
  }
}

std::string choose_matrix(const hdf5::Group& root, const std::string& genome) {
  const std::vector<std::string> found = matrices_of(root);
  if (found.size() == 1 && found.front() == "matrix") return "matrix";
  const std::string has = fmt::format("{} holds {} ({})", root.file(),
                                      found.size() == 1 ? "one genome" : "several genomes", join(found, ", "));
  if (genome.empty() && found.size() == 1) return found.front();
  if (genome.empty())
    throw UsageError(has + ", each with its own matrix; choose one with --genome",
                     {.file = root.file(), .field = "genome", .reason = "several_genomes"});
  if (std::find(found.begin(), found.end(), genome) != found.end()) return genome;
  throw UsageError(fmt::format("{}, not '{}'; change --genome", has, genome),
                   {.file = root.file(), .field = "genome", .reason = "missing_genome"});
}

std::vector<std::string> texts_if_there(const hdf5::Group& group, const std::string& member, std::int64_t n_genes) {
  if (!group.has(member)) return {};
  const hdf5::Dataset dataset = group.dataset(member);
  std::vector<std::string> texts = dataset.read_texts();
  if (static_cast<std::int64_t>(texts.size()) != n_genes)
    throw dataset.error(fmt::format("expected {} entries, one a feature, found {}", format_count(n_genes),
                                    format_count(static_cast<std::int64_t>(texts.size()))),
                        "bad_lengths");
  return texts;
}

std::vector<std::uint8_t> flags_if_there(const hdf5::Group& group, const std::string& member, std::int64_t n) {
  if (!group.has(member)) return {};
  const hdf5::Dataset dataset = group.dataset(member);
  const std::vector<std::int64_t> flags = dataset.read_integers();
  if (static_cast<std::int64_t>(flags.size()) != n)
    throw dataset.error(fmt::format("expected {} entries, found {}", format_count(n),
                                    format_count(static_cast<std::int64_t>(flags.size()))),
                        "bad_lengths");
  std::vector<std::uint8_t> found;
  for (const std::int64_t flag : flags) found.push_back(flag != 0);
  return found;
}

TenxFeatures read_features(const hdf5::Group& matrix, std::int64_t n_genes, std::vector<std::string>& fields) {
  TenxFeatures features;
  if (matrix.kind("features") == hdf5::LinkKind::kGroup) {
    const hdf5::Group group = matrix.group("features");
    fields = group.members();
    features.ids = texts_if_there(group, "id", n_genes);
    features.names = texts_if_there(group, "name", n_genes);
    features.types = texts_if_there(group, "feature_type", n_genes);
    features.genomes = texts_if_there(group, "genome", n_genes);
    features.gene_ids = texts_if_there(group, "gene_id", n_genes);
    features.gene_names = texts_if_there(group, "gene_name", n_genes);
    features.passed = flags_if_there(group, "filtered_probes", n_genes);
  } else {
    for (const char* field : {"gene_names", "genes"})
      if (matrix.has(field)) fields.emplace_back(field);
    features.ids = texts_if_there(matrix, "genes", n_genes);
    features.names = texts_if_there(matrix, "gene_names", n_genes);
  }
  if (features.names.empty() && n_genes > 0) features.names = features.ids;
  if (features.names.empty() && n_genes > 0)
    throw matrix.error("expected names of the features (features/name, or gene_names), found none", "missing");
  return features;
}

// {genes, cells}
std::pair<std::int64_t, std::int64_t> read_shape(const hdf5::Group& matrix) {
  const hdf5::Dataset dataset = matrix.dataset("shape");
  if (dataset.size() != 2) throw dataset.error("expected the numbers of genes and cells", "bad_shape");
  const std::vector<std::int64_t> shape = dataset.read_integers();
  if (shape[0] < 0 || shape[1] < 0 || shape[0] > 0xFFFFFFFFll)
    throw dataset.error(fmt::format("{} genes and {} cells cannot be", shape[0], shape[1]), "bad_shape");
  return {shape[0], shape[1]};
}

// Barcodes of raw probe matrices say which of them are cells.
void add_cell_flags(const hdf5::Group& matrix, std::int64_t n_cells, Table& obs, std::vector<std::string>& notes) {
  const std::vector<std::uint8_t> flags = flags_if_there(matrix, "filtered_barcodes", n_cells);
  if (flags.empty()) return;
  notes.push_back(fmt::format("{} of {} barcodes are cells by the file's own call: column filtered_barcodes",
                              format_count(std::count(flags.begin(), flags.end(), 1)), format_count(n_cells)));
  obs.columns.push_back(boolean_column("filtered_barcodes", std::vector<bool>(flags.begin(), flags.end())));
}

std::unique_ptr<CellFile> open_tenx(const std::string& path, const OpenOptions& options) {
  const hdf5::Group root = hdf5::open_file(path);
  if (is_molecule_info(root))
    throw DataError(path +
                        " is a molecule_info file: one row a molecule, no matrix of cells. Needed is "
                        "filtered_feature_bc_matrix.h5 of the same run",
                    {.file = path, .reason = "molecule_info"});
  const std::string name = choose_matrix(root, options.genome);
  const hdf5::Group matrix = root.group(name);
  const auto [n_genes, n_cells] = read_shape(matrix);
  const hdf5::Dataset barcodes = matrix.dataset("barcodes");
  if (barcodes.size() != n_cells)
    throw barcodes.error(fmt::format("expected {} barcodes as the shape says, found {}", format_count(n_cells),
                                     format_count(barcodes.size())),
                         "bad_lengths");
  std::vector<std::string> fields;
  // Layout 2 chose by its group.
  GeneView view = view_genes(read_features(matrix, n_genes, fields), name == "matrix" ? options.genome : "", path);
  const hdf5::Dataset data = matrix.dataset("data");
  MatrixInfo info{.name = name,
                  .kind = "csr_matrix",
                  .dtype = data.type().dtype,
                  .n_cells = n_cells,
                  .n_genes = n_genes,
                  .stored = data.size(),
                  .indptr_dtype = matrix.dataset("indptr").type().dtype};
  Table obs = make_obs(n_cells > 0 ? barcodes.read_texts() : std::vector<std::string>{});
  add_cell_flags(matrix, n_cells, obs, view.notes);
  Table var = make_var(std::move(view.features));
  const MatrixInfo stored = info;
  info.n_genes = var.rows();
  auto file = std::make_unique<TenxFile>(
      path, "tenx_h5", std::move(obs), std::move(var), info,
      [path, name, stored, target = std::move(view.target)](std::shared_ptr<const Table> table) {
        auto source = sparse_source(*hdf5::open_store(path)->group(name), stored, table);
        return target.empty() ? std::move(source) : mapped_genes_source(std::move(source), target, table);
      });
  for (const std::string& note : view.notes) file->add_note(note);
  file->set_feature_fields(std::move(fields));
  file->add_note(name == "matrix" ? "10x HDF5, layout 3" : "10x HDF5, layout 2, genome " + name);
  return file;
}

}  // namespace

std::vector<std::string> tenx_matrices(const std::string& path) {
  try {
    if (!hdf5::has_signature(path)) return {};
    return matrices_of(hdf5::open_file(path));
  } catch (const Error&) {
    return {};
  }
}

extern const FormatRecord tenx_h5_format = {"tenx_h5", "10x HDF5, layouts 2 and 3", "h5", recognises, open_tenx};

}  // namespace scvet::io
