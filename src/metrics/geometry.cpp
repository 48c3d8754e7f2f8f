#include "scvet/metrics/geometry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/md5.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/numeric/numpy_random.h"

namespace scvet::metrics {
namespace {

// Runs one probe; of one that fails the values are empty, and the failure is a note or the row's.
void run_probe(const ProbeRecord& record, const GeometryInput& input, GeometryValues& found,
               std::map<int, std::string>& notes) {
  ProbeOutput output;
  try {
    output = record.compute(input);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    output = {};
    if (record.optional)
      output.note = std::string(record.name) + "_failed=" + failure_text(error);
    else
      found.failure = failure_text(error);
  }
  output.values.resize(record.columns.size());
  std::move(output.values.begin(), output.values.end(), std::back_inserter(found.values));
  std::move(output.batches.begin(), output.batches.end(), std::back_inserter(found.batches));
  if (!output.note.empty()) notes[record.note_order] = output.note;
}

}  // namespace

std::vector<const ProbeRecord*> ordered_probes() {
  std::vector<const ProbeRecord*> found(probes().begin(), probes().end());
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
  return found;
}

GeometryValues measure_geometry(const GeometryInput& input) {
  GeometryValues found;
  std::map<int, std::string> notes;
  for (const ProbeRecord* record : ordered_probes()) {
    if (!found.failure.empty())
      found.values.resize(found.values.size() + record->columns.size());
    else
      run_probe(*record, input, found, notes);
  }
  if (!found.failure.empty()) {
    found.batches.clear();
    return found;
  }
  for (const auto& [place, note] : notes) found.notes += (found.notes.empty() ? "" : ";") + note;
  return found;
}

std::string failure_text(const std::exception& error) {
  const auto* const own = dynamic_cast<const Error*>(&error);
  const bool data =
      own && (own->exit_code() == DataError("").exit_code() || own->exit_code() == UsageError("").exit_code());
  std::string text = error.what();
  std::replace(text.begin(), text.end(), ';', ',');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return (data ? "ValueError:" : "RuntimeError:") + text;
}

Standardised standardise(MatrixView<const float> z) {
  constexpr std::int64_t kColumns = 32;
  constexpr double kConstant = 1e-8;
  Standardised made;
  made.values.resize(static_cast<std::size_t>(z.rows * z.cols));
  const MatrixView<float> out(made.values.data(), z.rows, z.cols);
  std::vector<std::uint8_t> constant(static_cast<std::size_t>(z.cols), 0);
  const auto n = static_cast<double>(z.rows);
  parallel_for((z.cols + kColumns - 1) / kColumns, [&](std::int64_t task, int) {
    const std::int64_t first = task * kColumns, end = std::min(z.cols, first + kColumns);
    double means[kColumns] = {}, spread[kColumns] = {};
    for (std::int64_t row = 0; row < z.rows; ++row)
      for (std::int64_t col = first; col < end; ++col) means[col - first] += double{z(row, col)};
    for (double& mean : means) mean /= n;
    for (std::int64_t row = 0; row < z.rows; ++row)
      for (std::int64_t col = first; col < end; ++col) {
        const double off = double{z(row, col)} - means[col - first];
        spread[col - first] += off * off;
      }
    for (double& value : spread) value = std::sqrt(value / n);
    for (std::int64_t col = first; col < end; ++col)
      constant[static_cast<std::size_t>(col)] = !(spread[col - first] > kConstant);
    for (std::int64_t row = 0; row < z.rows; ++row)
      for (std::int64_t col = first; col < end; ++col)
        out(row, col) = constant[static_cast<std::size_t>(col)]
                            ? 0.0f
                            : static_cast<float>((double{z(row, col)} - means[col - first]) / spread[col - first]);
  });
  made.zero_var_dims = std::count(constant.begin(), constant.end(), 1);
  return made;
}

std::uint64_t probe_seed(std::int64_t base, std::span<const std::string> parts) {
  constexpr std::int64_t kModulus = 0x7fffffff;
  const auto digest = md5(join(parts, "|"));
  std::int64_t word = 0;
  for (int byte = 0; byte < 4; ++byte) word = word << 8 | digest[static_cast<std::size_t>(byte)];
  return static_cast<std::uint64_t>(((base % kModulus + word) % kModulus + kModulus) % kModulus);
}

std::vector<std::int64_t> used_cells(std::int64_t n, std::int64_t max_cells, std::int64_t seed,
                                     const std::string& dataset_id) {
  std::vector<std::int64_t> cells(static_cast<std::size_t>(n));
  std::iota(cells.begin(), cells.end(), std::int64_t{0});
  if (max_cells <= 0 || n <= max_cells) return cells;
  const std::string parts[] = {dataset_id, "subsample", std::to_string(max_cells)};
  numeric::NumpyRandom random(probe_seed(seed, parts));
  const auto chosen = random.choose(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(max_cells));
  cells.assign(chosen.begin(), chosen.end());
  std::sort(cells.begin(), cells.end());
  return cells;
}

}  // namespace scvet::metrics
