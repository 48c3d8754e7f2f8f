#include "scvet/data/rank_encoding.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"

namespace scvet {

void CellBatch::clear() {
  indptr.assign(1, 0);
  tokens.clear();
  values.clear();
  totals.clear();
}

void RankedCells::clear() {
  offsets.assign(1, 0);
  tokens.clear();
  values.clear();
}

std::span<const std::uint32_t> RankedCells::cell_tokens(std::int64_t cell) const {
  const auto first = static_cast<std::size_t>(offsets[static_cast<std::size_t>(cell)]);
  return {tokens.data() + first, static_cast<std::size_t>(offsets[static_cast<std::size_t>(cell) + 1]) - first};
}

std::span<const double> RankedCells::cell_values(std::int64_t cell) const {
  const auto first = static_cast<std::size_t>(offsets[static_cast<std::size_t>(cell)]);
  return {values.data() + first, static_cast<std::size_t>(offsets[static_cast<std::size_t>(cell) + 1]) - first};
}

RankPolicy rank_policy(const GenePanel& panel, const Vocabulary* vocabulary, std::int64_t top_k, bool ranked) {
  RankPolicy policy;
  policy.ranked = ranked;
  if (!vocabulary) return policy;
  policy.top_k = top_k;
  policy.medians.assign(panel.size(), std::numeric_limits<double>::quiet_NaN());
  policy.tie_order.assign(panel.size(), 0);
  for (std::uint32_t token = 0; token < panel.size(); ++token) {
    const PanelGene& gene = panel.gene(token);
    const VocabularyGene* known = vocabulary->find(gene.name());
    if (!known && !gene.symbol.empty()) known = vocabulary->find(gene.symbol);
    if (!known) continue;
    policy.medians[token] = known->median;
    policy.tie_order[token] = known->token;
  }
  return policy;
}

namespace {

struct Ranked {
  double key;        // what is ranked
  std::int64_t tie;  // lower first
  std::uint32_t at;  // entry of the cell
};

// Counts below this are sorted by counting; entries come in token order, so ties are in order already.
constexpr int kSmallCounts = 256;

// Rank by value alone. True when it could be done by counting.
bool rank_by_counting(std::span<const std::uint32_t> tokens, std::span<const double> values, std::uint32_t* tokens_out,
                      double* values_out) {
  std::uint32_t bins[kSmallCounts + 1] = {};
  std::size_t large = 0;
  for (const double value : values) {
    if (value != std::floor(value)) return false;
    if (value < kSmallCounts)
      ++bins[static_cast<int>(value)];
    else
      ++large;
  }
  std::vector<Ranked> top;
  top.reserve(large);
  std::uint32_t starts[kSmallCounts + 1];
  auto next = static_cast<std::uint32_t>(large);
  for (int count = kSmallCounts - 1; count >= 0; --count) {
    starts[count] = next;
    next += bins[count];
  }
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (values[at] >= kSmallCounts) {
      top.push_back({values[at], tokens[at], static_cast<std::uint32_t>(at)});
      continue;
    }
    const std::uint32_t place = starts[static_cast<int>(values[at])]++;
    tokens_out[place] = tokens[at];
    values_out[place] = values[at];
  }
  std::stable_sort(top.begin(), top.end(), [](const Ranked& a, const Ranked& b) { return a.key > b.key; });
  for (std::size_t place = 0; place < top.size(); ++place) {
    tokens_out[place] = tokens[top[place].at];
    values_out[place] = values[top[place].at];
  }
  return true;
}

struct CellLoss {
  std::int64_t outside = 0;
  bool cut = false;
};

// Writes one ranked cell; returns how many genes were kept.
std::size_t rank_cell(std::span<const std::uint32_t> tokens, std::span<const double> values, double total,
                      const RankPolicy& policy, std::uint32_t* tokens_out, double* values_out, CellLoss& loss) {
  const bool by_value = policy.medians.empty();
  if (by_value && policy.tie_order.empty() && rank_by_counting(tokens, values, tokens_out, values_out))
    return tokens.size();
  std::vector<Ranked> order;
  order.reserve(tokens.size());
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::uint32_t token = tokens[at];
    double key = values[at];
    if (!by_value) {
      if (std::isnan(policy.medians[token])) {
        ++loss.outside;
        continue;
      }
      if (!policy.ranked) key = values[at] / total * 1e4 / policy.medians[token];  // audit spec 2, in this order
    }
    order.push_back({key, policy.tie_order.empty() ? token : policy.tie_order[token], static_cast<std::uint32_t>(at)});
  }
  std::sort(order.begin(), order.end(),
            [](const Ranked& a, const Ranked& b) { return a.key != b.key ? a.key > b.key : a.tie < b.tie; });
  std::size_t kept = order.size();
  if (policy.top_k > 0 && kept > static_cast<std::size_t>(policy.top_k)) {
    kept = static_cast<std::size_t>(policy.top_k);
    loss.cut = true;
  }
  for (std::size_t place = 0; place < kept; ++place) {
    tokens_out[place] = tokens[order[place].at];
    values_out[place] = values[order[place].at];
  }
  return kept;
}

constexpr std::int64_t kTaskCells = 256;

}  // namespace

void rank_cells(const CellBatch& batch, const RankPolicy& policy, RankedCells& ranked, RankLosses& losses) {
  const std::int64_t n_cells = batch.n_cells();
  const std::int64_t n_tasks = (n_cells + kTaskCells - 1) / kTaskCells;
  // Each cell is written where it lay in the batch, then the gaps of what was left out are closed.
  ranked.tokens.resize(batch.tokens.size());
  ranked.values.resize(batch.values.size());
  std::vector<std::int64_t> kept(static_cast<std::size_t>(n_cells));
  std::atomic<std::int64_t> outside{0}, cut{0};
  parallel_for(n_tasks, [&](std::int64_t task, int) {
    CellLoss loss;
    std::int64_t n_cut = 0;
    for (std::int64_t cell = task * kTaskCells; cell < std::min(n_cells, (task + 1) * kTaskCells); ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      const auto first = static_cast<std::size_t>(batch.indptr[at]),
                 last = static_cast<std::size_t>(batch.indptr[at + 1]);
      loss.cut = false;
      kept[at] = static_cast<std::int64_t>(
          rank_cell({batch.tokens.data() + first, last - first}, {batch.values.data() + first, last - first},
                    batch.totals[at], policy, ranked.tokens.data() + first, ranked.values.data() + first, loss));
      n_cut += loss.cut;
    }
    outside += loss.outside;
    cut += n_cut;
  });
  ranked.offsets.assign(1, 0);
  std::int64_t end = 0;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    const std::int64_t from = batch.indptr[static_cast<std::size_t>(cell)],
                       count = kept[static_cast<std::size_t>(cell)];
    if (from != end) {
      std::copy_n(ranked.tokens.begin() + from, count, ranked.tokens.begin() + end);
      std::copy_n(ranked.values.begin() + from, count, ranked.values.begin() + end);
    }
    end += count;
    ranked.offsets.push_back(end);
  }
  ranked.tokens.resize(static_cast<std::size_t>(end));
  ranked.values.resize(static_cast<std::size_t>(end));
  losses.n_entries += static_cast<std::int64_t>(batch.tokens.size());
  losses.n_outside += outside;
  losses.n_cut_cells += cut;
}

}  // namespace scvet
