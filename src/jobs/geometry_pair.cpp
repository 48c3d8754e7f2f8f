#include "geometry_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>

#include "cells_by_name.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/io/format.h"
#include "scvet/jobs/embedding_cells.h"

namespace scvet::jobs {
namespace {

// The files name other cells: the row fails by a reason of its own.
struct AlignmentError : DataError {
  using DataError::DataError;
};

// For each cell of the counts its row of the embedding.
std::vector<std::int64_t> align(const EmbeddingCells& embedding, const Table& obs, const GeometryPair& pair) {
  if (obs.names == embedding.obs.names) {
    std::vector<std::int64_t> places(obs.names.size());
    std::iota(places.begin(), places.end(), std::int64_t{0});
    return places;
  }
  try {
    if (const Duplicate twice = find_duplicate(obs.names); twice.row_a >= 0)
      throw DataError(fmt::format("{}: cell name '{}' stands twice; names must be unique", pair.data, twice.name));
    if (obs.rows() < embedding.n_cells()) cells_by_name(embedding.obs.names, obs.names, pair.embedding, pair.data);
    return cells_by_name(obs.names, embedding.obs.names, pair.data, pair.embedding);
  } catch (const DataError& error) {
    throw AlignmentError(error.what(), error.facts());
  }
}

EmbeddingCells read_embedding(const std::string& path) {
  try {
    return read_embedding_cells(path);
  } catch (const DataError& error) {
    if (error.facts().reason == "duplicate_name") throw AlignmentError(error.what(), error.facts());
    throw;
  }
}

// A column of obs for these cells: of the counts where it is there, else of the embedding.
struct ObsColumns {
  const Table& data;
  const Table& embedding;
  const std::vector<std::int64_t>& data_cells;
  const std::vector<std::int64_t>& embedding_cells;

  std::optional<Column> find(const std::string& key) const {
    for (const auto& [obs, cells] : {std::pair(&data, &data_cells), std::pair(&embedding, &embedding_cells)})
      if (const Column* column = obs->find(key)) {
        const Table one{"", obs->names, {*column}};
        return select_rows(one, *cells).columns.front();
      }
    return std::nullopt;
  }
};

// A missing batch is a batch of its own, called nan; an empty name is a name.
Groups batch_groups(const Column& column) {
  std::vector<std::string> texts;
  for (std::int64_t cell = 0; cell < column.size(); ++cell)
    texts.push_back(column.is_missing(cell) ? "nan" : column.text(cell));
  return make_groups(string_column(column.name, std::move(texts)));
}

// Genes that var["mt"] or var["ercc"] marks.
std::vector<std::uint8_t> marked_genes(const Table& var) {
  std::vector<std::uint8_t> marked(var.names.size(), 0);
  for (const char* const name : {"mt", "ercc"}) {
    const Column* const column = var.find(name);
    if (!column || column->kind != Column::Kind::kBoolean) continue;
    for (std::size_t gene = 0; gene < marked.size(); ++gene)
      if (!column->is_missing(static_cast<std::int64_t>(gene)) && column->integers[gene]) marked[gene] = 1;
  }
  return marked;
}

std::unique_ptr<CellSource> open_counts(CellFile& file) {
  const std::vector<MatrixInfo> matrices = file.matrices();
  if (matrices.empty())
    throw DataError(file.path() + ": no matrix of cells x genes; R_NX needs raw counts there",
                    {.file = file.path(), .reason = "no_matrix"});
  if (matrices.front().ranked)
    throw DataError(file.path() + ": token lists hold no counts; R_NX needs raw counts",
                    {.file = file.path(), .reason = "no_counts"});
  return file.open_matrix(matrices.front().name);
}

void measure(const GeometryPair& pair, const GeometryOptions& options, GeometryRow& row) {
  EmbeddingCells embedding = read_embedding(pair.embedding);
  const std::unique_ptr<CellFile> file = io::open_cells(pair.data);
  const std::vector<std::int64_t> places = align(embedding, file->obs(), pair);
  const bool same_order = file->obs().names == embedding.obs.names;

  std::vector<std::int64_t> data_cells, embedding_cells;  // those used, in the order of the counts
  std::vector<std::uint8_t> embedded(places.size(), 0);
  for (const std::int64_t cell : embedding.embedded_cells) embedded[static_cast<std::size_t>(cell)] = 1;
  std::vector<std::int64_t> candidates;
  for (std::size_t cell = 0; cell < places.size(); ++cell)
    if (embedded[static_cast<std::size_t>(places[cell])]) candidates.push_back(static_cast<std::int64_t>(cell));
  for (const std::int64_t at :
       metrics::used_cells(std::ssize(candidates), options.max_cells, options.seed, pair.dataset_id)) {
    data_cells.push_back(candidates[static_cast<std::size_t>(at)]);
    embedding_cells.push_back(places[static_cast<std::size_t>(data_cells.back())]);
  }
  row.n_cells_total = embedding.n_cells();
  row.n_cells_used = std::ssize(data_cells);
  row.embedding_dim = embedding.n_dims;
  log_info(fmt::format("geometry {} {}: {} of {} cells, {} dimensions", row.method, row.dataset_id,
                       format_count(row.n_cells_used), format_count(row.n_cells_total), row.embedding_dim));

  const std::vector<float> values = select_rows(embedding.view(), embedding_cells);
  std::vector<float>().swap(embedding.values);
  metrics::GeometryInput input;
  input.dataset_id = pair.dataset_id;
  input.method = row.method;
  input.seed = options.seed;
  input.batch_key = options.batch_key;
  input.n_genes = options.n_genes;
  input.z = {values.data(), row.n_cells_used, row.embedding_dim};
  const metrics::Standardised standard = metrics::standardise(input.z);
  input.standard = {standard.values.data(), row.n_cells_used, row.embedding_dim};
  row.zero_var_dims = standard.zero_var_dims;

  const ObsColumns columns{file->obs(), embedding.obs, data_cells, embedding_cells};
  Groups labels, batches;
  if (const auto column = columns.find(options.label_key)) {
    labels = make_groups(*column);
    input.labels = &labels;
  } else {
    log_warning(pair.data + ": no obs column '" + options.label_key +
                "': probes of cell types stay empty (--label-key names another)");
  }
  if (const auto column = columns.find(options.batch_key)) {
    batches = batch_groups(*column);
    input.batches = &batches;
  } else {
    log_warning(pair.data + ": no obs column '" + options.batch_key +
                "': all cells count as one batch (--batch-key names another)");
  }
  const std::unique_ptr<CellSource> source = open_counts(*file);
  const CsrMatrix counts = read_csr(*source, data_cells);
  const std::vector<std::uint8_t> marked = marked_genes(source->var());
  input.counts = counts.view();
  input.genes = source->var().names;
  input.technical_genes = marked;

  row.probes = metrics::measure_geometry(input);
  row.probes.notes =
      std::string("obs_alignment=") + (same_order ? "exact_order" : "reordered_by_obs_names") + ";" + row.probes.notes;
  if (embedding.n_missing() > 0) row.probes.notes += fmt::format(";dropped_nan_rows={}", embedding.n_missing());
}

}  // namespace

GeometryRow measure_pair(const GeometryPair& pair, const std::string& method, const GeometryOptions& options) {
  GeometryRow row{.dataset_id = pair.dataset_id, .method = method, .embedding_file = base_name(pair.embedding)};
  try {
    measure(pair, options, row);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const AlignmentError& error) {
    row.probes.failure = "RuntimeError:obs_alignment_failed:" + std::string(error.what());
  } catch (const std::exception& error) {
    row.probes.failure = metrics::failure_text(error);
  }
  return row;
}

}  // namespace scvet::jobs
