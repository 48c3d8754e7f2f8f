#include "scvet/audit/texts.h"

#include <fmt/format.h>

#include <cmath>

#include "scvet/base/text.h"

namespace scvet::audit {
namespace {

std::string interval(const Share& share) {
  return fmt::format("{} [{}, {}]", probability_text(share.share), probability_text(share.low), probability_text(share.high));
}

}  // namespace

std::string probability_text(double value) {
  if (std::isnan(value)) return "not known";
  std::string text = fmt::format("{:.3g}", value);
  if (text.find('e') != std::string::npos) text = fmt::format("{:.6f}", value);
  return text.starts_with("0.") ? text.substr(1) : text;
}

std::string plant_sentence(const PlantPower& plant) {
  const std::string what = plant.kept < 1 ? fmt::format("a copy thinned to {}", format_percent(plant.kept, plant.kept * 100 == std::floor(plant.kept * 100) ? 0 : 1))
                                          : std::string("a whole copy");
  if (plant.found.n == 0) return fmt::format("how often {} would be found is not known: no cell could be planted", what);
  return fmt::format("{}{} would be found with probability {}", what,
                     plant.by_gene && plant.kept < 1 ? " (gene by gene: there are no counts)" : "", interval(plant.found));
}

std::string calibration_sentence(const FalsePositives& result) {
  if (result.n_tested == 0)
    return "Error rates could not be measured on this data" + (result.reason.empty() ? "." : ": " + result.reason + ".");
  std::string text = fmt::format(
      "Of {} cells audited against the other part of the same data ({}), {} have p_same <= .05, {} <= .01 and {} <= "
      ".001; {} are flagged same_cell, {} suspect, {} exact.",
      format_count(result.n_tested), result.split == "donors" ? "split by donors" : "split into halves",
      format_percent(result.at_05.share, 2), format_percent(result.at_01.share, 2), format_percent(result.at_001.share, 2),
      format_count(result.n_same_cell), format_count(result.n_suspect), format_count(result.n_exact));
  if (!result.calibrated)
    text += " The flags are not calibrated on your data; the pairs may be true internal duplicates.";
  std::vector<std::string> rare;
  for (const FalsePositives::Type& type : result.types)
    if (type.rare_flagged > 0) rare.push_back(fmt::format("{} ({} of {})", type.label, type.rare_flagged, type.rare_tested));
  if (!rare.empty())
    text += fmt::format(" Cut to 3 + 3 cells, cells of these types are flagged wrongly: {}.", join_some(rare, 12));
  return text;
}

std::vector<Limit> limits(const AuditOptions& options) {
  const int copies = options.max_copies;
  return {
      {"Rare types of very uniform cells",
       "A rare type whose cells are more alike than common types' cells of the same size (few dominant genes: "
       "erythroid, platelet, plasma cells) passes the lift and looks like copies. Where the benchmark has fewer than 31 "
       "cells of the labelled type, the flag carries the note rare_label, and only an exact match decides. Without "
       "labels this risk cannot be seen."},
      {"One droplet in two libraries",
       "Beads with several barcodes, index hopping between libraries, doublets that share a cell, technical replicates "
       "and re-sequenced libraries put one droplet's molecules on both sides without one cell being copied. Compare the "
       "barcodes and studies of both sides."},
      {"Presence is not use",
       "A hit shows that the same molecules, or nearly the same, are on both sides. It does not show that a model used "
       "or remembered them."},
      {"Not found is not absent",
       "A cell without a flag may still be in the corpus: thinned further, corrected, or processed in another way than "
       "the planted copies were. The power stated is that of this run, on this panel, for copies made by thinning."},
      {"Many copies",
       fmt::format("Up to {} copies with different gene sets are found. A cell that is there more often looks like a "
                   "dense neighbourhood and gets at most the note crowded. Copies with equal sets count once and are "
                   "found at any number.",
                   copies)},
      {"Small panels",
       "Power rests on genes per cell: from about 500 on, copies at half the depth are found nearly always; on panels "
       "of a few hundred genes whole copies are found and thin ones are not."},
      {"p_same alone",
       "p_same is not conservative on every data set, because neighbours are not exactly exponential; the flags also "
       "ask for the lift. The error rates printed above were measured on this data and stand before any flag."},
      {"Thinned copies here",
       "Planted copies are thinned within the fingerprint of the cell: genes beyond a cut at K do not come back."},
  };
}

}  // namespace scvet::audit
