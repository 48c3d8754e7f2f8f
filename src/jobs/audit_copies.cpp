#include "audit_copies.h"

#include <fmt/format.h>

#include <set>

#include "audit_outputs.h"
#include "cell_subset.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/io/dictionary.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::jobs {
namespace {

std::string clean_name(const std::string& copy) { return stem(copy) + ".clean.h5ad"; }

// One name a file, of the copy and of its clean cells, also when two benchmarks bear the same stem.
std::vector<std::string> copy_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& path : paths) {
    std::string name = stem(path) + ".h5ad";
    for (int number = 2; taken.contains(name) || taken.contains(clean_name(name)); ++number)
      name = fmt::format("{}_{}.h5ad", stem(path), number);
    taken.insert({name, clean_name(name)});
    names.push_back(name);
  }
  return names;
}

// Outcomes and matches in the order of one file's cells, whatever data sets they were split into.
struct FileOrder {
  std::vector<const audit::CellOutcome*> outcomes;
  std::vector<const MatchOrigin*> matches;
};
FileOrder file_order(const std::deque<AuditedSet>& sets, std::size_t file, std::int64_t n_cells) {
  FileOrder order;
  order.outcomes.resize(static_cast<std::size_t>(n_cells));
  order.matches.resize(static_cast<std::size_t>(n_cells));
  for (const AuditedSet& audited : sets) {
    if (audited.file != file) continue;
    for (std::size_t cell = 0; cell < audited.set.rows.size(); ++cell) {
      const auto row = static_cast<std::size_t>(audited.set.rows[cell]);
      order.outcomes[row] = &audited.outcome.cells[cell];
      order.matches[row] = &audited.cells.match[cell];
    }
  }
  return order;
}

// obs with the audit beside it and no X: ranks written as values would read as counts.
void write_obs_alone(const CellInput& lists, const std::string& path, const std::vector<Column>& columns) {
  Table obs = lists.obs();
  std::erase_if(obs.columns, [](const Column& column) { return column.name.starts_with("scvet_"); });
  obs.columns.insert(obs.columns.end(), columns.begin(), columns.end());
  const Table no_genes;
  io::H5adContent content;
  content.obs = &obs;
  content.var = &no_genes;
  content.uns = {
      {"scvet_source", "token lists of " + base_name(lists.path()) + ": their ranks are no values, so no X"}};
  for (const std::string& note : io::write_h5ad(path, content)) log_verbose(note);
}

}  // namespace

void write_copies(const AuditJobOptions& options, const RunFolder& run, const std::vector<BenchmarkFile>& files,
                  const std::deque<AuditedSet>& sets, std::vector<std::string>& outputs) {
  const std::vector<std::string> names = copy_names(options.benchmarks);
  for (std::size_t number = 0; number < files.size(); ++number) {
    const FileOrder order = file_order(sets, number, files[number].input->n_cells());
    const std::vector<Column> columns = annotation_columns(order.outcomes, order.matches);
    if (files[number].input->ranked()) {
      write_obs_alone(*files[number].input, run.path(names[number]), columns);
      outputs.push_back(names[number]);
      if (options.write_clean)
        log_warning(files[number].path +
                    ": a token list has no counts to write; clean_cells.txt names its clean cells");
      continue;
    }
    io::OpenOptions open;
    open.genome = options.genome;
    open.modality = options.modality;
    open.dictionary = io::gene_metadata_table(options.dictionary);
    const std::unique_ptr<CellFile> source = io::open_cells(files[number].path, open);
    for (const std::string& note : io::annotate_copy(*source, run.path(names[number]), columns)) log_verbose(note);
    outputs.push_back(names[number]);
    if (!options.write_clean) continue;
    std::vector<std::int64_t> clean;
    for (std::size_t cell = 0; cell < order.outcomes.size(); ++cell)
      if (order.outcomes[cell]->exposure == audit::Exposure::kClean) clean.push_back(static_cast<std::int64_t>(cell));
    const std::string name = clean_name(names[number]);
    write_cell_subset(run.path(names[number]), run.path(name), clean);
    outputs.push_back(name);
  }
}

}  // namespace scvet::jobs
