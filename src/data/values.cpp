#include "scvet/data/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"

namespace scvet {
namespace {

constexpr double kWholeTolerance = 1e-6;
constexpr std::size_t kExamples = 3;
constexpr std::int64_t kCellsTried = 500;   // for the test of whole multiples
constexpr std::int64_t kValuesNeeded = 10;  // in a cell, for the same
constexpr double kMultipleTolerance = 0.02;
constexpr double kGreatestMultiple = 300;  // above it float32 logs are too coarse to tell a whole multiple
constexpr double kGreatestLog = 15;        // log(1 + 3.2 million)
constexpr double kEqualTotals = 0.02;      // spread of row sums that a common target leaves

bool is_whole(double value) { return std::abs(value - std::nearbyint(value)) <= kWholeTolerance; }

// Whole multiples of the least value, at least one of them above 1: a cell of equal values proves nothing.
bool whole_multiples(const std::vector<double>& values) {
  const double least = *std::min_element(values.begin(), values.end());
  if (!(least > 0)) return false;
  bool several = false;
  for (const double value : values) {
    const double ratio = value / least;
    if (ratio > kGreatestMultiple) continue;
    if (std::abs(ratio - std::nearbyint(ratio)) > kMultipleTolerance) return false;
    several = several || ratio > 1.5;
  }
  return several;
}

// For people: six digits say enough.
std::string short_number(double value) { return fmt::format("{:.6g}", value); }

std::string share_text(std::int64_t part, std::int64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return part > 0 && share < 0.0005 ? fmt::format("{} of {}", format_count(part), format_count(whole))
                                    : format_percent(share);
}

// Names that number dimensions: 0..n-1, PC1.., UMAP_1.., latent_0...
bool names_number_dimensions(const std::vector<std::string>& names) {
  if (names.empty()) return false;
  const auto prefix_of = [](const std::string& name) {
    return lower(std::string_view(name).substr(0, name.find_last_not_of("0123456789") + 1));
  };
  const std::string prefix = prefix_of(names.front());
  for (const std::string& name : names)
    if (prefix_of(name) != prefix || prefix.size() == name.size()) return false;
  static const char* const kKnown[] = {"",      "pc",   "pc_",        "x_pca",    "umap",    "umap_",  "tsne",
                                       "tsne_", "dim",  "dim_",       "latent",   "latent_", "z",      "z_",
                                       "emb",   "emb_", "embedding_", "harmony_", "factor",  "factor_"};
  return std::find(std::begin(kKnown), std::end(kKnown), prefix) != std::end(kKnown);
}

void judge_negative(ValueSummary& summary, const std::vector<std::string>& var_names) {
  const std::string share = share_text(summary.n_negative, summary.n_nonzero);
  if (names_number_dimensions(var_names)) {
    summary.state = ValueState::kEmbedding;
    summary.why =
        fmt::format("{} of the non-zero values are negative and the columns are numbered dimensions ({}, ...)", share,
                    var_names.front());
    return;
  }
  summary.state = ValueState::kScaled;
  summary.why =
      fmt::format("{} of the non-zero values are negative (least {})", share, short_number(summary.min_stored));
}

void judge_fractional(ValueSummary& summary, double least_row, double greatest_row) {
  const std::string share = share_text(summary.n_fractional, summary.n_nonzero) + " of the non-zero values are";
  const std::string greatest = short_number(summary.max);
  const bool mostly_whole = 2 * summary.n_fractional < summary.n_nonzero;
  if (mostly_whole) {
    summary.state = ValueState::kFractional;
    summary.why = fmt::format("{} not whole, although most are", share);
  } else if (summary.max <= kGreatestLog && summary.share_log_multiples > 0.8) {
    summary.state = ValueState::kLogged;
    summary.why = fmt::format(
        "{} not whole, none negative, at most {}; undoing log(1 + x) gives whole multiples of one "
        "number in {} of the cells tried",
        share, greatest, format_percent(summary.share_log_multiples, 0));
  } else if (summary.share_multiples > 0.8) {
    summary.state = ValueState::kNormalised;
    summary.why = fmt::format(
        "{} not whole, but whole multiples of the cell's least value in {} of the cells tried: "
        "counts times a factor per cell",
        share, format_percent(summary.share_multiples, 0));
  } else if (summary.max <= kGreatestLog) {
    summary.state = ValueState::kLogged;
    summary.why = fmt::format("{} not whole, none negative, and at most {}, as on a log scale", share, greatest);
  } else if (least_row > 0 && greatest_row - least_row <= kEqualTotals * greatest_row && summary.n_cells > 1) {
    summary.state = ValueState::kNormalised;
    summary.why = fmt::format("{} not whole, and every cell sums to nearly the same total ({} to {})", share,
                              short_number(least_row), short_number(greatest_row));
  } else {
    summary.state = ValueState::kFractional;
    summary.why =
        fmt::format("{} not whole, up to {}, with cell totals from {} to {}: neither counts nor one target sum", share,
                    greatest, short_number(least_row), short_number(greatest_row));
  }
}

}  // namespace

const char* value_state_name(ValueState state) {
  switch (state) {
    case ValueState::kEmpty:
      return "empty";
    case ValueState::kCounts:
      return "counts";
    case ValueState::kFractional:
      return "fractional";
    case ValueState::kNormalised:
      return "normalised";
    case ValueState::kLogged:
      return "logged";
    case ValueState::kScaled:
      return "scaled";
    case ValueState::kEmbedding:
      return "embedding";
    case ValueState::kBroken:
      return "broken";
  }
  return "broken";
}

ValueAccumulator::ValueAccumulator(const MatrixInfo& info) : dense_(info.kind == "ndarray") {
  summary_.n_genes = info.n_genes;
  summary_.min_stored = std::numeric_limits<double>::infinity();
  summary_.max = -std::numeric_limits<double>::infinity();
  least_row_ = std::numeric_limits<double>::infinity();
}

void ValueAccumulator::try_multiples(const double* values, std::int64_t n) {
  scratch_.clear();
  for (std::int64_t at = 0; at < n; ++at)
    if (values[at] != 0) scratch_.push_back(values[at]);
  if (static_cast<std::int64_t>(scratch_.size()) < kValuesNeeded) return;
  ++tried_;
  multiples_ += whole_multiples(scratch_);
  if (*std::max_element(scratch_.begin(), scratch_.end()) > kGreatestLog) return;
  for (double& value : scratch_) value = std::expm1(value);
  log_multiples_ += whole_multiples(scratch_);
}

void ValueAccumulator::add_cell(std::int64_t cell, const std::uint32_t* genes, const double* values, std::int64_t n) {
  double row_sum = 0, least = summary_.min_stored, greatest = summary_.max;
  std::int64_t zeros = 0, not_finite = 0, odd = 0;
  for (std::int64_t at = 0; at < n; ++at) {
    const double value = values[at];
    zeros += value == 0;
    if (!std::isfinite(value)) {
      ++not_finite;
      summary_.n_nan += std::isnan(value);
      summary_.n_infinite += std::isinf(value);
      if (not_finite_.size() < kExamples) not_finite_.push_back({cell, genes[at], value});
      if (std::isnan(value)) continue;
    } else if (value < 0 || !is_whole(value)) {
      ++odd;
      summary_.n_negative += value < 0;
      summary_.n_fractional += !is_whole(value);
      auto& examples = value < 0 ? negative_ : fractional_;
      if (examples.size() < kExamples) examples.push_back({cell, genes[at], value});
    }
    row_sum += value;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const std::int64_t left_out = dense_ ? summary_.n_genes - n : 0;
  if (left_out > 0) {
    least = std::min(least, 0.0);
    greatest = std::max(greatest, 0.0);
  }
  summary_.min_stored = least;
  summary_.max = greatest;
  summary_.stored += n + left_out;
  summary_.n_nonzero += n - zeros;
  summary_.n_zero_rows += n == zeros;
  summary_.sum += row_sum;
  summary_.row_sums.push_back(row_sum);
  if (n > zeros) {
    least_row_ = std::min(least_row_, row_sum);
    greatest_row_ = std::max(greatest_row_, row_sum);
  }
  if (tried_ < kCellsTried && odd > 0 && not_finite == 0) try_multiples(values, n);
}

void ValueAccumulator::add(const CellChunk& chunk) {
  for (std::int64_t row = 0; row < chunk.n_cells; ++row) {
    const std::int64_t begin = chunk.indptr[static_cast<std::size_t>(row)];
    const std::int64_t end = chunk.indptr[static_cast<std::size_t>(row) + 1];
    add_cell(chunk.first_cell + row, chunk.genes.data() + begin, chunk.values.data() + begin, end - begin);
  }
  summary_.n_cells += chunk.n_cells;
}

ValueSummary ValueAccumulator::finish(const std::vector<std::string>& var_names) {
  ValueSummary& summary = summary_;
  if (summary.min_stored > summary.max) summary.min_stored = summary.max = std::numeric_limits<double>::quiet_NaN();
  const double tried = tried_ > 0 ? static_cast<double>(tried_) : std::numeric_limits<double>::quiet_NaN();
  summary.share_multiples = static_cast<double>(multiples_) / tried;
  summary.share_log_multiples = static_cast<double>(log_multiples_) / tried;
  summary.examples = !not_finite_.empty() ? not_finite_ : !negative_.empty() ? negative_ : fractional_;
  if (summary.n_nan + summary.n_infinite > 0) {
    summary.state = ValueState::kBroken;
    summary.why = fmt::format("{} of {} values are NaN and {} infinite", format_count(summary.n_nan),
                              format_count(summary.stored), format_count(summary.n_infinite));
  } else if (summary.n_nonzero == 0) {
    summary.state = ValueState::kEmpty;
    summary.why = summary.stored == 0 ? "it stores no values" : "every value is zero";
  } else if (summary.n_negative > 0) {
    judge_negative(summary, var_names);
  } else if (summary.n_fractional == 0) {
    summary.state = ValueState::kCounts;
    summary.why = fmt::format("all {} non-zero values are whole and none is negative (greatest {})",
                              format_count(summary.n_nonzero), short_number(summary.max));
  } else {
    judge_fractional(summary, least_row_, greatest_row_);
  }
  return std::move(summary);
}

ValueSummary summarise_values(CellSource& source) {
  const MatrixInfo& info = source.info();
  ValueAccumulator accumulator(info);
  ProgressScope progress("reading the values of " + info.name, info.n_cells);
  const std::int64_t step = std::max<std::int64_t>(1, source.chunk_cells());
  CellChunk chunk;
  for (std::int64_t first = 0; first < info.n_cells; first += step) {
    throw_if_stopped();
    source.read(first, std::min(step, info.n_cells - first), chunk);
    accumulator.add(chunk);
    progress.advance(chunk.n_cells);
  }
  return accumulator.finish(source.var().names);
}

namespace {

std::string example_text(const ValueSummary::Example& example, const std::vector<std::string>& cell_names,
                         const std::vector<std::string>& gene_names) {
  const auto label = [](const std::vector<std::string>& names, std::int64_t at, const char* what) {
    return static_cast<std::size_t>(at) < names.size() ? fmt::format("{} {}", what, names[static_cast<std::size_t>(at)])
                                                       : fmt::format("{} number {}", what, at);
  };
  return fmt::format("{}, {}: {}", label(cell_names, example.cell, "cell"), label(gene_names, example.gene, "gene"),
                     format_number(example.value));
}

}  // namespace

void require_counts(const ValueSummary& summary, const std::string& file, const std::string& matrix,
                    const std::vector<std::string>& cell_names, const std::vector<std::string>& gene_names) {
  if (summary.state == ValueState::kCounts || summary.state == ValueState::kEmpty) return;
  std::vector<std::string> shown;
  for (const auto& example : summary.examples) shown.push_back(example_text(example, cell_names, gene_names));
  const std::int64_t not_finite = summary.n_nan + summary.n_infinite;
  const char* const fault = not_finite > 0           ? "are NaN or infinite"
                            : summary.n_negative > 0 ? "are negative"
                                                     : "are not whole numbers";
  const std::int64_t n_fault = not_finite > 0           ? not_finite
                               : summary.n_negative > 0 ? summary.n_negative
                                                        : summary.n_fractional;
  ErrorFacts facts{.file = file, .field = matrix, .reason = value_state_name(summary.state)};
  if (!summary.examples.empty()) {
    facts.row = summary.examples.front().cell;
    const auto gene = static_cast<std::size_t>(summary.examples.front().gene);
    if (gene < gene_names.size()) facts.gene = gene_names[gene];
  }
  throw DataError(
      fmt::format("{} in {}: raw counts are needed, but {} of {} non-zero values {} ({}), e.g. {}. Look for counts in "
                  "another layer or in raw with 'scvet inspect'",
                  matrix, file, format_count(n_fault), format_count(summary.n_nonzero), fault,
                  share_text(n_fault, summary.n_nonzero), join(shown, "; ")),
      std::move(facts));
}

}  // namespace scvet
