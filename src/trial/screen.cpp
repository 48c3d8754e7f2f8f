#include "scvet/trial/screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "batch_label.h"
#include "cell_hasher.h"
#include "label.h"
#include "screen_reader.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/exact_log.h"

namespace scvet::trial {
namespace {

// log1p(count * 10000 / total) of a cell, each count once.
class CellLogs {
 public:
  void start(std::uint64_t total) {
    total_ = static_cast<double>(total);
    ++cell_;
  }
  double of(std::uint32_t count) {
    if (count >= kKept) return value(count);
    if (made_for_[count] != cell_) {
      made_for_[count] = cell_;
      kept_[count] = value(count);
    }
    return kept_[count];
  }

 private:
  double value(std::uint32_t count) const {
    return numeric::exact_log1p(static_cast<double>(count) * 10000.0 / total_);
  }
  static constexpr std::uint32_t kKept = 256;
  double total_ = 0;
  std::uint64_t cell_ = 0;
  std::array<std::uint64_t, kKept> made_for_{};
  std::array<double, kKept> kept_{};
};

// Sums over cells in order, one a gene.
void add_logs(const CountsStore& cells, CellLogs& logs, std::span<double> sums) {
  for (std::int64_t cell = 0; cell < cells.n_cells(); ++cell) {
    std::uint64_t total = 0;
    cells.each(cell, [&](std::uint32_t, std::uint32_t count) { total += count; });
    if (total == 0) continue;
    logs.start(total);
    cells.each(cell, [&](std::uint32_t gene, std::uint32_t count) { sums[gene] += logs.of(count); });
  }
}

// The control cells as one pool, and batch by batch.
struct Controls {
  std::vector<double> mean;  // of log1p values, one a gene
  std::unique_ptr<Histograms> all;
  std::unique_ptr<PoolTest> test;
  std::unique_ptr<BatchLabel> batches;
};

class Scan {
 public:
  Scan(CellSource& source, const Design& design, const ScreenOptions& options, const std::string& file)
      : source_(source),
        design_(design),
        options_(options),
        file_(file),
        hasher_(source.var().names, design.cell_names, file) {
    result_.n_genes = source.info().n_genes;
    result_.rows.resize(design.rows.size());
    for (std::size_t row = 0; row < design.rows.size(); ++row) {
      if (static_cast<int>(design.rows[row].cells.size()) < options.min_cells)
        result_.rows[row].reason = "min_cells";
      else
        candidates_.push_back(static_cast<std::int64_t>(row));
    }
  }

  Screen run() {
    ScreenReader reader(source_, design_, candidates_, options_.memory_bytes, file_);
    reader.each_cell = [&](std::int64_t cell, auto genes, auto counts, int worker) {
      hasher_.add(cell, genes, counts, worker);
    };
    reader.controls = [&](CountsStore& store) { take_controls(store); };
    result_.x_delta.resize(candidates_.size() * static_cast<std::size_t>(result_.n_genes));
    reader.row = [&](std::int64_t at, const CountsStore& cells, int worker) { take_row(at, cells, worker); };
    reader.run();
    finish();
    return std::move(result_);
  }

 private:
  struct Work {
    explicit Work(std::int64_t n_genes) : counter(n_genes) {}
    GroupCounter counter;
    CellLogs logs;
  };

  std::span<double> delta(std::size_t at) {
    const auto n_genes = static_cast<std::size_t>(result_.n_genes);
    return std::span(result_.x_delta).subspan(at * n_genes, n_genes);
  }

  void take_controls(CountsStore& store) {
    CellLogs logs;
    controls_.mean.assign(static_cast<std::size_t>(result_.n_genes), 0.0);
    add_logs(store, logs, controls_.mean);
    for (double& value : controls_.mean) value = value / static_cast<double>(store.n_cells());
    controls_.all = std::make_unique<Histograms>(store, result_.n_genes);
    controls_.test = std::make_unique<PoolTest>(*controls_.all);
    std::vector<std::int64_t> sizes;
    for (const std::int64_t row : candidates_)
      sizes.push_back(static_cast<std::int64_t>(design_.rows[static_cast<std::size_t>(row)].cells.size()));
    controls_.test->prepare(sizes);
    if (options_.labels) controls_.batches = std::make_unique<BatchLabel>(design_, store, candidates_, result_.n_genes);
    store.release();
    for (int worker = 0; worker < workers(); ++worker) work_.push_back(std::make_unique<Work>(result_.n_genes));
  }

  void take_row(std::int64_t at, const CountsStore& cells, int worker) {
    Work& work = *work_[static_cast<std::size_t>(worker)];
    const std::int64_t row = candidates_[static_cast<std::size_t>(at)];
    ScreenRow& found = result_.rows[static_cast<std::size_t>(row)];
    work.counter.count(cells);
    const LabelSum label = controls_.test->label(work.counter, cells.n_cells());
    found.n_finite = label.n_finite;
    found.eligible = label.n_finite > 0;
    if (!found.eligible) {
      found.reason = "no_finite_statistic";
      return;
    }
    if (options_.labels) {
      found.y = weak_label(label.mean());
      found.d15 = controls_.batches->label(row, cells, work.counter);
    }
    const std::span<double> sums = delta(static_cast<std::size_t>(at));
    add_logs(cells, work.logs, sums);
    for (std::size_t gene = 0; gene < sums.size(); ++gene)
      sums[gene] = sums[gene] / static_cast<double>(cells.n_cells()) - controls_.mean[gene];
  }

  // Rows without a statistic leave gaps in x_delta.
  void finish() {
    for (std::size_t at = 0; at < candidates_.size(); ++at) {
      if (!result_.rows[static_cast<std::size_t>(candidates_[at])].eligible) continue;
      const std::size_t to = result_.eligible.size();
      if (to != at) std::copy(delta(at).begin(), delta(at).end(), delta(to).begin());
      result_.eligible.push_back(candidates_[at]);
    }
    result_.x_delta.resize(result_.eligible.size() * static_cast<std::size_t>(result_.n_genes));
    result_.gene_list_sha256 = hasher_.gene_list_sha256();
    result_.record_hash = hasher_.record_hash();
    result_.counts_digest = hasher_.counts_digest();
    result_.cell_sketch = hasher_.sketch();
  }

  CellSource& source_;
  const Design& design_;
  const ScreenOptions& options_;
  const std::string& file_;
  CellHasher hasher_;
  std::vector<std::int64_t> candidates_;  // rows with enough cells
  Controls controls_;
  std::vector<std::unique_ptr<Work>> work_;  // one a worker
  Screen result_;
};

}  // namespace

Screen scan_screen(CellSource& counts, const Design& design, const ScreenOptions& options, const std::string& file) {
  return Scan(counts, design, options, file).run();
}

Features make_features(std::span<const double> x_delta, std::int64_t n_rows, std::int64_t n_genes) {
  Features features;
  features.x_unit_delta.resize(x_delta.size());
  features.mag.resize(static_cast<std::size_t>(n_rows) * 4);
  const auto genes = static_cast<double>(n_genes);
  parallel_for(n_rows, [&](std::int64_t row, int) {
    const std::span<const double> x =
        x_delta.subspan(static_cast<std::size_t>(row * n_genes), static_cast<std::size_t>(n_genes));
    double sum = 0, squares = 0, most = n_genes > 0 ? x[0] : 0;
    for (const double value : x) {
      sum += value;
      squares += value * value;
      most = std::max(most, value);
    }
    const double mean = sum / genes, length = std::sqrt(squares);
    double spread = 0;
    for (const double value : x) spread += (value - mean) * (value - mean);
    double* const unit = features.x_unit_delta.data() + row * n_genes;
    for (std::size_t gene = 0; gene < x.size(); ++gene) unit[gene] = length == 0 ? 0.0 : x[gene] / length;
    double* const mag = features.mag.data() + row * 4;
    mag[0] = mean;
    mag[1] = length / std::sqrt(genes);
    mag[2] = most;
    mag[3] = std::sqrt(spread / genes);
  });
  return features;
}

}  // namespace scvet::trial
