#include "scvet/trial/protocol.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "canonical_json.h"
#include "scvet/base/digest.h"
#include "scvet/base/text.h"

namespace scvet::trial {
namespace {

constexpr const char* kForms[] = {"ridge_residual", "ridge_direct", "mlp_residual"};

// The shortest decimal without an exponent, at least `digits` behind the point: 0.020, 0.0215.
std::string decimal_text(double value, std::size_t digits) {
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string text(buffer, end);
  if (digits == 0) return text;
  std::size_t point = text.find('.');
  if (point == std::string::npos) {
    point = text.size();
    text += '.';
  }
  while (text.size() - point - 1 < digits) text += '0';
  return text;
}

// 1e-4 for a power of ten below 1, else the shortest decimal.
std::string scale_text(double value) {
  for (int exponent = 1; exponent <= 30; ++exponent) {
    std::string text = "1e-" + std::to_string(exponent);
    if (parse_number(text) == value) return text;
  }
  return decimal_text(value, 0);
}

Json bound(const char* operation, double value) { return operation + decimal_text(value, 3); }

Json cascade_record(const CascadeRule& rule) {
  return {{"gb_mean", bound(">=", rule.gb_mean)},
          {"invalid_abs_sm", bound("<", rule.invalid_abs_sm)},
          {"mb_mean", bound(">=", rule.mb_mean)},
          {"mb_seed", bound(">=", rule.mb_seed)},
          {"mb_seeds", rule.mb_seeds},
          {"mg_mean", bound(">=", rule.mg_mean)},
          {"mg_seed", bound(">=", rule.mg_seed)},
          {"mg_seeds", rule.mg_seeds},
          {"order", rule.order},
          {"partial", ">0"}};
}

Json mlp_record(const MlpSettings& mlp) {
  return {{"batch", mlp.batch},   {"dropout", decimal_text(mlp.dropout, 1)},
          {"dtype", "float32"},   {"early_stopping", false},
          {"epochs", mlp.epochs}, {"hidden", {mlp.hidden1, mlp.hidden2}},
          {"loss", "mse"},        {"lr", scale_text(mlp.learning_rate)},
          {"optimizer", "adam"},  {"weight_decay", scale_text(mlp.weight_decay)}};
}

// What this program computes in one way only; another value in a file is refused.
Json fixed_record() {
  return {{"ad_statistic", "anderson_ksamp_k2_midrank_normalised"},
          {"cv_group", "target_gene"},
          {"d15_used_for_outcome", false},
          {"features", "cp10k_log1p_delta"},
          {"label_formula_version", "phase_c_consistent_global_nt_ad_v1"},
          {"mag", "mean,l2_over_sqrt_g,signed_max,std_ddof0"},
          {"normalized_counts_used", false},
          {"nt_pool", "global"},
          {"p_values_used", false},
          {"parity", "equal_bits"},
          {"primary_metric", "test_r2"},
          {"raw_counts_used", true},
          {"schema", "scvet-trial-protocol-1"},
          {"split_unit", "target_gene"},
          {"summary_std_ddof", 1},
          {"test_openings_per_arm", 1},
          {"test_used_for_selection", false}};
}

double number(const Fields& fields, const char* key, const Json& value, double least, double most) {
  const auto read = value.is_string() ? parse_number(value.get<std::string>()) : std::nullopt;
  if (!read || !std::isfinite(*read) || *read < least || *read > most)
    fields.refuse(key, "a number from " + format_number(least) + " to " + format_number(most) + ", in quotes");
  return *read;
}

double read_bound(Fields& fields, const char* key, std::string_view operation) {
  const Json& value = fields.get(key);
  if (!value.is_string() || !value.get<std::string>().starts_with(operation))
    fields.refuse(key, "a text that starts with " + std::string(operation));
  return number(fields, key, value.get<std::string>().substr(operation.size()), 0, 1);
}

CascadeRule read_cascade(Fields fields) {
  CascadeRule rule;
  rule.gb_mean = read_bound(fields, "gb_mean", ">=");
  rule.invalid_abs_sm = read_bound(fields, "invalid_abs_sm", "<");
  rule.mb_mean = read_bound(fields, "mb_mean", ">=");
  rule.mb_seed = read_bound(fields, "mb_seed", ">=");
  rule.mb_seeds = static_cast<int>(fields.integer("mb_seeds", 0, 1000));
  rule.mg_mean = read_bound(fields, "mg_mean", ">=");
  rule.mg_seed = read_bound(fields, "mg_seed", ">=");
  rule.mg_seeds = static_cast<int>(fields.integer("mg_seeds", 0, 1000));
  fields.expect("partial", ">0");
  const Json& order = fields.get("order");
  std::set<std::string> wanted(kCascadeOrder.begin(), kCascadeOrder.end()), found;
  if (order.is_array())
    for (const Json& category : order)
      if (category.is_string()) found.insert(category.get<std::string>());
  if (found != wanted || order.size() != wanted.size()) fields.refuse("order", "the five categories, each once");
  rule.order = order.get<std::vector<std::string>>();
  fields.finish();
  return rule;
}

MlpSettings read_mlp(Fields fields) {
  constexpr int kMost = 1 << 20;
  MlpSettings mlp;
  mlp.batch = static_cast<int>(fields.integer("batch", 1, kMost));
  mlp.dropout = number(fields, "dropout", fields.get("dropout"), 0, 0.99);
  fields.expect("dtype", "float32");
  fields.expect("early_stopping", false);
  mlp.epochs = static_cast<int>(fields.integer("epochs", 1, kMost));
  const Json& hidden = fields.get("hidden");
  const auto width = [](const Json& value) {
    return value.is_number_integer() && value.get<std::int64_t>() >= 1 && value.get<std::int64_t>() <= 65536;
  };
  if (!hidden.is_array() || hidden.size() != 2 || !width(hidden[0]) || !width(hidden[1]))
    fields.refuse("hidden", "two widths, [256,128]");
  mlp.hidden1 = hidden[0].get<int>();
  mlp.hidden2 = hidden[1].get<int>();
  fields.expect("loss", "mse");
  mlp.learning_rate = number(fields, "lr", fields.get("lr"), 0, 1);
  fields.expect("optimizer", "adam");
  mlp.weight_decay = number(fields, "weight_decay", fields.get("weight_decay"), 0, 1);
  fields.finish();
  return mlp;
}

std::vector<std::uint32_t> read_seeds(Fields& fields) {
  std::vector<std::uint32_t> seeds;
  const char* const expected = "five or more different integers below 4294967296";
  const Json& value = fields.get("seeds");
  if (!value.is_array() || value.size() < 5) fields.refuse("seeds", expected);
  for (const Json& seed : value) {
    if (!seed.is_number_unsigned() || seed.get<std::uint64_t>() > UINT32_MAX) fields.refuse("seeds", expected);
    seeds.push_back(seed.get<std::uint32_t>());
  }
  if (std::set<std::uint32_t>(seeds.begin(), seeds.end()).size() != seeds.size()) fields.refuse("seeds", expected);
  return seeds;
}

std::vector<double> read_alphas(Fields& fields) {
  std::vector<double> alphas;
  const Json& value = fields.get("alpha_grid");
  if (!value.is_array() || value.empty()) fields.refuse("alpha_grid", "penalties in ascending order, each in quotes");
  for (const Json& alpha : value) {
    alphas.push_back(number(fields, "alpha_grid", alpha, 1e-30, 1e30));
    if (alphas.size() > 1 && alphas[alphas.size() - 2] >= alphas.back())
      fields.refuse("alpha_grid", "penalties in ascending order, each in quotes");
  }
  return alphas;
}

std::array<std::string, 3> read_fractions(Fields& fields) {
  const char* const expected = "three decimals in quotes that add up to 1: train, val, test";
  const Json& value = fields.get("split_fractions");
  if (!value.is_array() || value.size() != 3) fields.refuse("split_fractions", expected);
  std::array<std::string, 3> parts;
  double sum = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    sum += number(fields, "split_fractions", value[part], 0.01, 0.98);
    parts[part] = value[part].get<std::string>();
  }
  if (std::abs(sum - 1) > 1e-9) fields.refuse("split_fractions", expected);
  return parts;
}

Protocol read_protocol(const Json& value, const std::string& where) {
  Fields fields(value, where);
  Protocol protocol;
  const Json fixed = fixed_record();
  for (const auto& item : fixed.items()) fields.expect(item.key().c_str(), item.value());
  protocol.min_cells = static_cast<int>(fields.integer("min_cells", 1, INT32_MAX));
  protocol.split_fractions = read_fractions(fields);
  protocol.seeds = read_seeds(fields);
  protocol.gaussian_offset = static_cast<int>(fields.integer("gaussian_offset", 0, INT32_MAX));
  protocol.shuffle_offset = static_cast<int>(fields.integer("shuffle_offset", 0, INT32_MAX));
  for (const std::uint32_t seed : protocol.seeds)
    if (UINT32_MAX - seed < static_cast<std::uint32_t>(std::max(protocol.gaussian_offset, protocol.shuffle_offset)))
      fields.refuse("seeds", "small enough that seed + offset stays below 4294967296");
  protocol.alphas = read_alphas(fields);
  protocol.cv_folds = static_cast<int>(fields.integer("cv_folds", 2, 1000));
  const std::string form = fields.text("baseline");
  if (std::find(std::begin(kForms), std::end(kForms), form) == std::end(kForms))
    fields.refuse("baseline", "ridge_residual, ridge_direct or mlp_residual");
  protocol.baseline = parse_baseline(form);
  protocol.mlp = read_mlp(fields.object("mlp"));
  protocol.cascade = read_cascade(fields.object("cascade"));
  Fields bootstrap = fields.object("bootstrap");
  protocol.bootstrap = static_cast<int>(bootstrap.integer("B", 1, 10'000'000));
  protocol.bootstrap_seed = static_cast<std::uint32_t>(bootstrap.integer("seed", 0, UINT32_MAX));
  bootstrap.finish();
  fields.finish();
  return protocol;
}

}  // namespace

const char* baseline_name(BaselineForm form) { return kForms[static_cast<int>(form)]; }

BaselineForm parse_baseline(std::string_view name) {
  for (const BaselineForm form : {BaselineForm::kRidgeResidual, BaselineForm::kRidgeDirect, BaselineForm::kMlpResidual})
    if (name == baseline_name(form)) return form;
  throw UsageError(
      "unknown baseline '" + std::string(name) + "' (available: ridge_residual, ridge_direct, mlp_residual)",
      {.field = "baseline"});
}

std::string protocol_json(const Protocol& protocol) {
  Json record = fixed_record();
  std::vector<std::string> alphas;
  for (const double alpha : protocol.alphas) alphas.push_back(scale_text(alpha));
  record["alpha_grid"] = alphas;
  record["baseline"] = baseline_name(protocol.baseline);
  record["bootstrap"] = {{"B", protocol.bootstrap}, {"seed", protocol.bootstrap_seed}};
  record["cascade"] = cascade_record(protocol.cascade);
  record["cv_folds"] = protocol.cv_folds;
  record["gaussian_offset"] = protocol.gaussian_offset;
  record["min_cells"] = protocol.min_cells;
  record["mlp"] = mlp_record(protocol.mlp);
  record["seeds"] = protocol.seeds;
  record["shuffle_offset"] = protocol.shuffle_offset;
  record["split_fractions"] = protocol.split_fractions;
  return canonical(record);
}

std::string protocol_hash(const Protocol& protocol) { return sha256(protocol_json(protocol)); }

Protocol parse_protocol(std::string_view text, const std::string& where) {
  try {
    return read_protocol(read_json(text, where), where);
  } catch (const DataError& error) {
    throw UsageError(error.what(), error.facts());
  }
}

std::array<double, 3> split_fractions(const Protocol& protocol) {
  std::array<double, 3> fractions{};
  for (std::size_t part = 0; part < 3; ++part)
    fractions[part] = parse_number(protocol.split_fractions[part]).value_or(0);
  return fractions;
}

bool is_default_rule(const Protocol& protocol) {
  return protocol.cascade == CascadeRule{} && protocol.seeds.size() == Protocol{}.seeds.size();
}

}  // namespace scvet::trial
