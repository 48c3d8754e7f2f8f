// Two cells beside one another, and which cells deserve that.
#include <algorithm>
#include <unordered_map>

#include "audit_report_parts.h"

namespace scvet::jobs {
namespace {

std::vector<std::string> top_genes(const sketch::CellSet& cell, std::span<const std::string> genes) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < cell.tokens.size() && rank < kEvidenceGenes; ++rank)
    names.push_back(genes[cell.tokens[rank]]);
  return names;
}

std::int64_t count_at(const sketch::CellSet& cell, std::size_t rank) {
  return rank < cell.counts.size() ? static_cast<std::int64_t>(cell.counts[rank]) : -1;
}

}  // namespace

CellEvidence make_evidence(std::int64_t cell, const sketch::CellSet& query, std::int64_t reference_row,
                           const sketch::CellSet& reference, std::span<const std::string> genes) {
  CellEvidence evidence;
  evidence.cell = cell;
  evidence.reference_row = reference_row;
  evidence.n_query = static_cast<std::int64_t>(query.tokens.size());
  evidence.n_reference = static_cast<std::int64_t>(reference.tokens.size());
  evidence.top_query = top_genes(query, genes);
  evidence.top_reference = top_genes(reference, genes);
  std::unordered_map<std::uint16_t, std::size_t> rank_in_reference;
  for (std::size_t rank = 0; rank < reference.tokens.size(); ++rank) rank_in_reference[reference.tokens[rank]] = rank;
  std::vector<EvidenceGene> alone;
  for (std::size_t rank = 0; rank < query.tokens.size(); ++rank) {
    EvidenceGene gene{.gene = genes[query.tokens[rank]],
                      .rank_query = static_cast<std::int64_t>(rank) + 1,
                      .count_query = count_at(query, rank)};
    const auto at = rank_in_reference.find(query.tokens[rank]);
    if (at == rank_in_reference.end()) {
      alone.push_back(std::move(gene));
      continue;
    }
    gene.rank_reference = static_cast<std::int64_t>(at->second) + 1;
    gene.count_reference = count_at(reference, at->second);
    rank_in_reference.erase(at);
    ++evidence.n_shared;
    if (gene.count_query >= 0 && gene.count_reference >= 0) {
      ++evidence.n_counted;
      evidence.n_equal_counts += gene.count_query == gene.count_reference;
    }
    if (evidence.genes.size() < kEvidenceGenes) evidence.genes.push_back(std::move(gene));
  }
  for (const auto& [token, rank] : rank_in_reference)
    alone.push_back({.gene = genes[token],
                     .rank_reference = static_cast<std::int64_t>(rank) + 1,
                     .count_reference = count_at(reference, rank)});
  std::sort(alone.begin(), alone.end(), [](const EvidenceGene& a, const EvidenceGene& b) {
    const auto key = [](const EvidenceGene& gene) {
      return std::pair(std::max(gene.rank_query, gene.rank_reference), gene.rank_query == 0);
    };
    return key(a) < key(b);
  });
  if (alone.size() > kEvidenceGenes) alone.resize(kEvidenceGenes);
  evidence.differing = std::move(alone);
  return evidence;
}

std::vector<std::int64_t> evidence_cells(const audit::DatasetAudit& outcome, std::size_t most) {
  std::vector<std::int64_t> chosen;
  for (const audit_page::CellClass wanted :
       {audit_page::CellClass::kExact, audit_page::CellClass::kSameCell, audit_page::CellClass::kSuspect})
    for (std::size_t cell = 0; cell < outcome.cells.size() && chosen.size() < most; ++cell)
      if (audit_page::class_of(outcome.cells[cell]) == wanted) chosen.push_back(static_cast<std::int64_t>(cell));
  return chosen;
}

}  // namespace scvet::jobs
