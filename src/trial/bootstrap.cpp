// A1 and A1g: how often a unit is drawn is counted once a replicate and shared by every predictor and seed, so a
// replicate costs one pass over the rows.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "refuse.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/numeric/order_statistics.h"
#include "scvet/trial/posthoc.h"

namespace scvet::trial {
namespace {

constexpr std::size_t kPredictors = kCascadePredictors.size();

// Units of the test rows: rows themselves, or target genes sorted by bytes.
std::vector<std::uint32_t> unit_of_row(const StoredTest& test, Unit unit, std::int64_t& units) {
  std::vector<std::uint32_t> of_row(test.y.size());
  if (unit == Unit::kRow) {
    for (std::size_t row = 0; row < of_row.size(); ++row) of_row[row] = static_cast<std::uint32_t>(row);
    units = static_cast<std::int64_t>(of_row.size());
    return of_row;
  }
  std::map<std::string_view, std::uint32_t> place;
  for (const std::string& target : test.target) place.emplace(target, 0);
  std::uint32_t next = 0;
  for (auto& [target, at] : place) at = next++;
  for (std::size_t row = 0; row < of_row.size(); ++row) of_row[row] = place[test.target[row]];
  units = next;
  return of_row;
}

// Which row of the test each row of an array is: by name, so that a permuted or foreign array shows.
std::vector<std::int64_t> places(const StoredTest& test, const StoredArray& array) {
  std::map<std::string_view, std::int64_t> place_of;
  for (std::size_t row = 0; row < test.row_id.size(); ++row)
    place_of[test.row_id[row]] = static_cast<std::int64_t>(row);
  std::vector<std::int64_t> found;
  for (const std::string& id : array.row_id) {
    const auto at = place_of.find(id);
    found.push_back(at == place_of.end() ? -1 : at->second);
  }
  return found;
}

// Everything a replicate reads, laid out for it.
struct Prepared {
  std::size_t n_rows, n_columns;                  // columns: predictor, then seed
  std::vector<double> squares;                    // (y - prediction)^2, [row][column]
  std::vector<std::vector<std::int64_t>> places;  // one an array
  std::vector<std::uint32_t> unit;                // one a row
};

[[noreturn]] void refuse_pairing(const std::string& name, const std::string& found) {
  refuse("pairing_broken",
         fmt::format("post-hoc: expected the rows of {} to be the test rows with their labels, found {}; restore the "
                     "stored predictions",
                     name, found),
         "predictions.tsv", name);
}

Prepared prepare(const StoredTest& test, std::vector<std::uint32_t> unit) {
  if (test.arrays.size() != kPredictors) throw InternalError("post-hoc: expected one array a predictor of the cascade");
  Prepared ready{test.y.size(), kPredictors * test.seeds.size(), {}, {}, std::move(unit)};
  ready.squares.resize(ready.n_rows * ready.n_columns);
  std::size_t column = 0;
  for (const StoredArray& array : test.arrays) {
    if (array.row_id.size() != ready.n_rows || array.y.size() != ready.n_rows ||
        array.seeds.size() != test.seeds.size())
      refuse_pairing(array.name, fmt::format("{} rows and {} seeds for {} and {}", array.row_id.size(),
                                             array.seeds.size(), ready.n_rows, test.seeds.size()));
    ready.places.push_back(places(test, array));
    for (const std::vector<double>& predicted : array.seeds) {
      if (predicted.size() != ready.n_rows) refuse_pairing(array.name, "predictions of another length");
      for (std::size_t row = 0; row < ready.n_rows; ++row) {
        const double error = array.y[row] - predicted[row];
        ready.squares[row * ready.n_columns + column] = error * error;
      }
      ++column;
    }
  }
  return ready;
}

// The rows drawn must be the same rows with the same labels in every array.
void assert_pairing(const StoredTest& test, const Prepared& ready, const std::vector<std::uint32_t>& times) {
  for (std::size_t at = 0; at < test.arrays.size(); ++at) {
    const StoredArray& array = test.arrays[at];
    for (std::size_t row = 0; row < ready.n_rows; ++row) {
      if (times[ready.unit[row]] == 0) continue;
      if (ready.places[at][row] != static_cast<std::int64_t>(row))
        refuse_pairing(array.name, fmt::format("row '{}' in place of '{}'", array.row_id[row], test.row_id[row]));
      if (array.y[row] != test.y[row])
        refuse_pairing(array.name, fmt::format("another label of '{}'", test.row_id[row]));
    }
  }
}

// R^2 of each column over the rows drawn; false where all y drawn are equal.
bool replicate_r2(const StoredTest& test, const Prepared& ready, const std::vector<std::uint32_t>& times, double* out) {
  double n = 0, sum = 0;
  for (std::size_t row = 0; row < ready.n_rows; ++row) {
    const double weight = times[ready.unit[row]];
    n += weight;
    sum += weight * test.y[row];
  }
  const double mean = sum / n;
  double total = 0;
  std::fill_n(out, ready.n_columns, 0.0);
  bool differ = false;
  double first = 0;
  bool any = false;
  for (std::size_t row = 0; row < ready.n_rows; ++row) {
    const double weight = times[ready.unit[row]];
    if (weight == 0) continue;
    if (any && test.y[row] != first) differ = true;
    if (!any) first = test.y[row];
    any = true;
    const double centred = test.y[row] - mean;
    total += weight * (centred * centred);
    const double* squares = ready.squares.data() + row * ready.n_columns;
    for (std::size_t column = 0; column < ready.n_columns; ++column) out[column] += weight * squares[column];
  }
  for (std::size_t column = 0; column < ready.n_columns; ++column) out[column] = 1 - out[column] / total;
  return differ;
}

// times[replicate][unit], all from one stream.
std::vector<std::vector<std::uint32_t>> draw(std::int64_t units, Replicates& made) {
  numeric::Mt19937 stream(made.seed);
  std::vector<std::vector<std::uint32_t>> times(static_cast<std::size_t>(made.requested));
  for (std::vector<std::uint32_t>& of_unit : times) {
    of_unit.assign(static_cast<std::size_t>(units), 0);
    for (std::int64_t count = 0; count < units; ++count) {
      const std::uint32_t unit = stream.bounded(static_cast<std::uint32_t>(units - 1));
      ++of_unit[unit];
      if (&of_unit == &times.front()) made.first_draw.push_back(unit);
    }
  }
  return times;
}

}  // namespace

double Replicates::at(int replicate, int predictor, int model_seed) const {
  const auto column = static_cast<std::size_t>(predictor * n_seeds + model_seed);
  return r2[static_cast<std::size_t>(replicate) * kPredictors * static_cast<std::size_t>(n_seeds) + column];
}

Replicates bootstrap(const StoredTest& test, Unit unit, int replicates, std::uint32_t seed) {
  Replicates made;
  made.unit = unit;
  made.requested = replicates;
  made.seed = seed;
  made.rows = static_cast<std::int64_t>(test.y.size());
  made.n_seeds = static_cast<int>(test.seeds.size());
  if (made.rows == 0) throw DataError("post-hoc: expected test rows to resample, found none");
  const Prepared ready = prepare(test, unit_of_row(test, unit, made.units));
  const std::vector<std::vector<std::uint32_t>> times = draw(made.units, made);

  std::vector<double> r2(times.size() * ready.n_columns);
  std::vector<std::uint8_t> kept(times.size(), 0);
  constexpr std::size_t kChunk = 25;
  parallel_for(static_cast<std::int64_t>((times.size() + kChunk - 1) / kChunk), [&](std::int64_t task, int) {
    const auto first = static_cast<std::size_t>(task) * kChunk;
    for (std::size_t at = first; at < std::min(times.size(), first + kChunk); ++at) {
      assert_pairing(test, ready, times[at]);
      kept[at] = replicate_r2(test, ready, times[at], r2.data() + at * ready.n_columns);
    }
  });
  for (std::size_t at = 0; at < times.size(); ++at) {
    const auto begin = r2.begin() + static_cast<std::ptrdiff_t>(at * ready.n_columns);
    if (kept[at])
      made.r2.insert(made.r2.end(), begin, begin + static_cast<std::ptrdiff_t>(ready.n_columns));
    else
      ++made.dropped;
  }
  return made;
}

BootstrapIntervals intervals(const Replicates& replicates, const StoredTest& test) {
  constexpr int kModel = 2;
  BootstrapIntervals found{
      replicates.unit, replicates.units, replicates.rows, replicates.kept(), replicates.dropped, replicates.seed, {}};
  const std::vector<PredictorScores> observed = score_stored(test);
  const auto interval = [](const std::vector<double>& deltas) {
    return Interval{numeric::quantile(deltas, 0.025), numeric::quantile(deltas, 0.975)};
  };
  for (const int against : {1, 3, 4, 0}) {  // BASELINE, GAUSSIAN, SHUFFLE, MAG_ONLY
    BootstrapIntervals::Comparison comparison;
    comparison.against = kCascadePredictors[static_cast<std::size_t>(against)];
    std::vector<double> phase(static_cast<std::size_t>(replicates.kept()), 0.0), deltas(phase);
    for (int seed = 0; seed < replicates.n_seeds; ++seed) {
      for (int at = 0; at < replicates.kept(); ++at) {
        const double delta = replicates.at(at, kModel, seed) - replicates.at(at, against, seed);
        deltas[static_cast<std::size_t>(at)] = delta;
        phase[static_cast<std::size_t>(at)] += delta;
      }
      comparison.per_seed.push_back(interval(deltas));
    }
    for (double& sum : phase) sum /= replicates.n_seeds;
    comparison.phase_mean = interval(phase);
    comparison.mean = numeric::mean(r2_difference(observed[kModel], observed[static_cast<std::size_t>(against)]));
    found.comparisons.push_back(std::move(comparison));
  }
  return found;
}

CriterionProbability criterion_probability(const Replicates& replicates, const CascadeRule& rule) {
  CriterionProbability found;
  found.replicates = replicates.kept();
  for (const Category category : kCategories) found.categories[category_name(category)] = 0;
  for (int at = 0; at < replicates.kept(); ++at) {
    std::vector<PredictorScores> scores;
    for (int predictor = 0; predictor < static_cast<int>(kPredictors); ++predictor) {
      scores.push_back({kCascadePredictors[static_cast<std::size_t>(predictor)], {}});
      for (int seed = 0; seed < replicates.n_seeds; ++seed)
        scores.back().seeds.push_back({.r2 = replicates.at(at, predictor, seed)});
    }
    const Outcome outcome = decide(make_deltas(scores), rule, false);
    for (const Criterion& criterion : outcome.criteria) found.criteria[criterion.key] += criterion.passed ? 1 : 0;
    if (outcome.walked) found.categories[category_name(*outcome.walked)] += 1;
  }
  for (auto* counts : {&found.criteria, &found.categories})
    for (auto& [name, count] : *counts) count /= static_cast<double>(found.replicates);
  return found;
}

}  // namespace scvet::trial
