// Two parties (specification 19): the organiser holds all counts and gives participants what they may have.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/data/reordered_cells.h"
#include "scvet/io/h5ad_writer.h"
#include "trial_common.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// 32 bytes from the operating system: a salt and an order that nobody can guess. The one place of a trial that is not
// repeatable; what is drawn is kept in private/.
std::string random_hex() {
  std::random_device device;
  std::string text;
  for (int word = 0; word < 8; ++word) text += fmt::format("{:08x}", device());
  return text;
}

std::string private_path(const trial::TrialFolder& folder, const std::string& name) {
  return folder.path("private/" + name);
}

void write_private(const trial::TrialFolder& folder, const std::string& name, const std::string& bytes) {
  const std::string path = private_path(folder, name);
  write_file(path, bytes);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

// The salt, made once.
std::string salt_of(const trial::TrialFolder& folder) {
  const std::string path = private_path(folder, "salt.txt");
  if (!fs::exists(path)) write_private(folder, "salt.txt", random_hex() + "\n");
  std::string salt = read_file(path);
  salt.erase(salt.find_last_not_of('\n') + 1);
  return salt;
}

std::vector<std::int64_t> cells_without_test(const trial::TrialFolder& folder, const trial::Design& design) {
  std::set<std::string> test;
  for (const trial::SplitLine& line : folder.split())
    if (line.split == "test") test.insert(line.row_id);
  std::vector<std::uint8_t> hidden(design.cell_names.size(), 0);
  for (const trial::DesignRow& row : design.rows)
    if (test.contains(row.id))
      for (const std::int64_t cell : row.cells) hidden[static_cast<std::size_t>(cell)] = 1;
  std::vector<std::int64_t> cells;
  for (std::size_t cell = 0; cell < hidden.size(); ++cell)
    if (!hidden[cell]) cells.push_back(static_cast<std::int64_t>(cell));
  return cells;
}

void write_counts(const std::string& path, const TrialScreenFile& screen, CellSource& counts, const Table& obs) {
  io::H5adContent content;
  content.obs = &obs;
  content.var = &screen.counts->var();
  content.x = &counts;
  io::write_h5ad(path, content);
}

// All cells in an order of chance under names that say nothing; the names go to private/cells.tsv.
void write_blind(const trial::TrialFolder& folder, const TrialScreenFile& screen, const std::string& path) {
  std::vector<std::int64_t> order(screen.design.cell_names.size());
  for (std::size_t cell = 0; cell < order.size(); ++cell) order[cell] = static_cast<std::int64_t>(cell);
  std::random_device device;
  for (std::size_t at = order.size(); at-- > 1;)
    std::swap(order[at], order[std::uniform_int_distribution<std::size_t>(0, at)(device)]);
  Table obs;
  std::string names = "name\tcell\n";
  for (std::size_t at = 0; at < order.size(); ++at) {
    obs.names.push_back(fmt::format("blind_{:08d}", at));
    names += obs.names.back() + "\t" + screen.design.cell_names[static_cast<std::size_t>(order[at])] + "\n";
  }
  write_private(folder, "cells.tsv", names);
  ReorderedCells counts(*screen.counts, order);
  write_counts(path, screen, counts, obs);
}

// Test rows and their target genes under other names.
std::string renamed_split(const trial::TrialFolder& folder) {
  std::vector<trial::SplitLine> lines = folder.split();
  std::map<std::string, std::string> target_name;
  std::string names = "public_name\trow_id\n";
  int row = 0;
  for (trial::SplitLine& line : lines) {
    if (line.split != "test") continue;
    const std::string id = fmt::format("test_row_{:05d}", ++row);
    names += id + "\t" + line.row_id + "\n";
    const auto [place, fresh] = target_name.emplace(line.target_gene, "");
    if (fresh) place->second = fmt::format("test_target_{:05d}", target_name.size());
    line.row_id = id;
    line.target_gene = place->second;
  }
  write_private(folder, "rows.tsv", names);
  std::sort(lines.begin(), lines.end(),
            [](const trial::SplitLine& a, const trial::SplitLine& b) { return a.row_id < b.row_id; });
  return trial::split_tsv(lines);
}

TrialStageResult publish(const trial::TrialFolder& folder, const TrialPublishOptions& options,
                         const std::string& outdir) {
  TrialScreenFile screen = reopen_screen(folder, options.counts);
  make_folders(outdir);
  const std::vector<std::int64_t> cells = cells_without_test(folder, screen.design);
  const Table obs = select_rows(screen.file->obs(), cells);
  log_info("writing the counts without the test rows' cells");
  ReorderedCells open_counts(*screen.counts, cells);
  write_counts(outdir + "/counts.h5ad", screen, open_counts, obs);
  log_info("writing all cells under other names");
  write_blind(folder, screen, outdir + "/blind.h5ad");
  write_file(outdir + "/labels.trainval.tsv", read_file(folder.path("labels.trainval.tsv")));
  write_file(outdir + "/protocol.json", read_file(folder.path("protocol.json")));
  write_file(outdir + "/split.tsv", renamed_split(folder));
  const std::string commitment = trial::label_commitment(salt_of(folder), read_file(folder.path("labels.test.tsv")));
  write_file(outdir + "/commitment.json",
             json{{"schema", "scvet-trial-commitment-1"},
                  {"lock", folder.lock_id()},
                  {"commitment", commitment},
                  {"of", "SHA-256(salt || bytes of labels.test.tsv), salt 32 bytes, revealed after the last arm"}}
                     .dump(2) +
                 "\n");
  TrialStageResult result;
  result.headline = "commitment " + commitment;
  result.lines = {
      fmt::format("{} of {} cells are open, all are in blind.h5ad", cells.size(), screen.design.cell_names.size()),
      "private/ holds salt and names: keep it to yourself", "outputs: " + outdir};
  result.state = "published";
  return result;
}

// After the last arm. The labels must be those that were committed to.
TrialStageResult reveal(const trial::TrialFolder& folder, const std::string& outdir) {
  std::vector<std::string> arms = folder.arms();
  for (const std::string& arm : arms) folder.require_state(arm, trial::Step::kAfterDone);
  const std::string published = outdir + "/commitment.json";
  const json record = json::parse(read_file(published), nullptr, false);
  if (!record.is_object() || !record.contains("commitment"))
    throw DataError(published + " holds no commitment; pass the folder of 'scvet trial publish' as --outdir",
                    {.file = published});
  const std::string labels = read_file(folder.path("labels.test.tsv")), salt = salt_of(folder);
  trial::require_commitment(record["commitment"].get<std::string>(), salt, labels, published);
  write_file(outdir + "/labels.test.tsv", labels);
  write_file(outdir + "/reveal.json",
             json{{"schema", "scvet-trial-reveal-1"}, {"lock", folder.lock_id()}, {"salt", salt}}.dump(2) + "\n");
  TrialStageResult result;
  result.headline = "the revealed labels are those of the commitment";
  result.lines = {"salt " + salt, "outputs: " + outdir + "/reveal.json, labels.test.tsv"};
  result.state = "revealed";
  return result;
}

}  // namespace

TrialStageResult publish_trial(const TrialPublishOptions& options) {
  const trial::TrialFolder folder = trial::TrialFolder::open(options.place.folder, folder_options(options.place));
  folder.require_intact();
  const std::string outdir = options.outdir.empty() ? options.place.folder + "/public" : options.outdir;
  return options.reveal ? reveal(folder, outdir) : publish(folder, options, outdir);
}

}  // namespace scvet::jobs
