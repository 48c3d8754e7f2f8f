#include "trial_reextract.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/data/reordered_cells.h"
#include "scvet/io/embedding.h"
#include "scvet/io/h5ad_writer.h"
#include "scvet/trial/audits.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

std::string neutral_name(std::size_t cell) { return fmt::format("cell_{:06d}", cell); }

// In single quotes for the shell.
std::string quoted(const std::string& path) {
  std::string text = "'";
  for (const char letter : path) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string fill(std::string command, const std::string& place, const std::string& path) {
  bool found = false;
  for (std::size_t at = 0; (at = command.find(place, at)) != std::string::npos; found = true) {
    command.replace(at, place.size(), quoted(path));
    at += path.size();
  }
  if (!found)
    throw UsageError(fmt::format("--encoder '{}' has no {}: it must say where that file goes", command, place),
                     {.field = "encoder"});
  return command;
}

void run_command(const std::string& command, const std::string& output) {
  log_info("running: " + command);
  const int status = std::system(command.c_str());
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ModelError(fmt::format("the encoder failed (exit {}): {}",
                                 status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1, command),
                     {.field = "encoder"});
  if (!fs::exists(output)) throw ModelError("the encoder ended well but did not write " + output, {.file = output});
}

// Values of the cells `order` of an embedding, row-major.
std::vector<double> gather(CellSource& source, std::span<const std::int64_t> order) {
  const auto n_dims = static_cast<std::size_t>(source.info().n_genes);
  std::vector<double> values(order.size() * n_dims);
  trial::visit_cells(source, order, std::int64_t{1} << 30, [&](std::int64_t at, std::span<const double> row) {
    std::copy(row.begin(), row.end(), values.begin() + at * static_cast<std::int64_t>(n_dims));
  });
  return values;
}

std::vector<std::int64_t> find_cells(const io::EmbeddingInput& input, const std::vector<std::string>& names) {
  std::unordered_map<std::string, std::int64_t> place;
  for (std::size_t at = 0; at < input.names.size(); ++at) place[input.names[at]] = static_cast<std::int64_t>(at);
  std::vector<std::int64_t> order;
  for (std::size_t cell = 0; cell < names.size(); ++cell) {
    if (input.names.empty()) {
      order.push_back(static_cast<std::int64_t>(cell));
      continue;
    }
    const auto found = place.find(names[cell]);
    if (found == place.end())
      throw ModelError(
          fmt::format("{}: cell '{}' is missing; the encoder must write one row a cell", input.where, names[cell]),
          {.file = input.where});
    order.push_back(found->second);
  }
  if (order.size() > static_cast<std::size_t>(input.values->info().n_cells))
    throw ModelError(input.where + " has fewer rows than cells went in", {.file = input.where});
  return order;
}

}  // namespace

std::string reextract_cells(const trial::TrialFolder& folder, const std::string& arm, TrialScreenFile& screen,
                            const TrialSanityOptions& options) {
  const auto n_cells = static_cast<std::int64_t>(screen.design.cell_names.size());
  const std::vector<std::int64_t> cells =
      trial::reextract_cells(folder.lock_id(), n_cells, std::min<std::int64_t>(options.reextract, n_cells));
  const fs::path work = fs::absolute(folder.derived_path("reextract_" + arm));
  make_folders(work.string());
  const std::string input = (work / "input.h5ad").string(), output = (work / "output.h5ad").string();
  fs::remove(output);

  Table obs;  // neutral names, no columns: counts alone
  std::vector<std::string> names;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) obs.names.push_back(neutral_name(cell));
  ReorderedCells counts(*screen.counts, cells);
  io::H5adContent content;
  content.obs = &obs;
  content.var = &screen.counts->var();
  content.x = &counts;
  io::write_h5ad(input, content);
  run_command(fill(fill(options.encoder, "{input}", input), "{output}", output), output);

  const io::EmbeddingInput made = io::open_embedding(output, "");
  const std::vector<double> again = gather(*made.values, find_cells(made, obs.names));
  TrialEmbedding given = options.embedding;
  if (given.path.empty() && given.obsm.empty()) given = load_paths(folder).embeddings[arm];
  const io::EmbeddingInput stored =
      io::open_embedding(given.path.empty() ? screen.file->path() : given.path, given.obsm);
  std::vector<std::string> chosen;
  for (const std::int64_t cell : cells) chosen.push_back(screen.design.cell_names[static_cast<std::size_t>(cell)]);
  std::vector<std::int64_t> places = stored.names.empty() ? cells : find_cells(stored, chosen);
  const std::vector<double> before = gather(*stored.values, places);
  const std::int64_t n_dims = stored.values->info().n_genes;
  if (made.values->info().n_genes != n_dims)
    throw ModelError(fmt::format("{}: {} dimensions where the arm has {}", output, made.values->info().n_genes, n_dims),
                     {.file = output});
  const auto n = static_cast<std::int64_t>(cells.size());
  std::vector<std::int64_t> all(cells.size());
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<std::int64_t>(at);
  const trial::EmbeddingFlags::Reextract found =
      trial::compare_reextracted({before.data(), n, n_dims}, all, {again.data(), n, n_dims});
  const nlohmann::json record = {
      {"cells", found.cells}, {"largest", fmt::format("{:.17g}", found.largest)}, {"flag", found.flag}};
  write_file(folder.derived_path("reextract_" + arm + ".json"), record.dump() + "\n");
  return fmt::format("reextracted {} cells: largest relative difference {:.3g}{}", found.cells, found.largest,
                     found.flag ? " (flag: the embedding is not what the encoder gives for these counts)" : "");
}

}  // namespace scvet::jobs
