#include <algorithm>
#include <cstddef>

#include "dataset.h"
#include "scvet/base/random.h"
#include "scvet/numeric/order_statistics.h"

namespace scvet::audit {
namespace {

constexpr std::uint64_t kBootstraps = 1000;

struct Tally {
  GroupSummary summary;
  std::int64_t with_genes = 0, exposed = 0, measured = 0;
  double sum_jstar = 0;

  void add(const CellOutcome& cell, int min_genes) {
    ++summary.n_cells;
    summary.n_exact += cell.exact;
    summary.n_same_cell += cell.same_cell;
    summary.n_suspect += cell.suspect;
    summary.n_undecidable_rare += cell.status == CellStatus::kUndecidableRare;
    summary.n_clean += cell.exposure == Exposure::kClean;
    with_genes += cell.counts(min_genes);
    exposed += cell.exposed(min_genes);
    if (cell.size == 0) return;
    ++measured;
    sum_jstar += cell.best.jaccard();
  }
  GroupSummary finish() {
    summary.exposed = make_share(exposed, with_genes);
    if (measured > 0) summary.mean_jstar = sum_jstar / static_cast<double>(measured);
    return summary;
  }
};

std::vector<GroupSummary> by_level(const std::vector<CellOutcome>& cells, const std::vector<std::string>& levels,
                                   const std::vector<std::int32_t>& codes, int min_genes) {
  std::vector<GroupSummary> result;
  if (codes.empty()) return result;
  std::vector<Tally> tallies(levels.size() + 1);
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    tallies[codes[cell] < 0 ? levels.size() : static_cast<std::size_t>(codes[cell])].add(cells[cell], min_genes);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    tallies[level].summary.level = levels[level];
    result.push_back(tallies[level].finish());
  }
  if (tallies.back().summary.n_cells > 0) result.push_back(tallies.back().finish());
  return result;
}

}  // namespace

void summarise_dataset(const CellAnnotations& annotations, const AuditOptions& options, DatasetAudit& audit) {
  const int min_genes = options.min_genes_same;
  std::int64_t with_genes = 0, exposed = 0, exact = 0, same_cell = 0, suspect = 0;
  std::vector<double> sizes;
  for (const CellOutcome& cell : audit.cells) {
    audit.n_empty += cell.status == CellStatus::kEmpty;
    audit.n_too_few += cell.status == CellStatus::kTooFewGenes;
    audit.n_undecidable_rare += cell.status == CellStatus::kUndecidableRare;
    audit.n_clean += cell.exposure == Exposure::kClean;
    audit.n_crowded += cell.crowded;
    audit.n_benchmark_duplicate += cell.benchmark_duplicate;
    with_genes += cell.counts(min_genes);
    exposed += cell.exposed(min_genes);
    exact += cell.counts_as_exact(min_genes);
    same_cell += cell.same_cell;
    suspect += cell.suspect;
    sizes.push_back(cell.size);
  }
  audit.median_genes = numeric::median(sizes);
  audit.exposed = make_share(exposed, with_genes);
  audit.flagged_exact = make_share(exact, with_genes);
  audit.flagged_same_cell = make_share(same_cell, with_genes);
  audit.flagged_suspect = make_share(suspect, with_genes);
  audit.by_label = by_level(audit.cells, annotations.label_levels, annotations.label, min_genes);
  audit.by_donor = by_level(audit.cells, annotations.donor_levels, annotations.donor, min_genes);
  audit.by_batch = by_level(audit.cells, annotations.batch_levels, annotations.batch, min_genes);
}

void bootstrap_donors(const CellAnnotations& annotations, const AuditOptions& options, DatasetAudit& audit) {
  struct Donor {
    std::int64_t n = 0, exposed = 0;
  };
  std::vector<Donor> donors(annotations.donor_levels.size());
  for (std::size_t cell = 0; cell < annotations.donor.size(); ++cell) {
    if (annotations.donor[cell] < 0 || !audit.cells[cell].counts(options.min_genes_same)) continue;
    Donor& donor = donors[static_cast<std::size_t>(annotations.donor[cell])];
    ++donor.n;
    donor.exposed += audit.cells[cell].exposed(options.min_genes_same);
  }
  std::erase_if(donors, [](const Donor& donor) { return donor.n == 0; });
  if (donors.size() < 2) return;
  std::vector<double> shares;
  for (std::uint64_t draw = 1; draw <= kBootstraps; ++draw) {
    Stream stream(stream_key(options.seed, draw));
    Donor sum;
    for (std::size_t at = 0; at < donors.size(); ++at) {
      const Donor& donor = donors[static_cast<std::size_t>(stream.below(donors.size()))];
      sum.n += donor.n;
      sum.exposed += donor.exposed;
    }
    shares.push_back(static_cast<double>(sum.exposed) / static_cast<double>(sum.n));
  }
  audit.membership.donor_low = numeric::quantile(shares, .025);
  audit.membership.donor_high = numeric::quantile(shares, .975);
}

}  // namespace scvet::audit
