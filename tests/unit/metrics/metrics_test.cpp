// The contract over the three tables, and the ends of the scales: the best and the worst embedding there can be.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "contracts/metric_contract.h"
#include "scvet/metrics/clusters.h"

namespace scvet::metrics {
namespace {

using testing::contract_cells;
using testing::ContractCells;
using testing::ContractInput;

TEST(Metrics, OfBioConservationKeepTheContract) {
  for (const MetricRecord* record : bio()) testing::expect_metric_contract(*record);
}
TEST(Metrics, OfBatchMixingKeepTheContract) {
  for (const MetricRecord* record : batch()) testing::expect_metric_contract(*record);
}
TEST(Metrics, ExtrasKeepTheContract) {
  for (const MetricRecord* record : extra()) testing::expect_metric_contract(*record);
}

TEST(Metrics, NamesAreUniqueAndSoAreThePlacesInAGroup) {
  std::set<std::string> names;
  for (const char* group : {"bio_conservation", "batch_mixing", "extra"}) {
    std::set<int> places;
    for (const MetricRecord* record : metrics_of(group)) {
      EXPECT_TRUE(names.insert(record->name).second) << record->name;
      EXPECT_TRUE(places.insert(record->order).second) << record->name;
    }
  }
}

std::map<std::string, double> scores(const ContractCells& cells, std::span<const MetricRecord* const> table) {
  std::map<std::string, double> found;
  const ContractInput input(cells);
  for (const MetricRecord* record : table) found[record->name] = record->compute(input.get()).value;
  return found;
}

ContractCells with_kmeans(ContractCells cells) {
  const ContractInput input(cells);
  cells.cluster = kmeans_clusters(input.get().x, *input.get().labels).cluster;
  return cells;
}

TEST(Metrics, OracleEmbeddingIsAtTheCeilingOfBio) {
  const auto found = scores(with_kmeans(contract_cells(800, 50, 0, 3)), bio());
  for (const char* name : {"NMI", "HOM", "COM", "FMI", "ARI", "Acc@kNN"}) EXPECT_NEAR(found.at(name), 1, 1e-12) << name;
  EXPECT_NEAR(found.at("cLISI"), 1, 1e-9);
  EXPECT_GT(found.at("ASW"), .95);
  EXPECT_GT(found.at("GC"), .9);
}

double square_sum(const std::vector<std::int64_t>& counts) {
  double sum = 0, squares = 0;
  for (const std::int64_t count : counts) {
    sum += static_cast<double>(count);
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  return squares / (sum * sum);
}

TEST(Metrics, RandomEmbeddingIsNearTheChanceOfBioThatTheRecordsState) {
  const ContractCells cells = with_kmeans(contract_cells(800, 0, 0, 4));
  const auto found = scores(cells, bio());
  const Groups labels = make_groups(cells.label);
  const auto counts = labels.counts();
  std::vector<std::int64_t> of_cluster(4, 0);
  for (const std::int32_t cluster : cells.cluster) ++of_cluster[static_cast<std::size_t>(cluster)];
  const auto n_labels = static_cast<double>(labels.size());
  for (const char* name : {"NMI", "HOM", "COM", "ARI"}) EXPECT_NEAR(found.at(name), 0, .03) << name;
  EXPECT_NEAR(found.at("FMI"), std::sqrt(square_sum(counts) * square_sum(of_cluster)), .03);
  EXPECT_LT(found.at("ASW"), 0);
  EXPECT_GT(found.at("ASW"), -.1);
  const double mixed = square_sum(counts) + (1 - square_sum(counts)) / 25;
  EXPECT_NEAR(found.at("cLISI"), (n_labels - 1 / mixed) / (n_labels - 1), .03);
  const double commonest = static_cast<double>(*std::max_element(counts.begin(), counts.end())) / 800;
  EXPECT_GT(found.at("Acc@kNN"), square_sum(counts) - .05);
  EXPECT_LT(found.at("Acc@kNN"), commonest + .05);
}

// Batches drawn apart from the coordinates: nothing to find. LISI stays below the most it can reach, as the shares among
// so few neighbours scatter.
TEST(Metrics, ShuffledBatchesAreAtTheCeilingOfBatchMixing) {
  const ContractCells cells = contract_cells(800, 2, 0, 5);
  const double even = (1 / square_sum(make_groups(cells.batch).counts()) - 1) / 2;  // the most that LISI can reach
  for (const auto& [name, value] : scores(cells, batch()))
    EXPECT_GT(value, name.ends_with("LISI") ? .75 * even : .85) << name;
}

TEST(Metrics, SeparateBatchesAreAtTheFloorOfBatchMixing) {
  for (const auto& [name, value] : scores(contract_cells(800, 2, 40, 6), batch()))
    EXPECT_TRUE(name == "BRAS" || value < .05) << name << " " << value;
}

}  // namespace
}  // namespace scvet::metrics
