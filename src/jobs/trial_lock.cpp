#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/io/text_table.h"
#include "scvet/jobs/trial.h"
#include "scvet/numeric/ranks.h"
#include "scvet/trial/digests.h"
#include "scvet/trial/screen.h"
#include "scvet/trial/self_test.h"
#include "trial_common.h"
#include "trial_feasible.h"

namespace scvet::jobs {
namespace {

trial::Protocol choose_protocol(const TrialLockOptions& options) {
  trial::Protocol protocol;
  if (!options.protocol.empty()) {
    protocol = trial::parse_protocol(read_file(options.protocol), options.protocol);
  } else {
    protocol.min_cells = options.min_cells;
    protocol.baseline = trial::parse_baseline(options.baseline);
  }
  return protocol;
}

struct ChosenSplit {
  trial::Split split;
  std::string origin = "derived";
  std::optional<std::uint32_t> seed;
};

std::map<std::string, trial::Part> read_split_file(const std::string& path) {
  const io::TextTable text = io::read_text_table(path);
  const Column* part = text.table.find("split");
  if (!part) part = text.table.columns.empty() ? nullptr : &text.table.columns.back();
  const Column* target = text.table.find("target_gene");
  if (!part)
    throw UsageError(path + ": expected a table with columns target_gene and split (train, val or test)",
                     {.file = path, .field = "split"});
  std::map<std::string, trial::Part> parts;
  for (std::int64_t row = 0; row < text.n_rows(); ++row) {
    const std::string gene = target ? target->text(row) : text.table.names[static_cast<std::size_t>(row)];
    const auto [place, fresh] = parts.emplace(gene, trial::parse_part(part->text(row), path));
    if (!fresh && place->second != trial::parse_part(part->text(row), path))
      throw DataError(fmt::format("{}: target gene '{}' stands in two parts", path, gene), {.file = path, .row = row});
  }
  return parts;
}

std::uint32_t parse_seed(const std::string& text) {
  const auto seed = parse_integer(text);
  if (!seed || *seed < 0 || *seed > 4294967295)
    throw UsageError(fmt::format("--split-seed expects a whole number from 0 to 4294967295, found '{}'", text),
                     {.field = "split-seed"});
  return static_cast<std::uint32_t>(*seed);
}

ChosenSplit choose_split(const TrialLockOptions& options, const trial::Protocol& protocol,
                         std::span<const std::string> targets, const std::string& counts_digest) {
  ChosenSplit chosen;
  const int given = !options.split_seed.empty() + !options.preset.empty() + !options.split.empty();
  if (given > 1) throw UsageError("pass one of --split-seed, --preset and --split", {.field = "split"});
  if (!options.split.empty()) {
    chosen.origin = "file";
    chosen.split = trial::make_split(targets, read_split_file(options.split), protocol.cv_folds);
    return chosen;
  }
  if (!options.split_seed.empty()) {
    chosen.origin = "custom";
    chosen.seed = parse_seed(options.split_seed);
  } else if (options.preset == "replogle_rpe1" || options.preset == "replogle_k562_gwps") {
    chosen.origin = options.preset;
    chosen.seed = options.preset == "replogle_rpe1" ? trial::kSeedRpe1 : trial::kSeedK562Gwps;
  } else if (!options.preset.empty()) {
    throw UsageError(
        fmt::format("unknown --preset '{}' (available: replogle_rpe1, replogle_k562_gwps)", options.preset),
        {.field = "preset"});
  } else {
    chosen.seed = trial::derived_split_seed(counts_digest, trial::protocol_hash(protocol));
  }
  chosen.split = trial::make_split(targets, *chosen.seed, trial::split_fractions(protocol), protocol.cv_folds);
  return chosen;
}

trial::DataRecord data_record(const TrialLockOptions& options, const TrialScreenFile& screen, const trial::Screen& scan,
                              std::string file_sha256) {
  trial::DataRecord record;
  record.row_key = options.counts.row_key;
  record.target_key = options.counts.target_key;
  record.batch_key = options.counts.batch_key;
  record.control_label = options.counts.control_label;
  record.layer = screen.layer;
  record.counts_digest = scan.counts_digest;
  record.design_digest = screen.design.digest;
  record.counts_file_sha256 = std::move(file_sha256);
  record.n_cells = static_cast<std::int64_t>(screen.design.cell_names.size());
  record.n_genes = scan.n_genes;
  record.n_nt = static_cast<std::int64_t>(screen.design.nt_cells.size());
  record.rows_eligible = static_cast<std::int64_t>(scan.eligible.size());
  record.rows_excluded = static_cast<std::int64_t>(scan.rows.size()) - record.rows_eligible;
  record.target_genes = std::ssize(sorted_distinct(targets_of(screen.design, scan.eligible)));
  return record;
}

// The diagnostic label beside the label, train and val only: no word on the test part.
double diagnostic_spearman(const trial::Screen& scan, const trial::Split& split) {
  std::vector<double> y, d15;
  for (std::size_t row = 0; row < scan.eligible.size(); ++row) {
    const trial::ScreenRow& found = scan.rows[static_cast<std::size_t>(scan.eligible[row])];
    if (split.part[row] == trial::Part::kTest || std::isnan(found.d15)) continue;
    y.push_back(found.y);
    d15.push_back(found.d15);
  }
  return numeric::spearman(y, d15);
}

TrialLockResult summarise(const trial::LockContents& contents, const trial::Split& split,
                          std::span<const std::string> targets) {
  TrialLockResult result;
  for (const trial::Part part : trial::kParts) {
    result.rows[static_cast<int>(part)] = trial::count_rows(split, part);
    result.targets[static_cast<int>(part)] = trial::count_targets(targets, split, part);
  }
  result.n_excluded = contents.data.rows_excluded;
  result.counts_digest = contents.data.counts_digest;
  result.protocol_sha256 = trial::protocol_hash(contents.protocol);
  const auto zeros = std::count_if(contents.labels_trainval.begin(), contents.labels_trainval.end(),
                                   [](const trial::LabelLine& line) { return line.y == 0; });
  result.share_zero =
      static_cast<double>(zeros) / static_cast<double>(std::max<std::size_t>(contents.labels_trainval.size(), 1));
  return result;
}

trial::ArmRecord arm_record(const TrialArm& arm, const TrialEmbeddingPass& embedding,
                            const trial::ExtractionRecord& extraction) {
  trial::ArmRecord record;
  record.arm = arm.name;
  record.model = arm.model.empty() ? arm.name : arm.model;
  record.role = arm.role;
  record.embedding_digest = embedding.digest;
  record.embedding_key = embedding.key;
  record.z_sha256 = trial::array_sha256(embedding.z);
  record.dim = embedding.n_dims;
  record.extraction = extraction;
  return record;
}

void save_arrays(const std::string& folder, const trial::Screen& scan, const trial::Features& features) {
  const auto n_rows = static_cast<std::int64_t>(scan.eligible.size());
  save_derived(folder, "x_delta.npy", scan.x_delta, n_rows, scan.n_genes);
  save_derived(folder, "mag.npy", features.mag, n_rows, 4);
  std::string hashes(reinterpret_cast<const char*>(scan.record_hash.data()), scan.record_hash.size() * 8);
  write_file(folder + "/derived/record_hash.u64", hashes);
}

void require_free(const std::string& folder) {
  if (folder.empty()) throw UsageError("name the folder of the trial with --trial", {.field = "trial"});
  if (std::filesystem::exists(folder + "/manifest.json") || std::filesystem::exists(folder + "/ledger.jsonl"))
    throw UsageError(folder + " holds a lock already; give --trial another folder (a corrected lock: --supersedes)",
                     {.file = folder, .field = "trial"});
}

}  // namespace

TrialLockResult lock_trial(const TrialLockOptions& options) {
  trial::require_golden();
  require_free(options.place.folder);
  trial::check_arm_name(options.arm.name);
  const trial::ExtractionRecord extraction =
      trial::parse_extraction(read_file(options.arm.extraction), options.arm.extraction);
  trial::LockContents contents;
  contents.protocol = choose_protocol(options);
  TrialScreenFile screen = open_screen(options.counts);
  log_info("reading the screen");
  const trial::Screen scan = trial::scan_screen(*screen.counts, screen.design,
                                                {.min_cells = contents.protocol.min_cells}, options.counts.path);
  const TrialEmbeddingPass embedding =
      read_trial_embedding(options.embedding, options.counts.path, screen.design, scan.eligible, scan.record_hash);

  const std::vector<std::string> targets = targets_of(screen.design, scan.eligible);
  const ChosenSplit chosen = choose_split(options, contents.protocol, targets, scan.counts_digest);
  for (std::size_t row = 0; row < scan.eligible.size(); ++row) {
    const auto at = static_cast<std::size_t>(scan.eligible[row]);
    const std::string& id = screen.design.rows[at].id;
    const bool test = chosen.split.part[row] == trial::Part::kTest;
    contents.split.push_back({id, targets[row], trial::part_name(chosen.split.part[row]), chosen.split.fold[row]});
    (test ? contents.labels_test : contents.labels_trainval).push_back({id, scan.rows[at].y});
  }
  const std::vector<std::string> notes =
      require_feasible(contents, chosen.split, targets, scan.n_genes, options.underpowered);

  const auto n_rows = static_cast<std::int64_t>(scan.eligible.size());
  const trial::Features features = trial::make_features(scan.x_delta, n_rows, scan.n_genes);
  contents.data = data_record(options, screen, scan, sha256_path(options.counts.path));
  contents.rows = row_lines(screen.design, scan, contents.protocol.min_cells);
  contents.x_delta_sha256 = trial::array_sha256(scan.x_delta);
  contents.x_unit_delta_sha256 = trial::array_sha256(features.x_unit_delta);
  contents.mag_sha256 = trial::array_sha256(features.mag);
  contents.split_origin = chosen.origin;
  contents.split_seed = chosen.seed;
  contents.numerics = trial::numerics_id();
  contents.underpowered = options.underpowered;
  contents.cell_sketch = scan.cell_sketch;
  if (!options.supersedes.empty()) {
    if (options.reason.empty())
      throw UsageError("--supersedes needs --reason: why the earlier lock is corrected", {.field = "reason"});
    contents.supersedes = trial::Supersedes{options.supersedes, options.reason};
  }

  // Arrays first: a lock that stands without them could not be used.
  make_folders(options.place.folder + "/derived");
  save_arrays(options.place.folder, scan, features);
  save_derived(options.place.folder, "z_" + options.arm.name + ".npy", embedding.z, n_rows, embedding.n_dims);
  save_paths(options.place.folder, {.counts = options.counts, .embeddings = {{options.arm.name, options.embedding}}});
  trial::FolderOptions folder_choice = folder_options(options.place, options.injection);
  folder_choice.attested_by = options.attested_by;
  trial::TrialFolder folder = trial::TrialFolder::create(options.place.folder, contents, folder_choice);
  folder.register_arm(arm_record(options.arm, embedding, extraction), true);

  TrialLockResult result = summarise(contents, chosen.split, targets);
  result.lock_id = folder.lock_id();
  result.d15_spearman = diagnostic_spearman(scan, chosen.split);
  result.notes = notes;
  const trial::Disclosures shown = folder.disclosures(options.arm.name);
  result.notes.push_back(fmt::format("locks on this data: {}, tests opened on it before: {}", shown.locks_on_this_data,
                                     shown.prior_openings));
  if (embedding.n_extra > 0)
    result.notes.push_back(
        fmt::format("{} cells of the embedding are not in the counts: not used", format_count(embedding.n_extra)));
  return result;
}

void add_trial_arm(const TrialAddArmOptions& options) {
  trial::require_golden();
  trial::check_arm_name(options.arm.name);
  const trial::ExtractionRecord extraction =
      trial::parse_extraction(read_file(options.arm.extraction), options.arm.extraction);
  trial::TrialFolder folder =
      trial::TrialFolder::open_for_writing(options.place.folder, folder_options(options.place, options.injection));
  TrialScreenFile screen = reopen_screen(folder, options.counts);
  const TrialEmbeddingPass embedding = read_trial_embedding(options.embedding, screen.file->path(), screen.design,
                                                            eligible_rows(folder, screen.design), {});
  const trial::ArmRecord arm = arm_record(options.arm, embedding, extraction);
  const std::string z = "z_" + arm.arm + ".npy";
  if (folder.state(arm.arm) == trial::ArmState::kUnknown) {
    const auto n_rows = static_cast<std::int64_t>(folder.split().size());
    save_derived(folder.folder(), z, embedding.z, n_rows, embedding.n_dims);
    TrialPaths paths = load_paths(folder);
    paths.embeddings[arm.arm] = options.embedding;
    save_paths(folder.folder(), paths);
  }
  folder.register_arm(arm, false);
}

}  // namespace scvet::jobs
