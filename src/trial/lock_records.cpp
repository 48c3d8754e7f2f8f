#include "scvet/trial/lock_records.h"

#include "canonical_json.h"
#include "scvet/base/error.h"

namespace scvet::trial {

std::string data_json(const DataRecord& record) {
  return canonical({{"columns", {{"batch", record.batch_key}, {"row", record.row_key}, {"target", record.target_key}}},
                    {"control_label", record.control_label},
                    {"counts_digest", record.counts_digest},
                    {"counts_file_sha256", record.counts_file_sha256},
                    {"design_digest", record.design_digest},
                    {"layer", record.layer},
                    {"n_cells", record.n_cells},
                    {"n_genes", record.n_genes},
                    {"n_nt", record.n_nt},
                    {"rows_eligible", record.rows_eligible},
                    {"rows_excluded", record.rows_excluded},
                    {"schema", "scvet-trial-data-1"},
                    {"target_genes", record.target_genes}});
}

DataRecord parse_data(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  DataRecord record;
  Fields columns = fields.object("columns");
  record.batch_key = columns.text("batch");
  record.row_key = columns.text("row");
  record.target_key = columns.text("target");
  columns.finish();
  record.control_label = fields.text("control_label");
  record.counts_digest = fields.hash("counts_digest");
  record.counts_file_sha256 = fields.hash("counts_file_sha256");
  record.design_digest = fields.hash("design_digest");
  record.layer = fields.text("layer");
  record.n_cells = fields.integer("n_cells", 0);
  record.n_genes = fields.integer("n_genes", 0);
  record.n_nt = fields.integer("n_nt", 0);
  record.rows_eligible = fields.integer("rows_eligible", 0);
  record.rows_excluded = fields.integer("rows_excluded", 0);
  fields.expect("schema", "scvet-trial-data-1");
  record.target_genes = fields.integer("target_genes", 0);
  fields.finish();
  return record;
}

namespace {

Json part_record(const PartSize& part) { return {{"rows", part.rows}, {"target_genes", part.target_genes}}; }

PartSize read_part(Fields fields) {
  const PartSize part{fields.integer("rows", 0), fields.integer("target_genes", 0)};
  fields.finish();
  return part;
}

constexpr const char* kAttested[] = {"label_rule_same_across_phases", "no_test_label_seen", "no_test_tuning",
                                     "representation_frozen"};

void read_files(Fields files, ManifestRecord& record) {
  record.labels_test_sha256 = files.hash("labels.test.tsv");
  record.labels_trainval_sha256 = files.hash("labels.trainval.tsv");
  record.rows_sha256 = files.hash("rows.tsv");
  record.split_sha256 = files.hash("split.tsv");
  files.finish();
}

void read_arrays(Fields arrays, ManifestRecord& record) {
  record.mag_sha256 = arrays.hash("mag");
  record.x_delta_sha256 = arrays.hash("x_delta");
  record.x_unit_delta_sha256 = arrays.hash("x_unit_delta");
  arrays.finish();
}

std::string read_attestation(Fields attestation) {
  for (const char* key : kAttested) attestation.expect(key, true);
  std::string by = attestation.text("by");
  attestation.finish();
  return by;
}

std::optional<Supersedes> read_supersedes(Fields& fields) {
  if (fields.get("supersedes").is_null()) return std::nullopt;
  Fields object = fields.object("supersedes");
  const Supersedes supersedes{object.hash("lock"), object.text("reason")};
  object.finish();
  return supersedes;
}

std::string read_software(Fields software) {
  software.expect("name", "scvet");
  std::string version = software.text("version");
  software.finish();
  return version;
}

}  // namespace

std::string manifest_json(const ManifestRecord& record) {
  Json value = {
      {"arrays",
       {{"mag", record.mag_sha256}, {"x_delta", record.x_delta_sha256}, {"x_unit_delta", record.x_unit_delta_sha256}}},
      {"attestation", {{"by", record.attested_by}}},
      {"created", record.created},
      {"data_sha256", record.data_sha256},
      {"files",
       {{"labels.test.tsv", record.labels_test_sha256},
        {"labels.trainval.tsv", record.labels_trainval_sha256},
        {"rows.tsv", record.rows_sha256},
        {"split.tsv", record.split_sha256}}},
      {"leaked_target_genes", record.leaked_target_genes},
      {"numerics", record.numerics},
      {"parts",
       {{"test", part_record(record.test)}, {"train", part_record(record.train)}, {"val", part_record(record.val)}}},
      {"prior_locks_on_this_data", record.prior_locks_on_this_data},
      {"protocol_sha256", record.protocol_sha256},
      {"schema", "scvet-trial-manifest-1"},
      {"software", {{"name", "scvet"}, {"version", record.software_version}}},
      {"split_origin", record.split_origin},
      {"split_seed", nullptr},
      {"supersedes", nullptr},
      {"underpowered", record.underpowered}};
  for (const char* key : kAttested) value["attestation"][key] = true;
  if (record.split_seed) value["split_seed"] = *record.split_seed;
  if (record.supersedes)
    value["supersedes"] = {{"lock", record.supersedes->lock}, {"reason", record.supersedes->reason}};
  return canonical(value);
}

ManifestRecord parse_manifest(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  ManifestRecord record;
  read_arrays(fields.object("arrays"), record);
  record.attested_by = read_attestation(fields.object("attestation"));
  record.created = fields.text("created");
  record.data_sha256 = fields.hash("data_sha256");
  read_files(fields.object("files"), record);
  record.leaked_target_genes = fields.integer("leaked_target_genes", 0);
  record.numerics = fields.text("numerics");
  Fields parts = fields.object("parts");
  record.test = read_part(parts.object("test"));
  record.train = read_part(parts.object("train"));
  record.val = read_part(parts.object("val"));
  parts.finish();
  record.prior_locks_on_this_data = fields.integer("prior_locks_on_this_data", 0);
  record.protocol_sha256 = fields.hash("protocol_sha256");
  fields.expect("schema", "scvet-trial-manifest-1");
  record.software_version = read_software(fields.object("software"));
  record.split_origin = fields.text("split_origin");
  if (!fields.get("split_seed").is_null())
    record.split_seed = static_cast<std::uint32_t>(fields.integer("split_seed", 0, UINT32_MAX));
  record.supersedes = read_supersedes(fields);
  record.underpowered = fields.boolean("underpowered");
  fields.finish();
  return record;
}

}  // namespace scvet::trial
