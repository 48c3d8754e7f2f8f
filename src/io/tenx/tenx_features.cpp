#include "tenx/tenx_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "store/convert.h"

namespace scvet::io {
namespace {

std::string pick(const std::vector<std::string>& texts, std::size_t at) { return texts.empty() ? "" : texts[at]; }

// Where each feature goes when `row_of` of its old row is the new one.
void compose(std::vector<std::uint32_t>& target, std::size_t n_features, const std::vector<std::uint32_t>& row_of) {
  if (target.empty()) {
    target.resize(n_features);
    std::iota(target.begin(), target.end(), 0u);
  }
  for (std::uint32_t& row : target)
    if (row != kNoIndex) row = row_of[row];
}

void append(TenxFeatures& to, const TenxFeatures& from, std::size_t at, std::string id, std::string name) {
  if (!from.ids.empty() || !from.gene_ids.empty()) to.ids.push_back(std::move(id));
  to.names.push_back(std::move(name));
  if (!from.types.empty()) to.types.push_back(from.types[at]);
  if (!from.genomes.empty()) to.genomes.push_back(from.genomes[at]);
}

void sum_probes(GeneView& view, std::size_t n_features) {
  const TenxFeatures probes = std::move(view.features);
  view.features = {};
  std::unordered_map<std::string, std::uint32_t> rows;
  std::vector<std::uint32_t> row_of(n_features, kNoIndex);
  std::size_t n_passed = 0;
  for (std::size_t probe = 0; probe < n_features; ++probe) {
    if (!probes.passed.empty() && !probes.passed[probe]) continue;
    ++n_passed;
    // Genes of two genomes may share an id.
    const auto [found, fresh] = rows.try_emplace(pick(probes.genomes, probe) + "\n" + probes.gene_ids[probe],
                                                 static_cast<std::uint32_t>(rows.size()));
    row_of[probe] = found->second;
    if (!fresh) continue;
    append(view.features, probes, probe, probes.gene_ids[probe],
           probes.gene_names.empty() ? pick(probes.names, probe) : probes.gene_names[probe]);
  }
  compose(view.target, n_features, row_of);
  view.notes.push_back(fmt::format(
      "a matrix of probes: {} of {} {}, summed by gene ({} genes)", format_count(static_cast<std::int64_t>(n_passed)),
      format_count(static_cast<std::int64_t>(n_features)),
      probes.passed.empty() ? "probes (the file does not say which passed the filter)" : "probes passed the filter",
      format_count(static_cast<std::int64_t>(rows.size()))));
}

// "GRCh38_TP53" and "mm10___Trp53": how references of several genomes name genes.
std::string without_genome(const std::string& text, const std::string& genome) {
  if (!text.starts_with(genome + "_")) return text;
  const std::size_t end = text.find_first_not_of('_', genome.size());
  return end == std::string::npos ? text : text.substr(end);
}

void keep_genome(GeneView& view, std::size_t n_features, const std::string& genome, const std::string& file) {
  const TenxFeatures all = std::move(view.features);
  view.features = {};
  if (std::find(all.genomes.begin(), all.genomes.end(), genome) == all.genomes.end()) {
    std::vector<std::string> has = all.genomes;
    std::sort(has.begin(), has.end());
    has.erase(std::unique(has.begin(), has.end()), has.end());
    throw UsageError(
        all.genomes.empty()
            ? fmt::format("{} does not say of which genome its features are, so --genome {} cannot choose; "
                          "leave it out",
                          file, genome)
            : fmt::format("{} has features of {}, not of '{}'; change --genome", file, join_some(has), genome),
        {.file = file, .field = "genome", .reason = "missing_genome"});
  }
  std::vector<std::uint32_t> row_of(all.genomes.size(), kNoIndex);
  std::size_t renamed = 0;
  for (std::size_t row = 0; row < all.genomes.size(); ++row) {
    if (all.genomes[row] != genome) continue;
    row_of[row] = static_cast<std::uint32_t>(view.features.names.size());
    std::string name = without_genome(all.names[row], genome), id = without_genome(pick(all.ids, row), genome);
    renamed += name != all.names[row] || id != pick(all.ids, row);
    append(view.features, all, row, std::move(id), std::move(name));
  }
  const std::size_t n_kept = view.features.names.size();
  if (n_kept == all.names.size() && renamed == 0) {
    view.features = all;
    return;
  }
  compose(view.target, n_features, row_of);
  view.notes.push_back(fmt::format(
      "genome {}: {} of {} features are kept{}", genome, format_count(static_cast<std::int64_t>(n_kept)),
      format_count(static_cast<std::int64_t>(all.names.size())), renamed > 0 ? ", its name taken off theirs" : ""));
}

}  // namespace

GeneView view_genes(TenxFeatures features, const std::string& genome, const std::string& file) {
  GeneView view;
  const std::size_t n_features = features.names.size();
  const bool probes = !features.gene_ids.empty();
  view.features = std::move(features);
  if (probes) sum_probes(view, n_features);
  if (!genome.empty()) keep_genome(view, n_features, genome, file);
  return view;
}

}  // namespace scvet::io
