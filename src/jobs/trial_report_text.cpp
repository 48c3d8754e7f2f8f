// How numbers and names read in a trial's report.
#include <cmath>

#include <fmt/format.h>

#include "scvet/base/text.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Cell;
using report::Grid;
using report::Tone;

namespace {
constexpr const char* kDash = "\xE2\x80\x93";
}

std::string delta_text(double value) { return std::isfinite(value) ? fmt::format("{:+.4f}", value) : kDash; }
std::string r2_text(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : kDash; }

std::string interval_text(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return kDash;
  return fmt::format("{:+.4f} to {:+.4f}", low, high);
}

std::string interval_text(const Json& pair) {
  return pair.is_array() && pair.size() == 2 ? interval_text(real(pair[0]), real(pair[1])) : kDash;
}

Cell delta_cell(double value) { return {delta_text(value), value}; }
Cell r2_cell(double value) { return {r2_text(value), value}; }
Cell interval_of(const Json& pair) { return Cell(interval_text(pair)); }

Cell flag_cell(bool good, const char* yes, const char* no) {
  return good ? Cell(std::string("\xE2\x9C\x93 ") + yes, Tone::kGood)
              : Cell(std::string("\xE2\x96\xB2 ") + no, Tone::kBad);
}

std::string bound_text(double value) {
  return std::fabs(value * 1000 - std::round(value * 1000)) < 1e-9 ? fmt::format("{:.3f}", value)
                                                                   : format_number(value);
}

std::string counted(std::int64_t n, const char* one, const char* many) {
  return format_count(n) + " " + (n == 1 ? one : many);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string predictor_label(std::string_view name) {
  if (name == "MAG_ONLY") return "Magnitude only";
  if (name == "BASELINE") return "Baseline";
  if (name == "MODEL") return "Model";
  if (name == "GAUSSIAN") return "Gaussian";
  if (name == "SHUFFLE") return "Shuffle";
  return std::string(name);
}

std::string category_label(std::string_view name) {
  if (name == "STRONG_EXTERNAL_REPLICATION") return "Strong external replication";
  if (name == "PARTIAL_EXTERNAL_REPLICATION") return "Partial external replication";
  if (name == "CAPACITY_ONLY_OR_AMBIGUOUS") return "Capacity only, or ambiguous";
  if (name == "NO_EXTERNAL_REPLICATION") return "No external replication";
  if (name == "INVALID") return "Invalid";
  if (name == "CUSTOM") return "Custom rules";
  return std::string(name);
}

std::string numbered_arm(const char* prefix, const TrialView& view, const ArmView& arm) {
  for (std::size_t number = 0; number < view.arms.size(); ++number)
    if (view.arms[number].name == arm.name) return prefix + ("-" + std::to_string(number + 1));
  return prefix;
}

Grid::Column text_column(std::string name, std::string explanation) {
  return {.name = std::move(name), .numeric = false, .explanation = std::move(explanation)};
}

Grid::Column number_column(std::string name, std::string explanation) {
  return {.name = std::move(name), .numeric = true, .explanation = std::move(explanation)};
}

}  // namespace scvet::jobs::trial_page
