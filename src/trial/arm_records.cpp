// arm.json and the extraction record in it.
#include <algorithm>

#include "canonical_json.h"
#include "refuse.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/trial/lock_records.h"

namespace scvet::trial {
namespace {

struct TextKey {
  const char* name;
  std::optional<std::string> ExtractionRecord::*field;
};
constexpr TextKey kTexts[] = {{"binning", &ExtractionRecord::binning},
                              {"checkpoint", &ExtractionRecord::checkpoint},
                              {"checkpoint_sha256", &ExtractionRecord::checkpoint_sha256},
                              {"layer", &ExtractionRecord::layer},
                              {"normalisation", &ExtractionRecord::normalisation},
                              {"pooling", &ExtractionRecord::pooling},
                              {"precision", &ExtractionRecord::precision},
                              {"pretraining_corpus", &ExtractionRecord::pretraining_corpus},
                              {"pretraining_snapshot", &ExtractionRecord::pretraining_snapshot},
                              {"tokenisation", &ExtractionRecord::tokenisation},
                              {"tool", &ExtractionRecord::tool},
                              {"tool_version", &ExtractionRecord::tool_version},
                              {"vocabulary", &ExtractionRecord::vocabulary},
                              {"vocabulary_sha256", &ExtractionRecord::vocabulary_sha256}};

struct IntegerKey {
  const char* name;
  std::optional<std::int64_t> ExtractionRecord::*field;
};
constexpr IntegerKey kIntegers[] = {{"cells_truncated", &ExtractionRecord::cells_truncated},
                                    {"genes_matched", &ExtractionRecord::genes_matched},
                                    {"genes_total", &ExtractionRecord::genes_total},
                                    {"max_length", &ExtractionRecord::max_length}};

Json extraction_value(const ExtractionRecord& record) {
  Json value = {{"fine_tuned", record.fine_tuned}};
  for (const TextKey& key : kTexts) {
    value[key.name] = nullptr;
    if (record.*key.field) value[key.name] = *(record.*key.field);
  }
  for (const IntegerKey& key : kIntegers) {
    value[key.name] = nullptr;
    if (record.*key.field) value[key.name] = *(record.*key.field);
  }
  return value;
}

ExtractionRecord read_extraction(Fields fields) {
  ExtractionRecord record;
  for (const TextKey& key : kTexts) record.*key.field = fields.optional_text(key.name);
  for (const IntegerKey& key : kIntegers) record.*key.field = fields.optional_integer(key.name);
  record.fine_tuned = fields.boolean("fine_tuned");
  fields.finish();
  return record;
}

}  // namespace

std::vector<std::string> extraction_keys() {
  std::vector<std::string> keys{"fine_tuned"};
  for (const TextKey& key : kTexts) keys.emplace_back(key.name);
  for (const IntegerKey& key : kIntegers) keys.emplace_back(key.name);
  std::sort(keys.begin(), keys.end());
  return keys;
}

ExtractionRecord parse_extraction(std::string_view text, const std::string& where) {
  const Json value = read_json(text, where);
  std::vector<std::string> missing;
  for (const std::string& key : extraction_keys())
    if (!value.is_object() || !value.contains(key)) missing.push_back(key);
  if (!missing.empty())
    refuse("record_incomplete",
           where + ": the extraction record must state every key, null where there is nothing to state; not there: " +
               join(missing, ", "),
           where);
  ExtractionRecord record = read_extraction(Fields(value, where));
  if (record.fine_tuned)
    refuse("record_incomplete", where + ": fine_tuned must be false, found true: a trial judges frozen representations",
           where);
  return record;
}

std::string extraction_json(const ExtractionRecord& record) { return canonical(extraction_value(record)); }

std::string arm_json(const ArmRecord& record) {
  return canonical({{"arm", record.arm},
                    {"dim", record.dim},
                    {"embedding_digest", record.embedding_digest},
                    {"embedding_key", record.embedding_key},
                    {"extraction", extraction_value(record.extraction)},
                    {"lock", record.lock},
                    {"model", record.model},
                    {"protocol_preserving_extension", record.protocol_preserving_extension},
                    {"role", record.role},
                    {"schema", "scvet-trial-arm-1"},
                    {"z_sha256", record.z_sha256}});
}

ArmRecord parse_arm(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  ArmRecord record;
  record.arm = fields.text("arm");
  record.dim = fields.integer("dim", 1);
  record.embedding_digest = fields.hash("embedding_digest");
  record.embedding_key = fields.text("embedding_key");
  record.extraction = read_extraction(fields.object("extraction"));
  record.lock = fields.hash("lock");
  record.model = fields.text("model");
  record.protocol_preserving_extension = fields.boolean("protocol_preserving_extension");
  record.role = fields.text("role");
  if (record.role != "primary" && record.role != "sensitivity") fields.refuse("role", "primary or sensitivity");
  fields.expect("schema", "scvet-trial-arm-1");
  record.z_sha256 = fields.hash("z_sha256");
  fields.finish();
  return record;
}

void check_arm_name(const std::string& name) {
  constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const bool good = !name.empty() && name.size() <= 64 && name[0] != '.' && name[0] != '-' &&
                    name.find_first_not_of(kSafe) == std::string::npos;
  if (!good)
    throw UsageError(
        "an arm's name is 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', without a leading '.' or '-'; found " +
            Json(name).dump(-1, ' ', true, Json::error_handler_t::replace),
        {.field = "arm"});
}

}  // namespace scvet::trial
