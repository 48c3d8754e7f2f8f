#include "scvet/jobs/trial_simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scvet/base/random.h"
#include "simulate_draws.h"

namespace scvet::jobs {
namespace {

using namespace draws;

// Purposes of the random streams; apart from those of simulate().
enum Purpose : std::uint64_t { kGenes = 101, kTarget, kGuide, kBatch, kTrialCell, kEmbedding, kNoise };

constexpr int kNoiseDims = 16;

// Each programme moves genes of one level of expression. Two perturbations whose expression changes are equally long thus
// differ in the label by the programme that moved, whichever its sign: no linear function of the change can tell.
class Genes {
 public:
  explicit Genes(const TrialSimulationOptions& options) : options_(options) {
    Stream stream = stream_for(options.seed, kGenes, 0);
    const auto n_genes = static_cast<std::size_t>(options.n_genes);
    for (std::size_t gene = 0; gene < n_genes; ++gene) base_.push_back(1.2 * normal(stream));
    std::vector<std::size_t> order(n_genes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return base_[a] < base_[b]; });
    const auto n_programmes = static_cast<std::size_t>(options.n_programmes);
    loading_.assign(n_programmes * n_genes, 0.0);
    for (std::size_t place = 0; place < n_genes; ++place) {
      const std::size_t programme = place * n_programmes / n_genes;
      const double weight = .4 + normal(stream);
      if (stream.unit() < .6) loading_[programme * n_genes + order[place]] = weight;
    }
  }

  // Shares of the molecules under these activities and in this batch.
  std::vector<double> shares(const std::vector<double>& activity, int batch) const {
    std::vector<double> rate = base_;
    Stream batches = stream_for(options_.seed, kBatch, static_cast<std::uint64_t>(batch));
    for (std::size_t programme = 0; programme < activity.size(); ++programme) {
      if (activity[programme] == 0) continue;
      for (std::size_t gene = 0; gene < rate.size(); ++gene)
        rate[gene] += activity[programme] * loading_[programme * rate.size() + gene];
    }
    for (double& value : rate) value = std::exp(value + .05 * normal(batches));
    const double total = std::accumulate(rate.begin(), rate.end(), 0.0);
    for (double& value : rate) value /= total;
    return rate;
  }

 private:
  const TrialSimulationOptions& options_;
  std::vector<double> base_, loading_;
};

// What knocking a target down does: one or two programmes, or nothing for a fifth of the targets.
std::vector<double> activity_of(const TrialSimulationOptions& options, int target) {
  Stream stream = stream_for(options.seed, kTarget, static_cast<std::uint64_t>(target));
  std::vector<double> activity(static_cast<std::size_t>(options.n_programmes), 0.0);
  if (stream.unit() < .2) return activity;
  const double strength = .5 + .5 * stream.unit();
  for (int part = 0; part < 2; ++part) {
    const std::uint64_t programme = stream.below(activity.size());
    activity[programme] += strength * (part == 0 ? 1 : .5) * (stream.unit() < .5 ? -1 : 1);
  }
  return activity;
}

// A cell as an ideal encoder would see it: its programmes and their sizes, with a little noise of its own.
std::vector<float> informed(const TrialSimulationOptions& options, const std::vector<double>& activity,
                            std::uint64_t cell) {
  Stream stream = stream_for(options.seed, kEmbedding, cell);
  std::vector<float> values;
  for (const double one : activity) values.push_back(static_cast<float>(std::tanh(2 * one) + .15 * normal(stream)));
  for (const double one : activity) values.push_back(static_cast<float>(one * one + .15 * normal(stream)));
  return values;
}

std::vector<float> knows_nothing(const TrialSimulationOptions& options, std::uint64_t cell) {
  Stream stream = stream_for(options.seed, kNoise, cell);
  std::vector<float> values;
  for (int dim = 0; dim < kNoiseDims; ++dim) values.push_back(static_cast<float>(normal(stream)));
  return values;
}

class ScreenBuilder {
 public:
  ScreenBuilder(const TrialSimulationOptions& options, const Genes& genes) : options_(options), genes_(genes) {
    Table var;
    for (int gene = 0; gene < options.n_genes; ++gene) var.names.push_back(fmt::format("ENSG{:011d}", 700000 + gene));
    result_.screen.name = "screen";
    result_.screen.counts = std::make_unique<MemoryCells>("X", "float32", std::move(var));
    result_.embeddings = {{"X_informed", 0, 2 * options.n_programmes, {}}, {"X_noise", 0, kNoiseDims, {}}};
  }

  void add_cells(const std::string& row, const std::string& target, const std::vector<double>& activity, int n_cells) {
    std::vector<std::vector<double>> shares;
    for (int batch = 0; batch < options_.n_batches; ++batch) shares.push_back(genes_.shares(activity, batch));
    for (int at = 0; at < n_cells; ++at, ++cell_) {
      const int batch = static_cast<int>(cell_ % static_cast<std::uint64_t>(options_.n_batches));
      result_.screen.obs.names.push_back(fmt::format("cell_{:06d}", cell_));
      rows_.push_back(row);
      targets_.push_back(target);
      batches_.push_back(fmt::format("batch_{}", batch + 1));
      add_counts(shares[static_cast<std::size_t>(batch)]);
      append(result_.embeddings[0], informed(options_, activity, cell_));
      append(result_.embeddings[1], knows_nothing(options_, cell_));
    }
  }

  TrialSimulation finish() {
    Table& obs = result_.screen.obs;
    obs.columns.push_back(categorical_column("gene_transcript", rows_));
    obs.columns.push_back(categorical_column("target_gene", targets_));
    obs.columns.push_back(categorical_column("gem_group", batches_));
    return std::move(result_);
  }

 private:
  void add_counts(const std::vector<double>& share) {
    Stream stream = stream_for(options_.seed, kTrialCell, cell_);
    const double depth = options_.depth * std::exp(.3 * normal(stream));
    std::vector<std::uint32_t> genes;
    std::vector<double> counts;
    for (std::size_t gene = 0; gene < share.size(); ++gene) {
      const std::uint32_t count = poisson(stream, depth * share[gene]);
      if (count == 0) continue;
      genes.push_back(static_cast<std::uint32_t>(gene));
      counts.push_back(count);
    }
    result_.screen.counts->add(genes, counts);
  }

  static void append(Embedding& embedding, const std::vector<float>& values) {
    embedding.values.insert(embedding.values.end(), values.begin(), values.end());
    ++embedding.n_cells;
  }

  const TrialSimulationOptions& options_;
  const Genes& genes_;
  TrialSimulation result_;
  std::uint64_t cell_ = 0;
  std::vector<std::string> rows_, targets_, batches_;
};

}  // namespace

TrialSimulation simulate_trial(const TrialSimulationOptions& options) {
  const Genes genes(options);
  ScreenBuilder builder(options, genes);
  builder.add_cells("non-targeting", "non-targeting",
                    std::vector<double>(static_cast<std::size_t>(options.n_programmes), 0.0), options.n_nontargeting);
  for (int target = 0; target < options.n_targets; ++target) {
    const std::vector<double> activity = activity_of(options, target);
    for (int guide = 0; guide < options.guides_per_target; ++guide) {
      Stream stream =
          stream_for(options.seed, kGuide, static_cast<std::uint64_t>(target * options.guides_per_target + guide));
      const double efficiency = .75 + .5 * stream.unit();
      const int spread = options.max_cells - options.min_cells + 1;
      const int n_cells = options.min_cells + static_cast<int>(stream.below(static_cast<std::uint64_t>(spread)));
      std::vector<double> of_guide = activity;
      for (double& one : of_guide) one *= efficiency;
      const std::string name = fmt::format("GENE{:03d}", target + 1);
      builder.add_cells(fmt::format("{}_P{}", name, guide + 1), name, of_guide, n_cells);
    }
  }
  return builder.finish();
}

}  // namespace scvet::jobs
