// Pieces that posthoc.json and audits.json share.
#pragma once

#include <cmath>

#include "canonical_json.h"
#include "scvet/trial/lock_tables.h"
#include "scvet/trial/posthoc.h"

namespace scvet::trial {

inline Json real_json(double value) { return std::isfinite(value) ? Json(real_text(value)) : Json(nullptr); }

template <typename Values>
Json reals_json(const Values& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(real_json(value));
  return list;
}

template <typename Value, typename Write>
Json optional_json(const std::optional<Value>& value, Write write) {
  return value ? write(*value) : Json(nullptr);
}

inline Json summary_json(const Summary& summary) {
  return {{"mean", real_json(summary.mean)}, {"std", real_json(summary.std)}};
}

Json interval_json(const Interval& interval);
Json intervals_json(const BootstrapIntervals& intervals);

}  // namespace scvet::trial
