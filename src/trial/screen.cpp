#include "scvet/trial/screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "label.h"
#include "screen_reader.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/exact_log.h"
#include "scvet/trial/digests.h"

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
  std::vector<std::unique_ptr<Histograms>> batches;  // null: fewer than two cells
  std::vector<std::unique_ptr<PoolTest>> batch_tests;
};

std::vector<std::int64_t> counted(std::int64_t n) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  for (std::int64_t at = 0; at < n; ++at) numbers[static_cast<std::size_t>(at)] = at;
  return numbers;
}

class Scan {
 public:
  Scan(CellSource& source, const Design& design, const ScreenOptions& options, const std::string& file)
      : source_(source),
        design_(design),
        options_(options),
        file_(file),
        genes_(order_genes(source.var().names, file)) {
    result_.n_genes = source.info().n_genes;
    result_.rows.resize(design.rows.size());
    for (std::size_t row = 0; row < design.rows.size(); ++row) {
      if (static_cast<int>(design.rows[row].cells.size()) < options.min_cells)
        result_.rows[row].reason = "min_cells";
      else
        candidates_.push_back(static_cast<std::int64_t>(row));
    }
    const std::size_t n_cells = design.cell_names.size();
    named_.resize(n_cells);
    unnamed_.resize(n_cells);
    result_.record_hash.resize(n_cells);
  }

  Screen run() {
    ScreenReader reader(source_, design_, candidates_, options_.memory_bytes, file_);
    reader.each_cell = [&](std::int64_t cell, auto genes, auto counts) { hash(cell, genes, counts); };
    reader.controls = [&](CountsStore& store) { take_controls(store); };
    deltas_.resize(candidates_.size());
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

  void hash(std::int64_t cell, std::span<const std::uint32_t> genes, std::span<const std::uint32_t> counts) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted(genes.size());
    for (std::size_t at = 0; at < genes.size(); ++at) sorted[at] = {genes_.rank[genes[at]], counts[at]};
    if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> record;
    record.reserve(2 * sorted.size());
    for (const auto& [rank, count] : sorted) {
      record.push_back(rank);
      record.push_back(count);
    }
    const auto at = static_cast<std::size_t>(cell);
    const CellHashes hashes = hash_cell(design_.cell_names[at], record);
    named_[at] = hashes.named;
    unnamed_[at] = hashes.unnamed;
    std::memcpy(&result_.record_hash[at], hashes.unnamed.data(), 8);
  }

  void take_controls(CountsStore& store) {
    CellLogs logs;
    controls_.mean.assign(static_cast<std::size_t>(result_.n_genes), 0.0);
    add_logs(store, logs, controls_.mean);
    for (double& value : controls_.mean) value = value / static_cast<double>(store.n_cells());
    controls_.all = std::make_unique<Histograms>(store, counted(store.n_cells()), result_.n_genes);
    controls_.test = std::make_unique<PoolTest>(*controls_.all);
    std::vector<std::int64_t> sizes;
    for (const std::int64_t row : candidates_)
      sizes.push_back(static_cast<std::int64_t>(design_.rows[static_cast<std::size_t>(row)].cells.size()));
    for (const std::int64_t size : sizes) controls_.test->prepare(size);
    if (options_.labels) take_batches(store);
    store.release();
    for (int worker = 0; worker < workers(); ++worker) work_.push_back(std::make_unique<Work>(result_.n_genes));
  }

  void take_batches(const CountsStore& store) {
    const std::size_t n_batches = design_.batches.size();
    std::vector<std::vector<std::int64_t>> members(n_batches);
    for (std::size_t at = 0; at < design_.nt_cells.size(); ++at) {
      const std::int32_t batch = design_.batch_of_cell[static_cast<std::size_t>(design_.nt_cells[at])];
      if (batch >= 0) members[static_cast<std::size_t>(batch)].push_back(static_cast<std::int64_t>(at));
    }
    controls_.batches.resize(n_batches);
    controls_.batch_tests.resize(n_batches);
    std::vector<std::set<std::int64_t>> sizes(n_batches);
    for (const std::int64_t row : candidates_)
      for (const auto& [batch, cells] : batches_of(row))
        sizes[static_cast<std::size_t>(batch)].insert(static_cast<std::int64_t>(cells.size()));
    parallel_for(static_cast<std::int64_t>(n_batches), [&](std::int64_t batch, int) {
      const auto at = static_cast<std::size_t>(batch);
      if (members[at].size() < 2) return;
      controls_.batches[at] = std::make_unique<Histograms>(store, members[at], result_.n_genes);
      controls_.batch_tests[at] = std::make_unique<PoolTest>(*controls_.batches[at]);
      for (const std::int64_t size : sizes[at])
        if (size >= 2) controls_.batch_tests[at]->prepare(size);
    });
  }

  // Places in the row's cells, by batch.
  std::map<std::int32_t, std::vector<std::int64_t>> batches_of(std::int64_t row) const {
    std::map<std::int32_t, std::vector<std::int64_t>> found;
    const std::vector<std::int64_t>& cells = design_.rows[static_cast<std::size_t>(row)].cells;
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const std::int32_t batch = design_.batch_of_cell[static_cast<std::size_t>(cells[at])];
      if (batch >= 0) found[batch].push_back(static_cast<std::int64_t>(at));
    }
    return found;
  }

  double diagnostic(std::int64_t row, const CountsStore& cells, GroupCounter& counter) const {
    double sum = 0;
    std::int64_t weight = 0;
    for (const auto& [batch, members] : batches_of(row)) {
      const auto& test = controls_.batch_tests[static_cast<std::size_t>(batch)];
      const auto n = static_cast<std::int64_t>(members.size());
      if (!test || n < 2) continue;
      counter.clear();
      for (const std::int64_t cell : members)
        cells.each(cell, [&](std::uint32_t gene, std::uint32_t count) { counter.add(gene, count); });
      counter.finish();
      const LabelSum label = test->label(counter, n);
      if (label.n_finite == 0) continue;
      sum += static_cast<double>(n) * label.mean();
      weight += n;
    }
    return weight == 0 ? std::numeric_limits<double>::quiet_NaN() : weak_label(sum / static_cast<double>(weight));
  }

  void take_row(std::int64_t at, const CountsStore& cells, int worker) {
    Work& work = *work_[static_cast<std::size_t>(worker)];
    const std::int64_t row = candidates_[static_cast<std::size_t>(at)];
    ScreenRow& found = result_.rows[static_cast<std::size_t>(row)];
    work.counter.clear();
    for (std::int64_t cell = 0; cell < cells.n_cells(); ++cell)
      cells.each(cell, [&](std::uint32_t gene, std::uint32_t count) { work.counter.add(gene, count); });
    work.counter.finish();
    const LabelSum label = controls_.test->label(work.counter, cells.n_cells());
    found.n_finite = label.n_finite;
    found.eligible = label.n_finite > 0;
    if (!found.eligible) {
      found.reason = "no_finite_statistic";
      return;
    }
    if (options_.labels) {
      found.y = weak_label(label.mean());
      found.d15 = diagnostic(row, cells, work.counter);
    }
    std::vector<double>& delta = deltas_[static_cast<std::size_t>(at)];
    delta.assign(static_cast<std::size_t>(result_.n_genes), 0.0);
    add_logs(cells, work.logs, delta);
    for (std::size_t gene = 0; gene < delta.size(); ++gene)
      delta[gene] = delta[gene] / static_cast<double>(cells.n_cells()) - controls_.mean[gene];
  }

  void finish() {
    for (std::size_t at = 0; at < candidates_.size(); ++at)
      if (result_.rows[static_cast<std::size_t>(candidates_[at])].eligible) result_.eligible.push_back(candidates_[at]);
    result_.x_delta.reserve(result_.eligible.size() * static_cast<std::size_t>(result_.n_genes));
    for (std::vector<double>& delta : deltas_) {
      result_.x_delta.insert(result_.x_delta.end(), delta.begin(), delta.end());
      std::vector<double>().swap(delta);
    }
    result_.gene_list_sha256 = genes_.sha256;
    result_.counts_digest = counts_digest(genes_.sha256, std::move(named_));
    result_.cell_sketch = cell_sketch(std::move(unnamed_));
  }

  CellSource& source_;
  const Design& design_;
  const ScreenOptions& options_;
  const std::string& file_;
  GeneOrder genes_;
  std::vector<std::int64_t> candidates_;  // rows with enough cells
  std::vector<CellHash> named_, unnamed_;
  Controls controls_;
  std::vector<std::unique_ptr<Work>> work_;  // one a worker
  std::vector<std::vector<double>> deltas_;  // one a candidate; empty where not eligible
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
