#include "scvet/trial/mirror.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "canonical_json.h"
#include "folder_state.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"
#include "scvet/trial/lock_records.h"
#include "scvet/trial/lock_tables.h"

namespace scvet::trial {
namespace fs = std::filesystem;
namespace {

Json states_value(const std::map<std::string, ArmState>& arms) {
  Json value = Json::object();
  for (const auto& [arm, state] : arms) value[arm] = state_name(state);
  return value;
}

std::map<std::string, ArmState> read_states(Fields states, const Json& value) {
  std::map<std::string, ArmState> arms;
  for (const auto& item : value.items()) {
    arms[item.key()] = parse_state(states.text(item.key().c_str()));
    if (arms[item.key()] == ArmState::kUnknown) states.refuse(item.key(), "a state");
  }
  return arms;
}

std::vector<std::string> read_texts(Fields& fields, const char* key) {
  std::vector<std::string> texts;
  const Json& list = fields.get(key);
  if (!list.is_array()) fields.refuse(key, "a list of texts");
  for (const Json& item : list) {
    if (!item.is_string()) fields.refuse(key, "a list of texts");
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

void take_states(KnownLock& lock, const std::map<std::string, ArmState>& arms) {
  for (const auto& [arm, state] : arms) lock.arms[arm] = std::max(lock.arms[arm], state);
}

void read_mirror_file(const fs::path& file, std::map<std::string, KnownLock>& locks) {
  const Mirror mirror = parse_mirror(read_file(file.string()), file.string());
  KnownLock& lock = locks[mirror.lock];
  lock.lock = mirror.lock;
  lock.counts_digest = mirror.counts_digest;
  lock.design_digest = mirror.design_digest;
  lock.cell_sketch = mirror.cell_sketch;
  lock.test_target_genes = mirror.test_target_genes;
  take_states(lock, mirror.arms);
  const std::string beside = file.parent_path() / (mirror.lock + ".arms.json");
  if (!is_there(beside)) return;
  const Json value = read_canonical(read_file(beside), beside);
  Fields fields(value, beside);
  lock.protocol_sha256 = fields.text("protocol_sha256");
  lock.supersedes = fields.text("supersedes");
  lock.folder = fields.text("folder");
  Fields embeddings = fields.object("embedding_digests");
  for (const auto& item : value["embedding_digests"].items())
    lock.embedding_digests[item.key()] = embeddings.text(item.key().c_str());
}

void read_folder(const fs::path& folder, std::map<std::string, KnownLock>& locks) {
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  const std::string manifest_text = read_file(file("manifest.json"));
  const Ledger ledger = read_ledger(read_file(file("ledger.jsonl")), sha256(manifest_text), file("ledger.jsonl"));
  KnownLock& lock = locks[ledger.lock];
  lock.lock = ledger.lock;
  lock.folder = folder.string();
  const ManifestRecord manifest = parse_manifest(manifest_text, file("manifest.json"));
  lock.protocol_sha256 = manifest.protocol_sha256;
  if (manifest.supersedes) lock.supersedes = manifest.supersedes->lock;
  const DataRecord data = parse_data(read_file(file("data.json")), file("data.json"));
  lock.counts_digest = data.counts_digest;
  lock.design_digest = data.design_digest;
  lock.test_target_genes = test_genes(parse_split(read_file(file("split.tsv")), file("split.tsv")));
  for (const auto& [arm, history] : ledger.arms) {
    const std::string base = "arms/" + arm + "/";
    lock.arms[arm] = std::max(lock.arms[arm], history.state);
    if (is_there(file(base + "test.opened"))) lock.arms[arm] = std::max(lock.arms[arm], ArmState::kTestOpened);
    if (!is_there(file(base + "arm.json"))) continue;
    lock.embedding_digests[arm] =
        parse_arm(read_file(file(base + "arm.json")), file(base + "arm.json")).embedding_digest;
  }
}

std::vector<fs::path> entries(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    paths.push_back(at->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::size_t shared(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::set<std::string> of_a(a.begin(), a.end()), of_b(b.begin(), b.end());
  std::size_t count = 0;
  for (const std::string& item : of_a) count += of_b.count(item);
  return count;
}

}  // namespace

std::string mirror_json(const Mirror& mirror) {
  return canonical({{"arms", states_value(mirror.arms)},
                    {"cell_sketch", mirror.cell_sketch},
                    {"counts_digest", mirror.counts_digest},
                    {"design_digest", mirror.design_digest},
                    {"ledger_count", mirror.ledger_count},
                    {"ledger_head", mirror.ledger_head},
                    {"lock", mirror.lock},
                    {"schema", "scvet-trial-mirror-1"},
                    {"test_target_genes", mirror.test_target_genes}});
}

Mirror parse_mirror(std::string_view text, const std::string& where) {
  const Json value = read_canonical(text, where);
  Fields fields(value, where);
  Mirror mirror;
  mirror.arms = read_states(fields.object("arms"), value["arms"]);
  mirror.cell_sketch = read_texts(fields, "cell_sketch");
  mirror.counts_digest = fields.hash("counts_digest");
  mirror.design_digest = fields.hash("design_digest");
  mirror.ledger_count = fields.integer("ledger_count", 0);
  mirror.ledger_head = fields.hash("ledger_head");
  mirror.lock = fields.hash("lock");
  fields.expect("schema", "scvet-trial-mirror-1");
  mirror.test_target_genes = read_texts(fields, "test_target_genes");
  fields.finish();
  return mirror;
}

std::string state_folder(const std::string& given) {
  if (!given.empty()) return given;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  // The XDG rule: a relative path in the variable is no path.
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/')) return state + "/scvet/trials";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.local/state/scvet/trials";
  return "";
}

std::vector<KnownLock> known_locks(const std::string& state_dir, const std::string& parent,
                                   const std::string& own_folder, std::vector<std::string>& unreadable) {
  std::map<std::string, KnownLock> locks;
  const auto attempt = [&](const fs::path& path, auto read) {
    try {
      read(path, locks);
    } catch (const Error& error) {
      unreadable.push_back(path.string() + ": " + error.what());
    }
  };
  if (!state_dir.empty())
    for (const fs::path& path : entries(state_dir))
      if (path.extension() == ".json" && is_sha256(path.stem().string())) attempt(path, read_mirror_file);
  std::error_code ignored;
  if (!parent.empty())
    for (const fs::path& path : entries(parent)) {
      if (!is_there((path / "manifest.json").string()) || !is_there((path / "ledger.jsonl").string())) continue;
      if (!own_folder.empty() && fs::equivalent(path, own_folder, ignored)) continue;
      attempt(path, read_folder);
    }
  std::vector<KnownLock> list;
  for (auto& [id, lock] : locks)
    if (!lock.lock.empty()) list.push_back(std::move(lock));
  return list;
}

bool same_data(const KnownLock& a, const KnownLock& b) {
  if (!a.counts_digest.empty() && a.counts_digest == b.counts_digest) return true;
  const std::size_t smaller = std::min(a.cell_sketch.size(), b.cell_sketch.size());
  if (smaller == 0 || 2 * shared(a.cell_sketch, b.cell_sketch) < smaller) return false;
  return shared(a.test_target_genes, b.test_target_genes) > 0;
}

}  // namespace scvet::trial
