#include "scvet/audit/texts.h"

#include <fmt/format.h>

#include <cmath>

#include "scvet/base/text.h"

namespace scvet::audit {
namespace {

std::string interval(const Share& share) {
  return fmt::format("{} [{}, {}]", probability_text(share.share), probability_text(share.low),
                     probability_text(share.high));
}

}  // namespace

std::string probability_text(double value) {
  if (std::isnan(value)) return "not known";
  std::string text = fmt::format("{:.3g}", value);
  if (text.find('e') != std::string::npos) text = fmt::format("{:.6f}", value);
  return text.starts_with("0.") ? text.substr(1) : text;
}

std::string plant_sentence(const PlantPower& plant) {
  const int digits = plant.kept * 100 == std::floor(plant.kept * 100) ? 0 : 1;
  const std::string what = plant.kept < 1 ? "a copy thinned to " + format_percent(plant.kept, digits) : "a whole copy";
  if (plant.found.n == 0)
    return fmt::format("how often {} would be found is not known: no cell could be planted", what);
  return fmt::format("{}{} would be found with probability {}", what,
                     plant.by_gene && plant.kept < 1 ? " (gene by gene: there are no counts)" : "",
                     interval(plant.found));
}

std::string calibration_sentence(const FalsePositives& result) {
  if (result.n_tested == 0)
    return "Error rates could not be measured on this data" +
           (result.reason.empty() ? "." : ": " + result.reason + ".");
  std::string text = fmt::format(
      "Of {} cells audited against the other part of the same data ({}), {} have p_same <= .05, {} <= .01 and {} <= "
      ".001; {} are flagged same_cell, {} suspect, {} exact.",
      format_count(result.n_tested), result.split == "donors" ? "split by donors" : "split into halves",
      format_percent(result.at_05.share, 2), format_percent(result.at_01.share, 2),
      format_percent(result.at_001.share, 2), format_count(result.n_same_cell), format_count(result.n_suspect),
      format_count(result.n_exact));
  if (!result.calibrated)
    text += " The flags are not calibrated on your data; the pairs may be true internal duplicates.";
  std::vector<std::string> rare;
  for (const FalsePositives::Type& type : result.types)
    if (type.rare_flagged > 0)
      rare.push_back(fmt::format("{} ({} of {})", type.label, type.rare_flagged, type.rare_tested));
  if (!rare.empty())
    text += fmt::format(" Cut to 3 + 3 cells, cells of these types are flagged wrongly: {}.", join_some(rare, 12));
  return text;
}

}  // namespace scvet::audit
