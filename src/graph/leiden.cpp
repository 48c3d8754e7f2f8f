#include "scvet/graph/leiden.h"

#include <igraph/igraph.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "forked_tasks.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"

namespace scvet::graph {
namespace {

std::string g_igraph_message;  // igraph is used by one thread at a time

// While it lives igraph reports errors instead of ending the program, and can be interrupted.
class IgraphHandlers {
 public:
  IgraphHandlers()
      : error_(igraph_set_error_handler(on_error)),
        warning_(igraph_set_warning_handler(igraph_warning_handler_ignore)),
        interruption_(igraph_set_interruption_handler(on_interruption)) {}
  ~IgraphHandlers() {
    igraph_set_error_handler(error_);
    igraph_set_warning_handler(warning_);
    igraph_set_interruption_handler(interruption_);
  }
  IgraphHandlers(const IgraphHandlers&) = delete;
  IgraphHandlers& operator=(const IgraphHandlers&) = delete;

 private:
  static void on_error(const char* reason, const char*, int, igraph_error_t) {
    g_igraph_message = reason;
    IGRAPH_FINALLY_FREE();
  }
  static igraph_error_t on_interruption(void*) { return stop_requested() ? IGRAPH_INTERRUPTED : IGRAPH_SUCCESS; }

  igraph_error_handler_t* error_;
  igraph_warning_handler_t* warning_;
  igraph_interruption_handler_t* interruption_;
};

void check(igraph_error_t code) {
  if (code == IGRAPH_SUCCESS) return;
  throw_if_stopped();
  if (code == IGRAPH_ENOMEM) throw ResourceError("igraph: not enough memory");
  throw InternalError("igraph: " + g_igraph_message + " (" + igraph_strerror(code) + ")");
}

struct Numbers {
  igraph_vector_t values;
  explicit Numbers(std::int64_t size) { check(igraph_vector_init(&values, size)); }
  ~Numbers() { igraph_vector_destroy(&values); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  double& operator[](std::int64_t at) { return VECTOR(values)[at]; }
};
struct Integers {
  igraph_vector_int_t values;
  explicit Integers(std::int64_t size) { check(igraph_vector_int_init(&values, size)); }
  ~Integers() { igraph_vector_int_destroy(&values); }
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  igraph_integer_t& operator[](std::int64_t at) { return VECTOR(values)[at]; }
};

double total_strength(const WeightedGraph& graph) {
  double sum = 0;
  for (const float weight : graph.weights) sum += static_cast<double>(weight);
  return sum;
}

// The graph as igraph has it. The peer (scanpy) hands every edge over twice; that is one edge of twice the weight, which
// matters only to the refinement, where beta is compared with sums of weights.
class IgraphGraph {
 public:
  explicit IgraphGraph(const WeightedGraph& graph)
      : weights_(static_cast<std::int64_t>(graph.cells.size() / 2)), strengths_(graph.n_cells) {
    Integers edges(static_cast<std::int64_t>(graph.cells.size()));
    std::int64_t edge = 0;
    for (std::int64_t cell = 0; cell < graph.n_cells; ++cell)
      for (auto at = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(cell)]);
           at < static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(cell) + 1]); ++at) {
        const double weight = 2 * static_cast<double>(graph.weights[at]);
        strengths_[cell] += weight;
        if (graph.cells[at] <= cell) continue;
        edges[2 * edge] = cell;
        edges[2 * edge + 1] = graph.cells[at];
        weights_[edge++] = weight;
      }
    check(igraph_create(&graph_, &edges.values, graph.n_cells, IGRAPH_UNDIRECTED));
  }
  ~IgraphGraph() { igraph_destroy(&graph_); }
  IgraphGraph(const IgraphGraph&) = delete;
  IgraphGraph& operator=(const IgraphGraph&) = delete;

  // `scaled`: resolution / sum of the strengths.
  std::vector<std::int32_t> communities(double scaled, const LeidenOptions& options) const {
    igraph_rng_seed(igraph_rng_default(), options.seed);
    Integers membership(igraph_vcount(&graph_));
    check(igraph_community_leiden(&graph_, &weights_.values, &strengths_.values, scaled, options.beta, false,
                                  options.iterations, &membership.values, nullptr, nullptr));
    std::vector<std::int32_t> cluster(static_cast<std::size_t>(igraph_vcount(&graph_)));
    for (std::size_t cell = 0; cell < cluster.size(); ++cell)
      cluster[cell] = static_cast<std::int32_t>(membership[static_cast<std::int64_t>(cell)]);
    return cluster;
  }

 private:
  igraph_t graph_;
  Numbers weights_, strengths_;
};

// Numbers clusters by size, then by first cell. Returns how many there are.
std::int32_t renumber(std::span<std::int32_t> cluster) {
  struct Group {
    std::int64_t size = 0, first = -1;
  };
  std::vector<Group> groups(cluster.size());
  for (std::size_t cell = 0; cell < cluster.size(); ++cell) {
    Group& group = groups[static_cast<std::size_t>(cluster[cell])];
    if (group.size++ == 0) group.first = static_cast<std::int64_t>(cell);
  }
  std::vector<std::int32_t> order(groups.size()), number(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::int32_t at) { return groups[static_cast<std::size_t>(at)].size == 0; });
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const Group &left = groups[static_cast<std::size_t>(a)], &right = groups[static_cast<std::size_t>(b)];
    return left.size != right.size ? left.size > right.size : left.first < right.first;
  });
  for (std::size_t at = 0; at < order.size(); ++at)
    number[static_cast<std::size_t>(order[at])] = static_cast<std::int32_t>(at);
  for (std::int32_t& one : cluster) one = number[static_cast<std::size_t>(one)];
  return static_cast<std::int32_t>(order.size());
}

std::string name_of(double resolution) {
  std::string number = std::to_string(resolution);
  number.resize(number.find('.') + 3);
  return "Leiden at resolution " + number;
}

// Raw partitions in the order of the resolutions. The highest first: it has the most clusters to move cells among.
std::vector<std::vector<std::int32_t>> partitions(const IgraphGraph& graph, std::span<const double> resolutions,
                                                  double total, const LeidenOptions& options) {
  std::vector<std::size_t> order(resolutions.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return resolutions[a] > resolutions[b]; });
  const auto run = [&](std::int64_t at) {
    return graph.communities(resolutions[order[static_cast<std::size_t>(at)]] / total, options);
  };
  const auto n_tasks = static_cast<std::int64_t>(order.size());
  std::vector<std::vector<std::int32_t>> found(resolutions.size());
  if (workers() == 1 || n_tasks == 1) {
    for (std::int64_t at = 0; at < n_tasks; ++at) {
      throw_if_stopped();
      found[order[static_cast<std::size_t>(at)]] = run(at);
    }
    return found;
  }
  const auto results = run_forked(
      n_tasks, workers(),
      [&](std::int64_t at) {
        const std::vector<std::int32_t> cluster = run(at);
        std::vector<char> bytes(cluster.size() * sizeof(std::int32_t));
        std::memcpy(bytes.data(), cluster.data(), bytes.size());
        return bytes;
      },
      [&](std::int64_t at) { return name_of(resolutions[order[static_cast<std::size_t>(at)]]); });
  for (std::size_t at = 0; at < order.size(); ++at) {
    found[order[at]].resize(results[at].size() / sizeof(std::int32_t));
    std::memcpy(found[order[at]].data(), results[at].data(), results[at].size());
  }
  return found;
}

}  // namespace

double modularity(const WeightedGraph& graph, std::span<const std::int32_t> cluster, double resolution) {
  const double total = total_strength(graph);
  if (total == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto n_clusters = static_cast<std::size_t>(*std::max_element(cluster.begin(), cluster.end())) + 1;
  std::vector<double> inside(n_clusters, 0), strength(n_clusters, 0);
  for (std::size_t cell = 0; cell < cluster.size(); ++cell) {
    const auto own = static_cast<std::size_t>(cluster[cell]);
    for (auto at = static_cast<std::size_t>(graph.indptr[cell]); at < static_cast<std::size_t>(graph.indptr[cell + 1]);
         ++at) {
      const auto weight = static_cast<double>(graph.weights[at]);
      strength[own] += weight;
      if (cluster[graph.cells[at]] == cluster[cell]) inside[own] += weight;
    }
  }
  double sum = 0;
  for (std::size_t at = 0; at < n_clusters; ++at)
    sum += inside[at] / total - resolution * (strength[at] / total) * (strength[at] / total);
  return sum;
}

std::vector<Partition> leiden(const WeightedGraph& graph, std::span<const double> resolutions,
                              const LeidenOptions& options) {
  std::vector<std::vector<std::int32_t>> found(resolutions.size());
  if (const double total = 2 * total_strength(graph); total > 0) {
    const IgraphHandlers handlers;
    found = partitions(IgraphGraph(graph), resolutions, total, options);
  } else {  // no edge: every cell is a cluster
    for (auto& cluster : found) {
      cluster.resize(static_cast<std::size_t>(graph.n_cells));
      std::iota(cluster.begin(), cluster.end(), 0);
    }
  }
  std::vector<Partition> partitions(resolutions.size());
  parallel_for(static_cast<std::int64_t>(partitions.size()), [&](std::int64_t task, int) {
    const auto at = static_cast<std::size_t>(task);
    Partition& partition = partitions[at];
    partition.resolution = resolutions[at];
    partition.cluster = std::move(found[at]);
    if (partition.cluster.size() != static_cast<std::size_t>(graph.n_cells))
      throw InternalError("leiden: a partition of " + std::to_string(partition.cluster.size()) + " cells");
    partition.n_clusters = renumber(partition.cluster);
    partition.modularity = modularity(graph, partition.cluster, partition.resolution);
  });
  return partitions;
}

}  // namespace scvet::graph
