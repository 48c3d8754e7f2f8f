#include "trial_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/npy.h"
#include "scvet/trial/digests.h"
#include "scvet/trial/screen.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string absolute(const std::string& path) { return path.empty() ? path : fs::absolute(path).string(); }

LockError derived_changed(const std::string& path, const std::string& what) {
  return LockError(fmt::format("{}: {}; restore it from a copy, or lock again (reason=derived_changed)", path, what),
                   {.file = path, .reason = "derived_changed"});
}

std::size_t index_of(const std::vector<std::string>& sorted, const std::string& name) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), name) - sorted.begin());
}

json embedding_json(const TrialEmbedding& embedding) {
  return {{"path", absolute(embedding.path)},
          {"obsm", embedding.obsm},
          {"same_order", embedding.same_order},
          {"cell_names", absolute(embedding.cell_names)}};
}

TrialEmbedding parse_embedding(const json& value) {
  return {value.value("path", ""), value.value("obsm", ""), value.value("same_order", false),
          value.value("cell_names", "")};
}

}  // namespace

std::string choose_arm(const trial::TrialFolder& folder, const std::string& arm) {
  if (!arm.empty()) return arm;
  const std::vector<std::string> arms = folder.arms();
  if (arms.size() == 1) return arms.front();
  if (arms.empty())
    throw LockError(folder.folder() + " has no arm yet: scvet trial add-arm (reason=arm_unknown)",
                    {.file = folder.folder(), .reason = "arm_unknown"});
  throw UsageError(fmt::format("{} has several arms ({}): pass --arm", folder.folder(), join(arms, ", ")),
                   {.field = "arm"});
}

void save_paths(const std::string& trial_folder, const TrialPaths& paths) {
  json text = {{"counts",
                {{"path", absolute(paths.counts.path)},
                 {"layer", paths.counts.layer},
                 {"row_key", paths.counts.row_key},
                 {"target_key", paths.counts.target_key},
                 {"batch_key", paths.counts.batch_key},
                 {"control_label", paths.counts.control_label}}},
               {"embeddings", json::object()}};
  for (const auto& [arm, embedding] : paths.embeddings) text["embeddings"][arm] = embedding_json(embedding);
  write_file(trial_folder + "/derived/inputs.json", text.dump(2) + "\n");
}

TrialPaths load_paths(const trial::TrialFolder& folder) {
  TrialPaths paths;
  const trial::DataRecord& data = folder.data();
  paths.counts = {.path = "",
                  .layer = data.layer,
                  .row_key = data.row_key,
                  .target_key = data.target_key,
                  .batch_key = data.batch_key,
                  .control_label = data.control_label};
  const std::string path = folder.derived_path("inputs.json");
  if (!fs::exists(path)) return paths;
  const json text = json::parse(read_file(path), nullptr, false);
  if (!text.is_object() || !text.contains("counts") || !text.contains("embeddings")) return paths;
  paths.counts.path = text["counts"].value("path", "");
  for (const auto& [arm, embedding] : text["embeddings"].items()) paths.embeddings[arm] = parse_embedding(embedding);
  return paths;
}

TrialScreenFile reopen_screen(const trial::TrialFolder& folder, const std::string& path) {
  TrialCounts counts = load_paths(folder).counts;
  if (!path.empty()) counts.path = path;
  if (counts.path.empty() || !fs::exists(counts.path))
    throw DataError(
        fmt::format("{}: the counts of this trial are not at '{}'; pass --counts FILE", folder.folder(), counts.path),
        {.file = counts.path, .field = "counts"});
  TrialScreenFile screen = open_screen(counts);
  folder.require_design(screen.design.digest);
  return screen;
}

std::vector<std::int64_t> eligible_rows(const trial::TrialFolder& folder, const trial::Design& design) {
  std::vector<std::int64_t> eligible;
  const std::vector<trial::RowLine> rows = folder.rows();
  bool same = rows.size() == design.rows.size();
  for (std::size_t row = 0; same && row < rows.size(); ++row) {
    same = rows[row].row_id == design.rows[row].id && rows[row].target_gene == design.rows[row].target;
    if (rows[row].eligible) eligible.push_back(static_cast<std::int64_t>(row));
  }
  if (!same)
    throw LockError(folder.path("rows.tsv") + ": its rows are not those of the counts (reason=rows_changed)",
                    {.file = folder.path("rows.tsv"), .reason = "rows_changed"});
  return eligible;
}

TrialEmbeddingPass reread_embedding(const trial::TrialFolder& folder, const std::string& arm,
                                    const TrialEmbedding& given, const TrialScreenFile& screen,
                                    std::span<const std::uint64_t> record_hash) {
  const TrialPaths paths = load_paths(folder);
  TrialEmbedding embedding = given;
  if (given.path.empty() && given.obsm.empty()) {
    const auto known = paths.embeddings.find(arm);
    if (known != paths.embeddings.end()) embedding = known->second;
    if (embedding.path.empty() && embedding.obsm.empty())
      throw UsageError(fmt::format("{}: nothing tells where the embedding of arm '{}' lies; pass --embedding FILE or "
                                   "--obsm KEY",
                                   folder.folder(), arm),
                       {.field = "embedding"});
  }
  const std::string counts_path = screen.file->path();
  TrialEmbeddingPass pass =
      read_trial_embedding(embedding, counts_path, screen.design, eligible_rows(folder, screen.design), record_hash);
  folder.require_embedding(arm, pass.digest);
  return pass;
}

void save_derived(const std::string& trial_folder, const std::string& name, std::span<const double> values,
                  std::int64_t rows, std::int64_t columns) {
  io::write_npy(trial_folder + "/derived/" + name, values.data(), rows, columns);
}

std::vector<double> load_derived(const trial::TrialFolder& folder, const std::string& name, std::int64_t rows,
                                 std::int64_t columns) {
  const std::string path = folder.derived_path(name);
  if (!fs::exists(path)) throw derived_changed(path, "is missing");
  io::NpyMatrix matrix;
  try {
    matrix = io::read_npy(path);
  } catch (const DataError& error) {
    throw derived_changed(path, std::string("cannot be read: ") + error.what());
  }
  if (matrix.rows != rows || matrix.columns != columns)
    throw derived_changed(
        path, fmt::format("is {} x {} where {} x {} was locked", matrix.rows, matrix.columns, rows, columns));
  return std::move(matrix.values);
}

std::unique_ptr<LoadedTrial> load_trial(const trial::TrialFolder& folder) {
  auto loaded = std::make_unique<LoadedTrial>();
  trial::TrialData& data = loaded->data;
  std::map<std::string, std::int64_t> cells;
  for (const trial::RowLine& row : folder.rows()) cells[row.row_id] = row.n_cells;
  for (const trial::SplitLine& line : folder.split()) {
    data.row_id.push_back(line.row_id);
    data.target.push_back(line.target_gene);
    data.n_cells.push_back(cells.at(line.row_id));
    data.split.part.push_back(trial::parse_part(line.split, folder.path("split.tsv")));
    data.split.fold.push_back(line.fold);
  }
  const auto n_rows = static_cast<std::int64_t>(data.row_id.size());
  const std::int64_t n_genes = folder.data().n_genes;
  loaded->x_delta = load_derived(folder, "x_delta.npy", n_rows, n_genes);
  trial::Features features = trial::make_features(loaded->x_delta, n_rows, n_genes);
  loaded->x_unit_delta = std::move(features.x_unit_delta);
  loaded->mag = load_derived(folder, "mag.npy", n_rows, 4);
  folder.require_arrays(trial::array_sha256(loaded->x_delta), trial::array_sha256(loaded->x_unit_delta),
                        trial::array_sha256(loaded->mag));
  data.x_delta = {loaded->x_delta.data(), n_rows, n_genes};
  data.x_unit_delta = {loaded->x_unit_delta.data(), n_rows, n_genes};
  data.mag = {loaded->mag.data(), n_rows, 4};
  data.y.assign(data.row_id.size(), kMissing);
  for (const trial::LabelLine& label : folder.labels_trainval()) data.y[index_of(data.row_id, label.row_id)] = label.y;
  return loaded;
}

void reveal_labels(const trial::TrialFolder& folder, const std::string& arm, trial::TrialData& data) {
  for (const trial::LabelLine& label : folder.labels_test(arm)) data.y[index_of(data.row_id, label.row_id)] = label.y;
}

ArmMatrix load_z(const trial::TrialFolder& folder, const std::string& arm) {
  const trial::ArmRecord record = folder.arm(arm);
  ArmMatrix z;
  z.dim = record.dim;
  z.values = load_derived(folder, "z_" + arm + ".npy", static_cast<std::int64_t>(folder.split().size()), record.dim);
  if (trial::array_sha256(z.values) != record.z_sha256)
    throw derived_changed(folder.derived_path("z_" + arm + ".npy"), "differs from the digest in arm.json");
  return z;
}

std::string fixed_bytes(const trial::TrialData& data, const trial::FixedPredictions& fixed) {
  std::vector<trial::FixedLine> lines;
  for (std::size_t row = 0; row < data.row_id.size(); ++row)
    lines.push_back(
        {data.row_id[row], trial::part_name(data.split.part[row]), fixed.mag_only[row], fixed.baseline[row]});
  return trial::fixed_tsv(lines);
}

trial::FixedPredictions parse_fixed_predictions(const trial::TrialFolder& folder, const trial::TrialData& data) {
  trial::FixedPredictions fixed;
  const std::vector<trial::FixedLine> lines = trial::parse_fixed(folder.fixed(), folder.path("fixed.tsv"));
  if (lines.size() != data.row_id.size())
    throw LockError(folder.path("fixed.tsv") + " has other rows than split.tsv (reason=fixed_predictions_changed)",
                    {.file = folder.path("fixed.tsv"), .reason = "fixed_predictions_changed"});
  for (const trial::FixedLine& line : lines) {
    fixed.mag_only.push_back(line.mag_only);
    fixed.baseline.push_back(line.baseline);
  }
  return fixed;
}

trial::ArmPredictions stored_predictions(const trial::TrialFolder& folder, const std::string& arm,
                                         const trial::TrialData& data) {
  const trial::PredictionsTable table = folder.predictions(arm);
  const auto spread = [&](const std::vector<std::vector<double>>& stored) {
    std::vector<std::vector<double>> all;
    for (const std::vector<double>& seed : stored) {
      all.emplace_back(data.row_id.size(), kMissing);
      for (std::size_t row = 0; row < seed.size(); ++row)
        all.back()[index_of(data.row_id, table.row_id[row])] = seed[row];
    }
    return all;
  };
  return {spread(table.model), spread(table.gaussian), spread(table.shuffle)};
}

trial::PartScores part_scores(std::span<const trial::PredictorScores> scores, const trial::Protocol& protocol) {
  trial::PartScores part;
  for (const trial::PredictorScores& predictor : scores)
    for (std::size_t seed = 0; seed < predictor.seeds.size(); ++seed)
      part[predictor.name][protocol.seeds[seed]] = {predictor.seeds[seed].r2, predictor.seeds[seed].spearman,
                                                    predictor.seeds[seed].mae};
  return part;
}

}  // namespace scvet::jobs
