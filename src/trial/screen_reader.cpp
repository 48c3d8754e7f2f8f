#include "screen_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "scvet/data/values.h"

namespace scvet::trial {
namespace {

constexpr std::int32_t kControl = -1, kOther = -2;
constexpr std::int64_t kTaskCells = 64;
constexpr std::int64_t kProbeCells = 2048;

bool is_count(double value) { return value >= 0 && value <= 4294967295.0 && value == std::floor(value); }

}  // namespace

// Cells of a chunk, encoded by ranges, each range by one task.
struct ScreenReader::Encoded {
  std::vector<std::vector<std::uint8_t>> bytes;  // one a task
  std::vector<std::size_t> ends;                 // of each cell, in its task's bytes
  std::span<const std::uint8_t> cell(std::int64_t cell) const {
    const auto at = static_cast<std::size_t>(cell);
    const std::size_t start = cell % kTaskCells == 0 ? 0 : ends[at - 1];
    return {bytes[static_cast<std::size_t>(cell / kTaskCells)].data() + start, ends[at] - start};
  }
};

ScreenReader::ScreenReader(CellSource& source, const Design& design, std::vector<std::int64_t> rows,
                           std::int64_t memory_bytes, std::string file)
    : source_(source),
      design_(design),
      rows_(std::move(rows)),
      memory_bytes_(memory_bytes),
      file_(std::move(file)),
      place_of_cell_(design.cell_names.size(), kOther) {
  if (static_cast<std::int64_t>(design.cell_names.size()) != source.info().n_cells)
    throw DataError(fmt::format("{}: {} has {} cells where obs has {}", file_, source.info().name,
                                source.info().n_cells, design.cell_names.size()),
                    {.file = file_, .field = source.info().name, .reason = "bad_shape"});
  for (const std::int64_t cell : design.nt_cells) place_of_cell_[static_cast<std::size_t>(cell)] = kControl;
  for (std::size_t at = 0; at < rows_.size(); ++at)
    for (const std::int64_t cell : design.rows[static_cast<std::size_t>(rows_[at])].cells)
      place_of_cell_[static_cast<std::size_t>(cell)] = static_cast<std::int32_t>(at);
}

// The full message about values that are no counts, which a second look at the file gives.
void ScreenReader::refuse_values() {
  const std::string& name = source_.info().name;
  try {
    require_counts(summarise_values(source_), file_, name, design_.cell_names, source_.var().names);
  } catch (const DataError& error) {
    ErrorFacts facts = error.facts();
    facts.reason = "not_counts";
    throw DataError(std::string(error.what()) +
                        "; a trial needs raw counts: pass --layer NAME if a layer holds them "
                        "(reason=not_counts)",
                    facts);
  }
  throw DataError(fmt::format("{}: {} holds a count above 4,294,967,295 (reason=not_counts)", file_, name),
                  {.file = file_, .field = name, .reason = "not_counts"});
}

// Rows from `first` on whose cells, by what was measured so far, fit into memory; at least one.
void ScreenReader::plan(std::size_t first) {
  lot_first_ = lot_end_ = first;
  // The controls are held through the first pass.
  double bytes = first == 0 ? static_cast<double>(design_.nt_cells.size()) * (bytes_per_cell_ + 8) : 0.0;
  while (lot_end_ < rows_.size()) {
    const auto cells = design_.rows[static_cast<std::size_t>(rows_[lot_end_])].cells.size();
    bytes += static_cast<double>(cells) * (bytes_per_cell_ + 8);
    if (lot_end_ > first && bytes > static_cast<double>(memory_bytes_)) break;
    ++lot_end_;
  }
  lot_.assign(lot_end_ - lot_first_, {});
  for (std::size_t at = lot_first_; at < lot_end_; ++at) {
    const auto cells = design_.rows[static_cast<std::size_t>(rows_[at])].cells.size();
    lot_[at - lot_first_].reserve(static_cast<std::size_t>(static_cast<double>(cells) * bytes_per_cell_), cells);
  }
}

void ScreenReader::keep(const Encoded& cells, std::int64_t start, bool first) {
  for (std::int64_t cell = 0; cell < chunk_.n_cells; ++cell) {
    const std::int32_t place = place_of_cell_[static_cast<std::size_t>(start + cell)];
    if (place == kControl && first) controls_.add(cells.cell(cell));
    if (place < static_cast<std::int32_t>(lot_first_) || place >= static_cast<std::int32_t>(lot_end_)) continue;
    lot_[static_cast<std::size_t>(place) - lot_first_].add(cells.cell(cell));
  }
}

void ScreenReader::read_chunk(std::int64_t start, std::int64_t count, bool first) {
  source_.read(start, count, chunk_);
  Encoded encoded;
  encoded.bytes.resize(static_cast<std::size_t>((count + kTaskCells - 1) / kTaskCells));
  encoded.ends.resize(static_cast<std::size_t>(count));
  std::atomic<bool> foreign = false;
  parallel_for(static_cast<std::int64_t>(encoded.bytes.size()), [&](std::int64_t task, int worker) {
    std::vector<std::uint32_t> genes, counts;
    std::vector<std::uint8_t>& bytes = encoded.bytes[static_cast<std::size_t>(task)];
    for (std::int64_t cell = task * kTaskCells; cell < std::min(count, (task + 1) * kTaskCells); ++cell) {
      const std::int32_t place = place_of_cell_[static_cast<std::size_t>(start + cell)];
      const bool wanted = (place == kControl && first) || (place >= static_cast<std::int32_t>(lot_first_) &&
                                                           place < static_cast<std::int32_t>(lot_end_));
      if (!first && !wanted) {
        encoded.ends[static_cast<std::size_t>(cell)] = bytes.size();
        continue;
      }
      genes.clear();
      counts.clear();
      const auto at = static_cast<std::size_t>(cell);
      for (auto entry = static_cast<std::size_t>(chunk_.indptr[at]);
           entry < static_cast<std::size_t>(chunk_.indptr[at + 1]); ++entry) {
        const double value = chunk_.values[entry];
        if (!is_count(value)) {
          foreign = true;
          return;
        }
        if (value == 0) continue;
        genes.push_back(chunk_.genes[entry]);
        counts.push_back(static_cast<std::uint32_t>(value));
      }
      if (first && each_cell) each_cell(start + cell, genes, counts, worker);
      if (wanted) CountsStore::encode(genes, counts, bytes);
      encoded.ends[at] = bytes.size();
    }
  });
  if (foreign) refuse_values();
  for (const auto& bytes : encoded.bytes) measured_bytes_ += static_cast<std::int64_t>(bytes.size());
  keep(encoded, start, first);
}

void ScreenReader::visit_lot() {
  parallel_for(static_cast<std::int64_t>(lot_.size()), [&](std::int64_t task, int worker) {
    CountsStore& cells = lot_[static_cast<std::size_t>(task)];
    row(static_cast<std::int64_t>(lot_first_) + task, cells, worker);
    cells.release();
  });
}

void ScreenReader::pass(bool first) {
  const std::int64_t n_cells = source_.info().n_cells;
  ProgressScope progress("reading counts", n_cells);
  const std::int64_t step = source_.chunk_cells();
  for (std::int64_t start = 0; start < n_cells; start += step) {
    throw_if_stopped();
    const std::int64_t count = std::min(step, n_cells - start);
    read_chunk(start, count, first);
    progress.advance(count);
  }
}

void ScreenReader::run() {
  // How much a cell takes, from a look at the first ones.
  lot_first_ = 0;
  lot_end_ = rows_.size();
  lot_.assign(rows_.size(), {});
  const std::int64_t n_probe = std::min({source_.info().n_cells, kProbeCells, source_.chunk_cells()});
  const auto visitor = std::move(each_cell);
  each_cell = nullptr;
  if (n_probe > 0) read_chunk(0, n_probe, true);
  each_cell = visitor;
  controls_.release();
  bytes_per_cell_ =
      1.1 * static_cast<double>(measured_bytes_) / static_cast<double>(std::max<std::int64_t>(n_probe, 1));

  plan(0);
  pass(true);
  if (controls) controls(controls_);
  visit_lot();
  while (lot_end_ < rows_.size()) {
    plan(lot_end_);
    pass(false);
    visit_lot();
  }
}

}  // namespace scvet::trial
