#include "scvet/jobs/simulate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "scvet/base/random.h"
#include "simulate_draws.h"

namespace scvet::jobs {
namespace {

// Purposes of the random streams.
enum Purpose : std::uint64_t { kBase = 1, kType, kDonor, kStudy, kCell, kThin, kPick };

using namespace draws;

// Gamma of shape 2 and mean 1: half the sum of two exponentials.
double gamma_two(Stream& stream) { return -0.5 * (std::log(1.0 - stream.unit()) + std::log(1.0 - stream.unit())); }

struct SparseCell {
  std::vector<std::uint32_t> genes;
  std::vector<double> counts;
};

class Model {
 public:
  explicit Model(const SimulationOptions& options) : options_(options) {
    Stream stream = stream_for(options.seed, kBase, 0);
    for (int gene = 0; gene < options.n_genes; ++gene) base_.push_back(1.6 * normal(stream));
  }

  SparseCell draw(int type, int study, int donor, std::uint64_t index) const {
    const std::vector<double> share = shares(type, study, donor);
    Stream stream = stream_for(options_.seed, kCell, index);
    const double depth = options_.depth * std::exp(0.35 * normal(stream));
    SparseCell cell;
    for (std::size_t gene = 0; gene < share.size(); ++gene) {
      const std::uint32_t count = poisson(stream, depth * share[gene] * gamma_two(stream));
      if (count == 0) continue;
      cell.genes.push_back(static_cast<std::uint32_t>(gene));
      cell.counts.push_back(count);
    }
    return cell;
  }

  SparseCell thin(const SparseCell& cell, double kept, std::uint64_t index) const {
    Stream stream = stream_for(options_.seed, kThin, index);
    SparseCell copy;
    for (std::size_t at = 0; at < cell.genes.size(); ++at) {
      double count = 0;
      for (int molecule = 0; molecule < static_cast<int>(cell.counts[at]); ++molecule) count += stream.unit() < kept;
      if (count == 0) continue;
      copy.genes.push_back(cell.genes[at]);
      copy.counts.push_back(count);
    }
    return copy;
  }

 private:
  std::vector<double> shares(int type, int study, int donor) const {
    std::vector<double> rate = base_;
    Stream types = stream_for(options_.seed, kType, static_cast<std::uint64_t>(type));
    Stream donors = stream_for(options_.seed, kDonor, static_cast<std::uint64_t>(donor));
    Stream studies = stream_for(options_.seed, kStudy, static_cast<std::uint64_t>(study));
    for (double& value : rate) {
      const bool marked = types.unit() < 0.1;
      const double effect = normal(types);
      if (marked) value += 1.3 * effect;
      value += 0.25 * normal(donors) + 0.15 * normal(studies);
      value = std::exp(value);
    }
    const double total = std::accumulate(rate.begin(), rate.end(), 0.0);
    for (double& value : rate) value /= total;
    return rate;
  }

  const SimulationOptions& options_;
  std::vector<double> base_;
};

struct Annotation {
  std::string cell, type, donor, batch, dataset;
};

class Builder {
 public:
  Builder(std::string name, const Table& var) {
    file_.name = std::move(name);
    file_.counts = std::make_unique<MemoryCells>("X", "float32", var);
  }
  void add(const Annotation& note, const SparseCell& cell) {
    file_.obs.names.push_back(note.cell);
    types_.push_back(note.type);
    donors_.push_back(note.donor);
    batches_.push_back(note.batch);
    datasets_.push_back(note.dataset);
    file_.counts->add(cell.genes, cell.counts);
  }
  SimulatedFile finish() {
    file_.obs.columns.push_back(categorical_column("cell_type", types_));
    file_.obs.columns.push_back(categorical_column("donor_id", donors_));
    file_.obs.columns.push_back(categorical_column("batch_id", batches_));
    file_.obs.columns.push_back(categorical_column("dataset_id", datasets_));
    return std::move(file_);
  }

 private:
  SimulatedFile file_;
  std::vector<std::string> types_, donors_, batches_, datasets_;
};

Table gene_table(int n_genes) {
  Table var;
  for (int gene = 0; gene < n_genes; ++gene) var.names.push_back(fmt::format("ENSG{:011d}", 900000 + gene));
  return var;
}

constexpr int kRareType = 900, kUnrelatedType = 1000;

}  // namespace

Simulation simulate(const SimulationOptions& options) {
  const Model model(options);
  const Table var = gene_table(options.n_genes);
  Simulation result;

  std::vector<SparseCell> corpus_cells;
  std::vector<Annotation> corpus_notes;
  std::uint64_t index = 0;
  for (int study = 0; study < 2; ++study) {
    const std::string name = study == 0 ? "study_a" : "study_b";
    Builder builder(name, var);
    const int rare = study == 0 ? options.rare_corpus : 0;
    for (int cell = 0; cell < options.cells_per_study + rare; ++cell, ++index) {
      const bool is_rare = cell >= options.cells_per_study;
      const int donor = cell % options.donors_per_study;
      const int type = is_rare ? kRareType : (cell / options.donors_per_study) % options.n_types;
      const Annotation note{
          fmt::format("{}_{:05d}", name, cell), is_rare ? "rare type" : fmt::format("type {}", type + 1),
          fmt::format("{}_donor_{}", name, donor + 1), fmt::format("{}_run_{}", name, donor % 2 + 1), name};
      corpus_cells.push_back(model.draw(type, study, study * 100 + donor, index));
      corpus_notes.push_back(note);
      builder.add(note, corpus_cells.back());
    }
    result.corpus.push_back(builder.finish());
  }

  Builder builder("benchmark", var);
  int serial = 0;
  const auto add = [&](const char* planted, const std::string& source, Annotation note, const SparseCell& cell) {
    note.cell = fmt::format("bench_{:05d}", serial++);
    note.dataset = "benchmark";
    builder.add(note, cell);
    result.planted.emplace_back(planted);
    result.source_cell.push_back(source);
  };
  // Copies are spread evenly over the corpus; a prime step avoids always the same donor and type.
  const auto n_corpus = static_cast<std::uint64_t>(2 * options.cells_per_study);
  Stream pick = stream_for(options.seed, kPick, 0);
  std::vector<std::uint64_t> order(n_corpus);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t at = 0; at < static_cast<std::uint64_t>(options.exact_copies + options.thinned_copies); ++at)
    std::swap(order[at], order[at + pick.below(n_corpus - at)]);
  for (int copy = 0; copy < options.exact_copies + options.thinned_copies; ++copy) {
    std::uint64_t row = order[static_cast<std::uint64_t>(copy)];
    if (row >= static_cast<std::uint64_t>(options.cells_per_study))
      row += static_cast<std::uint64_t>(options.rare_corpus);
    const bool exact = copy < options.exact_copies;
    const SparseCell& source = corpus_cells[row];
    add(exact ? "exact" : "thinned", corpus_notes[row].cell, corpus_notes[row],
        exact ? source : model.thin(source, 0.6, row));
  }
  const auto add_new = [&](const char* planted, int count, const auto& type_of, const auto& label_of) {
    for (int cell = 0; cell < count; ++cell, ++index) {
      const int study = cell % 2, donor = (cell / 2) % options.donors_per_study;
      const std::string study_name = study == 0 ? "study_a" : "study_b";
      Annotation note;
      note.type = label_of(cell);
      note.donor = fmt::format("{}_donor_{}", study_name, donor + 1);
      note.batch = fmt::format("{}_run_{}", study_name, donor % 2 + 1);
      add(planted, "", note, model.draw(type_of(cell), study, study * 100 + donor, index));
    }
  };
  const auto common = [&](int cell) { return (cell / 8) % options.n_types; };
  add_new("stranger", options.strangers, common, [&](int cell) { return fmt::format("type {}", common(cell) + 1); });
  add_new(
      "rare", options.rare_benchmark, [](int) { return kRareType; }, [](int) { return std::string("rare type"); });
  add_new(
      "unrelated", options.unrelated, [](int cell) { return kUnrelatedType + cell % 3; },
      [](int cell) { return fmt::format("other type {}", cell % 3 + 1); });
  result.benchmark = builder.finish();
  result.benchmark.obs.columns.push_back(categorical_column("planted", result.planted));
  return result;
}

}  // namespace scvet::jobs
