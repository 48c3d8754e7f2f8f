#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "naive_lists.h"
#include "scvet/metrics/lisi.h"
#include "scvet/metrics/metric.h"
#include "scvet/metrics/silhouette.h"
#include "stratified_folds.h"

namespace scvet::metrics {
namespace {

MetricValue score(const std::string& name, const MetricInput& input) {
  for (const MetricRecord* record : bio())
    if (record->name == name) return record->compute(input);
  throw std::out_of_range(name);
}

// What the metrics look at, of rows on a line or of a cloud.
struct Sample {
  std::vector<float> values;
  Groups labels;
  graph::Neighbours lists;
  MetricInput input;

  Sample(std::vector<float> x, const std::vector<std::string>& texts)
      : values(std::move(x)), labels(make_groups(texts)) {
    input.x = {values.data(), std::ssize(texts), std::ssize(values) / std::ssize(texts)};
    lists = testing::naive_neighbours(input.x, 90);
    input.labels = &labels;
    input.neighbours = &lists;
  }
  Sample(const Sample&) = delete;
};

TEST(Bio, TheTableHasTheNineInThePeersOrder) {
  const auto records = metrics_of("bio_conservation");
  std::vector<std::string> names;
  for (const MetricRecord* record : records) names.emplace_back(record->name);
  EXPECT_EQ(names, (std::vector<std::string>{"NMI", "HOM", "COM", "FMI", "ARI", "ASW", "cLISI", "Acc@kNN", "GC"}));
}

TEST(Asw, IsTheMeanOfTheCellsAndOfEachLabel) {
  const Sample sample({0, 1, 5, 100}, {"a", "a", "b", "c"});
  const MetricValue found = score("ASW", sample.input);
  EXPECT_DOUBLE_EQ(found.value, (0.8 + 0.75) / 4);
  ASSERT_EQ(found.labels.size(), 3u);
  EXPECT_DOUBLE_EQ(found.labels[0].value, (0.8 + 0.75) / 2);
  EXPECT_EQ(found.labels[1].value, 0);
  EXPECT_EQ(found.cells, silhouettes(sample.input.x, sample.labels));
}

TEST(Asw, AsManyLabelsAsCellsIsUndefined) {
  EXPECT_EQ(score("ASW", Sample({0, 1}, {"a", "b"}).input).note, "insufficient_labels_or_cells");
  EXPECT_EQ(score("ASW", Sample({0, 1}, {"a", "a"}).input).note, "insufficient_labels_or_cells");
}

TEST(Clisi, IsTheMedianOfScaledCells) {
  const testing::Cloud cloud(101, 3, 3, 1, 1);
  Sample sample(cloud.values, [&] {
    std::vector<std::string> texts;
    for (const std::int32_t label : cloud.labels.of_cell)
      texts.push_back(cloud.labels.names[static_cast<std::size_t>(label)]);
    return texts;
  }());
  auto cells = lisi(sample.lists, sample.labels.of_cell, 3);
  const MetricValue found = score("cLISI", sample.input);
  EXPECT_DOUBLE_EQ(found.cells[7], (3 - cells[7]) / 2);
  std::sort(cells.begin(), cells.end());
  EXPECT_DOUBLE_EQ(found.value, (3 - cells[50]) / 2);
  EXPECT_EQ(score("cLISI", Sample({0, 1}, {"a", "a"}).input).note, "insufficient_labels");
}

TEST(Gc, LinksHaveADirectionAndALabelOfOneCellIsWhole) {
  // On a line, lists of 15: the far cell of label a points to the others, and none of them back.
  std::vector<float> x;
  std::vector<std::string> texts;
  for (int cell = 0; cell < 20; ++cell) {
    x.push_back(static_cast<float>(cell));
    texts.emplace_back("a");
  }
  x.push_back(1000);
  texts.emplace_back("a");
  x.push_back(2000);
  texts.emplace_back("b");
  const MetricValue found = score("GC", Sample(x, texts).input);
  EXPECT_DOUBLE_EQ(found.labels[0].value, 20.0 / 21);
  EXPECT_EQ(found.labels[1].value, 1);
  EXPECT_DOUBLE_EQ(found.value, (20.0 / 21 + 1) / 2);
}

// Every cell against all training cells of its fold; the lists are not used.
double naive_accuracy(const Sample& sample) {
  const auto counts = sample.labels.counts();
  std::vector<std::int32_t> labels = sample.labels.of_cell;
  for (std::int32_t& label : labels)
    if (counts[static_cast<std::size_t>(label)] < 5) label = -1;
  const auto fold = stratified_folds(labels, 5, 42);
  std::map<std::int32_t, std::pair<double, double>> right;
  for (std::size_t cell = 0; cell < labels.size(); ++cell) {
    if (labels[cell] < 0) continue;
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t other = 0; other < labels.size(); ++other)
      if (labels[other] >= 0 && fold[other] != fold[cell])
        others.emplace_back(
            testing::distance(sample.input.x, static_cast<std::int64_t>(cell), static_cast<std::int64_t>(other)),
            other);
    std::sort(others.begin(), others.end());
    std::map<std::int32_t, int> votes;
    for (std::size_t at = 0; at < 5; ++at) ++votes[labels[others[at].second]];
    std::int32_t winner = votes.begin()->first;
    for (const auto& [label, count] : votes)
      if (count > votes[winner]) winner = label;
    right[fold[cell]].first += winner == labels[cell];
    right[fold[cell]].second += 1;
  }
  double sum = 0;
  for (const auto& [at, counts_of] : right) sum += counts_of.first / counts_of.second;
  return sum / 5;
}

TEST(AccKnn, EqualsTheNaiveSearchFromListsAndWithout) {
  const testing::Cloud cloud(150, 3, 4, 1.2, 2);
  std::vector<std::string> texts;
  for (std::int64_t cell = 0; cell < 150; ++cell)
    texts.push_back(
        cell < 3 ? "rare"
                 : cloud.labels.names[static_cast<std::size_t>(cloud.labels.of_cell[static_cast<std::size_t>(cell)])]);
  Sample sample(cloud.values, texts);
  const double expected = naive_accuracy(sample);
  for (const std::int64_t k : {90, 7, 1}) {  // short lists lack training cells
    sample.lists = testing::naive_neighbours(sample.input.x, k);
    const MetricValue found = score("Acc@kNN", sample.input);
    EXPECT_DOUBLE_EQ(found.value, expected) << k;
    EXPECT_EQ(found.note, "dropped_cells=3");
    EXPECT_TRUE(std::isnan(found.cells[0]));
    EXPECT_EQ(found.labels.back().note, "fewer_than_5_cells");
  }
}

TEST(AccKnn, EqualVotesGoToTheFirstLabelInCodePointOrder) {
  const Sample sample(std::vector<float>(20, 1.0f), [] {
    std::vector<std::string> texts;
    for (int cell = 0; cell < 20; ++cell) texts.emplace_back(cell % 2 == 0 ? "a" : "b");
    return texts;
  }());
  EXPECT_DOUBLE_EQ(score("Acc@kNN", sample.input).value, naive_accuracy(sample));
}

TEST(AccKnn, TooFewCellsAfterDroppingIsUndefinedWithTheCount) {
  const std::string note = "insufficient_cells_after_dropping_rare_classes;dropped_cells=";
  EXPECT_EQ(score("Acc@kNN", Sample(std::vector<float>(12, 0), std::vector<std::string>(12, "a")).input).note,
            note + "0");
  std::vector<std::string> texts(8, "a");
  texts.insert(texts.end(), 4, "b");
  EXPECT_EQ(score("Acc@kNN", Sample(std::vector<float>(12, 0), texts).input).note, note + "4");
}

}  // namespace
}  // namespace scvet::metrics
