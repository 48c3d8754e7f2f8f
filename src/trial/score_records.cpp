// sanity.json, metrics.json, outcome.json and test.opened: what a step leaves beside its tables.
#include <cmath>
#include <limits>

#include "canonical_json.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/trial/lock_records.h"
#include "scvet/trial/lock_tables.h"

namespace scvet::trial {
namespace {

std::string finite_text(double value) {
  if (!std::isfinite(value)) throw InternalError("a score that is not finite would go into a record of the trial");
  return real_text(value);
}

Json part_value(const PartScores& part) {
  Json value = Json::object();
  for (const auto& [predictor, seeds] : part)
    for (const auto& [seed, scores] : seeds) {
      Json& entry = value[predictor][std::to_string(seed)];
      entry = {{"mae", finite_text(scores.mae)}, {"r2", finite_text(scores.r2)}, {"spearman", nullptr}};
      if (!std::isnan(scores.spearman)) entry["spearman"] = finite_text(scores.spearman);
    }
  return value;
}

PartScores read_part(Fields fields, const Json& value, const std::string& where) {
  PartScores part;
  for (const auto& predictor : value.items()) {
    Fields seeds = fields.object(predictor.key().c_str());
    for (const auto& item : predictor.value().items()) {
      const auto seed = parse_integer(item.key());
      if (!seed || *seed < 0 || *seed > UINT32_MAX || std::to_string(*seed) != item.key())
        throw DataError(where + ": '" + seeds.path(item.key()) + "' is not a seed",
                        {.file = where, .field = item.key()});
      Fields entry = seeds.object(item.key().c_str());
      SeedScores scores{entry.real("r2"), std::numeric_limits<double>::quiet_NaN(), entry.real("mae")};
      if (!entry.get("spearman").is_null()) scores.spearman = entry.real("spearman");
      entry.finish();
      part[predictor.key()][static_cast<std::uint32_t>(*seed)] = scores;
    }
  }
  return part;
}

Json reals(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(finite_text(value));
  return list;
}

std::vector<double> read_reals(Fields& fields, const char* key) {
  const Json& list = fields.get(key);
  std::vector<double> values;
  if (!list.is_array()) fields.refuse(key, "a list of numbers in quotes");
  for (const Json& item : list) {
    const auto value = item.is_string() ? parse_real(item.get<std::string>()) : std::nullopt;
    if (!value) fields.refuse(key, "a list of numbers in quotes");
    values.push_back(*value);
  }
  return values;
}

}  // namespace

std::string sanity_json(const SanityRecord& record) {
  return canonical({{"anchor_alpha", finite_text(record.anchor_alpha)},
                    {"baseline_alpha", finite_text(record.baseline_alpha)},
                    {"train", part_value(record.train)},
                    {"val", part_value(record.val)}});
}

SanityRecord parse_sanity(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  SanityRecord record;
  record.anchor_alpha = fields.real("anchor_alpha");
  record.baseline_alpha = fields.real("baseline_alpha");
  record.train = read_part(fields.object("train"), value["train"], where);
  record.val = read_part(fields.object("val"), value["val"], where);
  fields.finish();
  return record;
}

std::string metrics_json(const PartScores& test) { return canonical({{"test", part_value(test)}}); }

PartScores parse_metrics(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  PartScores part = read_part(fields.object("test"), value["test"], where);
  fields.finish();
  return part;
}

std::string outcome_json(const OutcomeRecord& record) {
  return canonical(
      {{"category", record.category},
       {"criteria",
        {{"gb_mean", record.gb_mean},
         {"invalid", record.invalid},
         {"mb_mean", record.mb_mean},
         {"mb_seeds", record.mb_seeds},
         {"mg_mean", record.mg_mean},
         {"mg_seeds", record.mg_seeds},
         {"positive", record.positive}}},
       {"means",
        {{"gb", finite_text(record.mean_gb)},
         {"mb", finite_text(record.mean_mb)},
         {"mg", finite_text(record.mean_mg)},
         {"sm", finite_text(record.mean_sm)}}},
       {"prefix", record.prefix},
       {"role", record.role},
       {"seeds",
        {{"gb", reals(record.gb)}, {"mb", reals(record.mb)}, {"mg", reals(record.mg)}, {"sm", reals(record.sm)}}}});
}

OutcomeRecord parse_outcome(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  OutcomeRecord record;
  record.category = fields.text("category");
  Fields criteria = fields.object("criteria");
  record.gb_mean = criteria.boolean("gb_mean");
  record.invalid = criteria.boolean("invalid");
  record.mb_mean = criteria.boolean("mb_mean");
  record.mb_seeds = criteria.integer("mb_seeds", 0);
  record.mg_mean = criteria.boolean("mg_mean");
  record.mg_seeds = criteria.integer("mg_seeds", 0);
  record.positive = criteria.boolean("positive");
  criteria.finish();
  Fields means = fields.object("means");
  record.mean_gb = means.real("gb");
  record.mean_mb = means.real("mb");
  record.mean_mg = means.real("mg");
  record.mean_sm = means.real("sm");
  means.finish();
  record.prefix = fields.text("prefix");
  record.role = fields.text("role");
  Fields seeds = fields.object("seeds");
  record.gb = read_reals(seeds, "gb");
  record.mb = read_reals(seeds, "mb");
  record.mg = read_reals(seeds, "mg");
  record.sm = read_reals(seeds, "sm");
  seeds.finish();
  fields.finish();
  return record;
}

std::string opened_json(const OpenedRecord& record) {
  return canonical({{"arm", record.arm},
                    {"lock", record.lock},
                    {"predictions_sha256", record.predictions_sha256},
                    {"prev", record.prev}});
}

OpenedRecord parse_opened(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  OpenedRecord record{fields.text("arm"), fields.hash("lock"), fields.hash("predictions_sha256"), fields.hash("prev")};
  fields.finish();
  return record;
}

}  // namespace scvet::trial
